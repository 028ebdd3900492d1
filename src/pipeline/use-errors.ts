import type { BlazonRequest } from '../http/request.js'
import { kUseError } from '../http/symbol-fields.js'

/**
 * Notes the error of a middleware of `@Use`. Its status counts, as for errors of `middlewares`, while a handler may
 * throw an error with the status that another server sent.
 */
export function noteUseError(error: unknown, req: BlazonRequest): void {
  req[kUseError] = { error }
}

/** Whether a middleware of `@Use` has failed this request with this error. */
export function isUseError(error: unknown, req: BlazonRequest): boolean {
  const noted = req[kUseError]
  return noted !== undefined && noted.error === error
}
