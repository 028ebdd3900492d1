import type { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'

/** A form that breaks the rules of forms. Names that the client has made up are not repeated. */
export function malformed(problem: string): HttpError {
  return refuse('MALFORMED_BODY', `The form ${problem}`)
}

/** A part that the form may not have, or not so often. */
export function invalidPart(status: number, path: string, message: string): HttpError {
  return refuse('VALIDATION_FAILED', 'Validation failed', {
    status,
    errors: [{ in: 'body', path, message }],
  })
}

export function fileTooLarge(path: string, bytes: number): HttpError {
  const message = `must be at most ${bytes} bytes`
  return refuse('PAYLOAD_TOO_LARGE', 'A file is too large', {
    errors: [{ in: 'body', path, message }],
  })
}

export function tooLarge(what: string, bytes: number): HttpError {
  return refuse('PAYLOAD_TOO_LARGE', `${what} larger than ${bytes} bytes`)
}

export function wrongType(path: string, types: readonly string[]): HttpError {
  const message = `must be a file of the type ${types.join(', ')}`
  return refuse('UNSUPPORTED_MEDIA_TYPE', 'A file has a type that is not accepted', {
    errors: [{ in: 'body', path, message }],
  })
}
