import {
  ForbiddenError,
  HttpError,
  MethodNotAllowedError,
  NotFoundError,
  TooManyRequestsError,
  UnauthorizedError,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { type ErrorCode, HTTP_CODES } from '../../src/errors/codes.js'
import { refuse } from '../../src/errors/refuse.js'

const CODES = Object.keys(HTTP_CODES) as ErrorCode[]

describe('refuse()', () => {
  it.each(CODES)('creates an HTTP error with the code %s and its status', (code) => {
    const headers = { 'x-why': 'test' }
    const cause = new Error('below')
    const error = refuse(code, 'A message', { headers, cause })
    expect(HttpError.is(error)).toBe(true)
    expect(error).toMatchObject({ code, status: HTTP_CODES[code], message: 'A message', headers })
    expect(error.cause).toBe(cause)
  })

  it.each([
    ['UNAUTHORIZED', UnauthorizedError],
    ['FORBIDDEN', ForbiddenError],
    ['NOT_FOUND', NotFoundError],
    ['METHOD_NOT_ALLOWED', MethodNotAllowedError],
    ['TOO_MANY_REQUESTS', TooManyRequestsError],
  ] as const)(
    'uses the class for the status of %s, and the default message of this class',
    (code, Class) => {
      const error = refuse(code)
      expect(error.constructor).toBe(Class)
      expect(error.message).toBe(new Class().message)
    },
  )

  it('creates an error with only the first line of its stack', () => {
    expect(refuse('NOT_FOUND', 'Nothing').stack).toBe('NotFoundError: Nothing')
    expect(refuse('MALFORMED_URL', 'Odd').stack).toBe('HttpError: Odd')
  })

  it('creates a stack that starts at the call if `stack` is true', () => {
    function inTheProgram() {
      return refuse('TENANT_REQUIRED', 'Whose?', { stack: true })
    }
    const [first, second] = inTheProgram().stack?.split('\n') ?? []
    expect(first).toMatch(/Whose\?$/)
    expect(second).toContain('inTheProgram')
  })
})
