import { describe, expect, it } from 'vitest'
import { digestOf, fingerprintOf, noteBody, sha256 } from '../../src/http/body-digest.js'

describe('the fingerprint of a request', () => {
  const requestOf = (more: object = {}) => ({ originalUrl: '/a', ...more }) as never

  it('contains the body that is set later, before anything changes it', () => {
    const req: { originalUrl: string; body?: unknown } = requestOf()
    noteBody(req as never)
    expect([req.body, fingerprintOf(req as never)]).toEqual([undefined, sha256('/a\n')])
    req.body = { a: 1 }
    req.body = { changed: true }
    expect(req.body).toEqual({ changed: true })
    expect(fingerprintOf(req as never)).toBe(sha256(`/a\n${digestOf({ a: 1 })}`))
  })

  it('contains a body that a middleware has set before', () => {
    const req: never = requestOf({ body: 'text' })
    noteBody(req)
    expect(fingerprintOf(req)).toBe(sha256(`/a\n${sha256('text')}`))
  })

  it('leaves the property `body` as it was defined', () => {
    const own = { value: undefined, writable: true, enumerable: false, configurable: true }
    const req: { body?: unknown } = Object.defineProperty(requestOf(), 'body', own)
    noteBody(req as never)
    req.body = 'text'
    expect(Object.getOwnPropertyDescriptor(req, 'body')).toEqual({ ...own, value: 'text' })
  })
})

it('the digest of bytes and text is that of their content, and that of other data is that of its JSON', () => {
  const bytes = Buffer.from('{"a":1}')
  expect([digestOf(bytes), digestOf('{"a":1}'), digestOf({ a: 1 })]).toEqual(
    Array(3).fill(sha256('{"a":1}')),
  )
  expect(digestOf(undefined)).toBe(sha256(''))
})

it('the digests of long bodies that differ only in their last character are different', () => {
  const start = 'a'.repeat(100_000)
  for (const make of [String, Buffer.from, (text: string) => ({ text })]) {
    expect(digestOf(make(`${start}b`))).not.toBe(digestOf(make(`${start}c`)))
  }
})
