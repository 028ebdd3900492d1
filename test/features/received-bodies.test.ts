import { EventEmitter } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Request } from 'blazon'
import { describe, expect, it } from 'vitest'
import {
  headerText,
  hideInQuery,
  ReceivedBodies,
} from '../../src/features/capsules/received-bodies.js'

function arriving(bodies: ReceivedBodies): Request {
  const req = new IncomingMessage(new Socket())
  Object.assign(req, { res: new EventEmitter() })
  req.headers['transfer-encoding'] = 'chunked'
  bodies.follow(req as Request)
  return req as Request
}

const MILLION = Buffer.alloc(1_000_000)

describe('received bodies that are kept for capsules', () => {
  it('share a size limit until their requests end', () => {
    const bodies = new ReceivedBodies()
    const send = () => {
      const req = arriving(bodies)
      req.push(MILLION)
      req.push(null)
      return req
    }
    const all = Array.from({ length: 33 }, send)
    const [first, ...others] = all.map((req) => bodies.of(req))
    expect(first).toMatchObject({ omitted: null, isMissed: false })
    expect(first?.bytes?.length).toBe(1_000_000)
    const missed = {
      bytes: null,
      omitted: 'Too many bodies arrived at the same time.',
      isMissed: true,
    }
    expect(others.at(-1)).toEqual(missed)
    expect(bodies.of(send())).toEqual(missed)
    for (const event of ['finish', 'close']) all[0]?.res?.emit(event)
    expect(bodies.of(send()).omitted).toBeNull()
    expect(bodies.of(send())).toEqual(missed)
  })

  it('are omitted if a part of them is missing', () => {
    const bodies = new ReceivedBodies()
    const half = arriving(bodies)
    half.push('half')
    expect(bodies.of(half)).toMatchObject({
      isMissed: false,
      omitted: expect.stringMatching(/not read/),
    })
    half.read()
    expect(bodies.of(half)).toMatchObject({
      isMissed: true,
      omitted: expect.stringMatching(/completely/),
    })

    const late = new IncomingMessage(new Socket()) as Request
    late.headers['transfer-encoding'] = 'chunked'
    late.push('before')
    bodies.follow(late)
    late.push(null)
    expect(bodies.of(late)).toMatchObject({ bytes: null, isMissed: true })
  })
})

/** A request whose body has arrived, and was read. */
function arrived(bytes: Buffer, headers: Record<string, string>) {
  const bodies = new ReceivedBodies()
  const req = new IncomingMessage(new Socket())
  Object.assign(req, { res: new EventEmitter() })
  Object.assign(req.headers, { 'content-length': String(bytes.length) }, headers)
  bodies.follow(req as Request)
  req.push(bytes)
  req.push(null)
  req.read()
  return bodies.of(req as Request)
}

describe('the decompressed body of a request', () => {
  const text = Buffer.from('{"a":1}')

  it.each<[string, Buffer]>([
    ['identity', text],
    ['Identity', text],
    ['gzip', gzipSync(text)],
    ['X-Gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
  ])('is kept for the coding %s', (coding, bytes) => {
    const { bytes: found, omitted } = arrived(bytes, { 'content-encoding': coding })
    expect([found?.toString(), omitted]).toEqual([text.toString(), null])
  })

  it.each<[string, Buffer, string]>([
    ['is not of its coding', text, 'gzip'],
    ['is too large after decompression', gzipSync(Buffer.alloc(1_000_001)), 'gzip'],
    ['has a coding that is not known', text, 'zip'],
  ])('is omitted if it %s', (_, bytes, coding) => {
    expect(arrived(bytes, { 'content-encoding': coding })).toEqual({
      bytes: null,
      omitted: 'Its body cannot be decompressed.',
      isMissed: true,
    })
  })

  it('has at most one million bytes', () => {
    const zipped = gzipSync(Buffer.alloc(1_000_000))
    expect(arrived(zipped, { 'content-encoding': 'gzip' }).bytes).toHaveLength(1_000_000)
  })

  it('is kept when its last byte has arrived, before Node detects its end', () => {
    const bodies = new ReceivedBodies()
    const req = new IncomingMessage(new Socket()) as Request
    req.headers['content-length'] = '2'
    bodies.follow(req)
    req.push(Buffer.from('a'))
    req.read()
    expect(bodies.of(req).omitted).toBe('Its body had not arrived completely.')
    req.push(Buffer.from('b'))
    expect(bodies.of(req).bytes?.toString()).toBe('ab')
  })
})

const hide = (text: string) => text.replaceAll('canary', '*')

it.each([
  ['authorization', 'Bearer abc', 'Bearer [secret]'],
  ['authorization', 'basic YTpi', 'basic [secret]'],
  ['proxy-authorization', 'Digest a="b"', 'Digest [secret]'],
  ['authorization', 'DPoP abc', 'DPoP [secret]'],
  ['authorization', 'Own abc', '[secret]'],
  ['authorization', 'Bearer', '[secret]'],
  ['x-api-key', 'abc', '[secret]'],
  ['referer', 'https://a.example/b?c=d#e', 'https://a.example/b'],
  ['referer', 'https://a.example/b#e', 'https://a.example/b'],
  ['x-note', 'has canary', 'has *'],
])('a header in a capsule shows no secret: %s: %s', (name, value, expected) => {
  expect(headerText(name, value, hide)).toBe(expected)
})

it('a query in a capsule changes only in the values that are secret', () => {
  expect(hideInQuery('/a?token=x&b=%63anary&c=%zz&d&e=+1', hide)).toBe(
    '/a?token=[secret]&b=[secret]&c=%zz&d&e=+1',
  )
})
