import type { ApiResponseOptions } from '../contracts/operation.js'

/** Statuses whose answers never have a body (RFC 9110, 15). */
export const isBodiless = (status: number): boolean =>
  status < 200 || [204, 205, 304].includes(status)

/** The framework's own media type, which has the envelope. */
export const isPlainJson = (type: string): boolean => /^application\/json\s*(?:;|$)/i.test(type)

/** A media type whose body is JSON, the framework's own or another (RFC 6839, 3.1). */
export const isJsonType = (type: string): boolean => /[/+]json\s*(?:;|$)/i.test(type)

/** What is said of the body of one status, if anything is. */
type Stated = Pick<ApiResponseOptions, 'status' | 'schema' | 'raw' | 'contentType'>

/** Whether an answer is documented without envelope by `raw` or `contentType`: what a handler returns is sent so, too. */
export function isStatedBare({ status, schema, raw, contentType }: Stated): boolean {
  if (isBodiless(status) || (status >= 400 && schema === undefined)) return false
  if (raw === true) return true
  return contentType !== undefined && (status >= 400 || !isPlainJson(contentType))
}
