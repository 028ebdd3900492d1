import { HttpError, NotFoundError } from 'blazon'
import { describe, expect, it } from 'vitest'
import { refuse, withoutStack } from '../../src/errors/refuse.js'

describe('withoutStack', () => {
  it('makes an error of which the stack is the first line', () => {
    const error = withoutStack(() => new NotFoundError('No such user'))
    expect(error.stack).toBe('NotFoundError: No such user')
    expect(error).toMatchObject({ name: 'NotFoundError', status: 404, code: 'NOT_FOUND' })
  })

  it('leaves the stacks of all others as long as they are', () => {
    const before = Error.stackTraceLimit
    withoutStack(() => new Error('one'))
    expect(() =>
      withoutStack(() => {
        throw new Error('two')
      }),
    ).toThrow('two')
    expect(Error.stackTraceLimit).toBe(before)
    expect(new NotFoundError().stack).toContain('without-stack.test')
  })

  it('makes one where a program has frozen the limit', () => {
    const limit = Error.stackTraceLimit
    Object.defineProperty(Error, 'stackTraceLimit', { writable: false })
    try {
      expect(refuse('MALFORMED_JSON', 'no')).toMatchObject({ status: 400, message: 'no' })
      expect(Error.stackTraceLimit).toBe(limit)
    } finally {
      Object.defineProperty(Error, 'stackTraceLimit', { writable: true })
    }
  })

  it('makes an error of its own each time', () => {
    const [a, b] = [refuse('BAD_REQUEST', 'a'), refuse('BAD_REQUEST', 'b')]
    expect(a).not.toBe(b)
    expect([a.message, b.message]).toEqual(['a', 'b'])
  })
})

describe('the name of an HTTP error', () => {
  it('is that of its class, of a subclass too', () => {
    class Gone extends HttpError {
      constructor() {
        super(410)
      }
    }
    expect(new Gone().name).toBe('Gone')
    expect(String(new NotFoundError('x'))).toBe('NotFoundError: x')
  })

  it('may be set, by a field too', () => {
    class Named extends HttpError {
      override name = 'ShopError'
    }
    const error = new Named(400)
    expect(error.name).toBe('ShopError')
    error.name = 'Other'
    expect(error.name).toBe('Other')
    expect(new HttpError(400).name).toBe('HttpError')
  })
})
