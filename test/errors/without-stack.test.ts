import { HttpError, NotFoundError } from 'blazon'
import { describe, expect, it } from 'vitest'
import { refuse, withoutStack } from '../../src/errors/refuse.js'

describe('withoutStack', () => {
  it('creates an error with only the first line of its stack', () => {
    const error = withoutStack(() => new NotFoundError('No such user'))
    expect(error.stack).toBe('NotFoundError: No such user')
    expect(error).toMatchObject({ name: 'NotFoundError', status: 404, code: 'NOT_FOUND' })
  })

  it('does not shorten the stacks of other errors', () => {
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

  it('creates an error even if the program has frozen Error.stackTraceLimit', () => {
    const limit = Error.stackTraceLimit
    Object.defineProperty(Error, 'stackTraceLimit', { writable: false })
    try {
      expect(refuse('MALFORMED_JSON', 'no')).toMatchObject({ status: 400, message: 'no' })
      expect(Error.stackTraceLimit).toBe(limit)
    } finally {
      Object.defineProperty(Error, 'stackTraceLimit', { writable: true })
    }
  })

  it('creates a new error for each call', () => {
    const [a, b] = [refuse('BAD_REQUEST', 'a'), refuse('BAD_REQUEST', 'b')]
    expect(a).not.toBe(b)
    expect([a.message, b.message]).toEqual(['a', 'b'])
  })
})

describe('the name of an HTTP error', () => {
  it('is the name of its class or subclass', () => {
    class Gone extends HttpError {
      constructor() {
        super(410)
      }
    }
    expect(new Gone().name).toBe('Gone')
    expect(String(new NotFoundError('x'))).toBe('NotFoundError: x')
  })

  it('can be set by a field or an assignment', () => {
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
