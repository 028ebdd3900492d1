import {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  HttpError,
  InternalServerError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  PreconditionFailedError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  UnprocessableEntityError,
  UnsupportedMediaTypeError,
} from 'blazon'
import { afterEach, describe, expect, it } from 'vitest'
import { toFailure } from '../../src/errors/failure.js'
import { httpErrorOf } from '../../src/errors/http-error.js'
import { refuse, withoutStack } from '../../src/errors/refuse.js'

describe('HttpError', () => {
  it.each([
    [BadRequestError, 400, 'BAD_REQUEST'],
    [UnauthorizedError, 401, 'UNAUTHORIZED'],
    [ForbiddenError, 403, 'FORBIDDEN'],
    [NotFoundError, 404, 'NOT_FOUND'],
    [MethodNotAllowedError, 405, 'METHOD_NOT_ALLOWED'],
    [ConflictError, 409, 'CONFLICT'],
    [PreconditionFailedError, 412, 'PRECONDITION_FAILED'],
    [PayloadTooLargeError, 413, 'PAYLOAD_TOO_LARGE'],
    [UnsupportedMediaTypeError, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [UnprocessableEntityError, 422, 'UNPROCESSABLE_ENTITY'],
    [TooManyRequestsError, 429, 'TOO_MANY_REQUESTS'],
    [InternalServerError, 500, 'INTERNAL_SERVER_ERROR'],
    [ServiceUnavailableError, 503, 'SERVICE_UNAVAILABLE'],
  ])('has the subclass %o with the status %i', (ErrorClass, status, code) => {
    const error = new ErrorClass()
    expect(error).toBeInstanceOf(HttpError)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ status, code, name: ErrorClass.name })
    expect(error.message.length).toBeGreaterThan(3)
  })

  it('has the passed code, errors, headers and cause', () => {
    const cause = new Error('the reason')
    const errors = [{ in: 'body', path: 'name', message: 'is taken' }] as const
    const options = { code: 'NAME_TAKEN', errors, headers: { 'X-A': '1' }, cause }
    expect(new ConflictError('taken', options)).toMatchObject({ message: 'taken', ...options })
    expect(new ConflictError('taken')).not.toHaveProperty('cause')
  })

  it.each([200, 399, 600, 404.5, Number.NaN])('refuses the status %d', (status) => {
    expect(() => new HttpError(status)).toThrow(RangeError)
    expect(() => new HttpError(status)).toThrow(`${status} is not an error status; use 400 to 599`)
  })

  it('is recognized by its brand, even if another copy of the package has created it', () => {
    const foreign = Object.assign(new Error('no'), { status: 403, code: 'X', expose: true })
    expect(HttpError.is(foreign)).toBe(false)
    Object.defineProperty(foreign, Symbol.for('blazon.HttpError'), { value: true })
    expect(HttpError.is(foreign)).toBe(true)
    expect(HttpError.is(new NotFoundError())).toBe(true)
    for (const value of [null, undefined, 'error', {}, { status: 404 }]) {
      expect(HttpError.is(value)).toBe(false)
    }
  })

  it('uses the name of the subclass as `name`', () => {
    class PaymentError extends HttpError {}
    expect(new PaymentError(402)).toMatchObject({ name: 'PaymentError', code: 'PAYMENT_REQUIRED' })
    expect(String(new PaymentError(402))).toBe('PaymentError: Payment Required')
  })

  it('keeps a name that a subclass assigns', () => {
    class CardError extends HttpError {
      constructor() {
        super(402)
        this.name = 'Card'
      }
    }
    class FieldError extends HttpError {
      override name = 'Field'
    }
    expect(String(new CardError())).toBe('Card: Payment Required')
    expect(new CardError()).toBeInstanceOf(HttpError)
    expect(String(new FieldError(402))).toBe('Field: Payment Required')
    expect(Object.keys(new CardError())).not.toContain('name')
    expect(String(new HttpError(402))).toBe('HttpError: Payment Required')
  })

  it('has a stack that starts where the error was created', () => {
    const [first, second] = new NotFoundError('none').stack?.split('\n') ?? []
    expect(first).toBe('NotFoundError: none')
    expect(second).toContain('http-error.test')
  })
})

describe('refuse', () => {
  const limit = Error.stackTraceLimit
  afterEach(() => {
    Object.defineProperty(Error, 'stackTraceLimit', { value: limit, writable: true })
  })

  it('creates an error whose stack is one line, and does not shorten other stacks', () => {
    Error.stackTraceLimit = 7
    const error = refuse('MALFORMED_JSON', 'The body is not valid JSON')
    expect(error).toMatchObject({ status: 400, code: 'MALFORMED_JSON' })
    expect(error.stack).toBe('HttpError: The body is not valid JSON')
    expect(Error.stackTraceLimit).toBe(7)
    expect(new Error('own').stack).toContain('http-error.test')
  })

  it('restores Error.stackTraceLimit even if the creation of the error throws', () => {
    const make = () => {
      throw new RangeError('no')
    }
    expect(() => withoutStack(make)).toThrow(RangeError)
    expect(Error.stackTraceLimit).toBe(limit)
  })

  it('creates an error even if the program has frozen Error.stackTraceLimit', () => {
    Object.defineProperty(Error, 'stackTraceLimit', { writable: false })
    const error = refuse('MALFORMED_JSON', 'The body is not valid JSON')
    expect(error).toMatchObject({ status: 400, code: 'MALFORMED_JSON' })
    expect(Error.stackTraceLimit).toBe(limit)
  })
})

describe('toFailure', () => {
  it('shows the message below status 500 unless `expose` is false, and from 500 on only if it is true', () => {
    expect(toFailure(new ConflictError('taken')).message).toBe('taken')
    expect(toFailure(new InternalServerError('SELECT 1')).message).toBe('Internal Server Error')
    const maintenance = new ServiceUnavailableError('Back at noon', { expose: true })
    expect(toFailure(maintenance).message).toBe('Back at noon')
    expect(toFailure(new NotFoundError('secret', { expose: false })).message).toBe('Not Found')
  })

  it('turns an object with the brand of HttpError and an invalid status into a 500 failure', () => {
    const forged = { [Symbol.for('blazon.HttpError')]: true, status: 200, message: 'fine' }
    expect(toFailure(forged).status).toBe(500)
  })
})

describe('httpErrorOf', () => {
  it('creates an error of the class for the status, or an HttpError if the status has no class', () => {
    const options = { code: 'MINE', headers: { 'X-A': '1' } }
    const conflict = httpErrorOf(409, 'taken', options)
    expect(conflict).toBeInstanceOf(ConflictError)
    expect(conflict).toMatchObject({ status: 409, message: 'taken', ...options })
    const other = httpErrorOf(402, 'declined', options)
    expect(other.constructor).toBe(HttpError)
    expect(other).toMatchObject({ status: 402, message: 'declined', ...options })
  })
})
