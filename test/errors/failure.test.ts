import { BadRequestError, HttpError } from 'blazon'
import { statusOf } from 'blazon/plugin'
import createError from 'http-errors'
import { describe, expect, it } from 'vitest'
import {
  AppClosingError,
  isDecision,
  toFailure,
  toMiddlewareFailure,
} from '../../src/errors/failure.js'

const GENERIC = {
  status: 500,
  code: 'INTERNAL_SERVER_ERROR',
  message: 'Internal Server Error',
  errors: undefined,
  headers: undefined,
}

const error = (facts: object) => Object.assign(new Error('secret'), facts)
const trap = () => {
  throw new Error('do not look')
}
const brand = Symbol.for('blazon.HttpError')

describe('the response to an HttpError', () => {
  it('contains the status, code, message, errors and headers of the error', () => {
    const errors = [{ in: 'body', path: 'name', message: 'is taken' }] as const
    const headers = { 'X-A': '1' }
    const given = new HttpError(409, 'taken', { code: 'TAKEN', errors, headers })
    const expected = { status: 409, code: 'TAKEN', message: 'taken', errors, headers }
    expect(toFailure(given)).toEqual(expected)
    expect(toMiddlewareFailure(given, 200)).toEqual(expected)
  })

  it.each([
    [400, true],
    [499, true],
    [500, false],
    [599, false],
  ])('shows the message of the error only if the status is below 500: %i', (status, isShown) => {
    expect(toFailure(new HttpError(status, 'mine')).message === 'mine').toBe(isShown)
    expect(toFailure(new HttpError(status, 'mine')).status).toBe(status)
  })

  it('shows the number of the status if the status has no registered name', () => {
    expect(toFailure(new HttpError(499))).toMatchObject({ code: 'HTTP_499', message: 'HTTP 499' })
    expect(new HttpError(418).code).toBe('I_M_A_TEAPOT')
  })

  it('has strings as code and message, even if the error comes from another copy of the package', () => {
    const foreign = { [brand]: true, status: 404, code: 7, message: 8, expose: true }
    expect(toFailure(foreign)).toMatchObject({ status: 404, code: '7', message: '8' })
  })

  it.each([399, 600, 404.5, '404', undefined])(
    'is a generic 500 response if the status of the error is %s',
    (status) => {
      const forged = { [brand]: true, status, code: 'MINE', message: 'secret', expose: true }
      expect(toFailure(forged)).toEqual(GENERIC)
    },
  )
})

describe('the response to an error made by http-errors', () => {
  it('has the status, message and headers of the error', () => {
    const given = createError(404, 'no such file', { headers: { 'X-A': '1' } })
    const expected = { ...GENERIC, status: 404, code: 'NOT_FOUND', headers: { 'X-A': '1' } }
    expect(toFailure(given)).toEqual({ ...expected, message: 'no such file' })
    given.expose = false
    expect(toFailure(given)).toEqual({ ...expected, message: 'Not Found' })
  })

  it('hides the message of the error if the status is 500 or higher', () => {
    const given = createError(503, 'secret')
    expect(toFailure(given)).toMatchObject({ status: 503, message: 'Service Unavailable' })
  })

  it('is a generic 500 response if the status is not an error status', () => {
    const given = createError(400, 'secret', { headers: { Location: '/' } })
    expect(toFailure(Object.assign(given, { status: 302, statusCode: 302 }))).toEqual(GENERIC)
  })

  it.each([
    ['two different statuses', { status: 404, statusCode: 403, expose: true }],
    ['no `expose`', { status: 404, statusCode: 404 }],
    ['an `expose` that is a string', { status: 404, statusCode: 404, expose: 'true' }],
    ['a status in a string', { status: '404', statusCode: '404', expose: true }],
  ])('does not use the status of an error with %s', (_, facts) => {
    expect(toFailure(error(facts))).toEqual(GENERIC)
  })

  it('does not use the status of an object that is not an error', () => {
    const facts = { status: 404, statusCode: 404, expose: true, message: 'secret' }
    expect(toFailure(facts)).toEqual(GENERIC)
  })
})

describe('the response to any other value', () => {
  it.each([
    ['an error', error({})],
    ['an error of an HTTP client', error({ status: 404 })],
    ['a string', 'secret'],
    ['null', null],
    ['nothing', undefined],
    ['a proxy', new Proxy(new Error('secret'), { get: trap, has: trap, getPrototypeOf: trap })],
    ['a getter that throws', Object.defineProperty(error({}), 'expose', { get: trap })],
  ])('is a generic 500 response: %s', (_, value) => {
    expect(toFailure(value)).toEqual(GENERIC)
    expect(statusOf(value)).toBe(500)
  })

  it('is a 503 response with Retry-After for an AppClosingError', () => {
    const headers = { 'Retry-After': '1' }
    expect(toFailure(new AppClosingError())).toMatchObject({ status: 503, headers })
    expect(String(new AppClosingError())).toBe('AppClosingError: The application is closing')
  })

  it('does not affect statusOf(), which returns the status of an HttpError', () => {
    expect(statusOf(new BadRequestError())).toBe(400)
    expect(HttpError.is(new Proxy({}, { has: trap }))).toBe(false)
  })
})

describe('isDecision()', () => {
  it.each([
    ['an HttpError with the status 500', new HttpError(500), true],
    ['an HttpError below 500', new HttpError(403), true],
    ['an error of http-errors below 500', createError(403), true],
    ['any other error', error({ status: 403 }), false],
    ['nothing', undefined, false],
  ])('recognizes whether a guard has decided: %s', (_, thrown, decided) => {
    expect(isDecision(thrown)).toBe(decided)
  })
})

describe('the response to an error from a middleware', () => {
  it.each([
    ['`status`', { status: 404 }, 404],
    ['`statusCode`', { statusCode: 404 }, 404],
    ['the first of two valid statuses', { status: 404, statusCode: 409 }, 404],
    ['the only valid status of two', { status: 200, statusCode: 409 }, 409],
    ['the lowest error status', { status: 400 }, 400],
    ['the highest error status', { status: 599 }, 599],
  ])('has the status of the error: %s', (_, facts, status) => {
    expect(toMiddlewareFailure(error(facts), 403).status).toBe(status)
  })

  it("shows the name of the status instead of the error's message", () => {
    const expected = { ...GENERIC, status: 404, code: 'NOT_FOUND', message: 'Not Found' }
    expect(toMiddlewareFailure(error({ status: 404, headers: { 'X-A': '1' } }), 200)).toEqual(
      expected,
    )
  })

  it.each([
    ['an error without a status', error({})],
    ['statuses that are not error statuses', error({ status: 399, statusCode: 600 })],
    ['a fraction', error({ status: 404.5 })],
    ['a string', error({ status: '404' })],
    ['an object', { status: 404 }],
    ['a response of another server', new Response(null, { status: 404 })],
    ['a getter that throws', Object.defineProperty(error({}), 'status', { get: trap })],
    ['nothing', undefined],
  ])('keeps the status that was set before if it is an error status: %s', (_, value) => {
    const statuses = [200, 302, 399, 400, 403, 599, 600].map(
      (status) => toMiddlewareFailure(value, status).status,
    )
    expect(statuses).toEqual([500, 500, 500, 400, 403, 599, 500])
  })
})
