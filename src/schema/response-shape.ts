import type { ApiResponseOptions } from '../contracts/operation.js'

/** Whether responses with this status never have a body (RFC 9110, section 15). */
export const isBodiless = (status: number): boolean =>
  status < 200 || [204, 205, 304].includes(status)

/** Whether this is `application/json`, whose bodies have the framework's envelope. */
export const isPlainJson = (type: string): boolean => /^application\/json\s*(?:;|$)/i.test(type)

/**
 * Whether bodies of this media type are JSON: `application/json` or a type with the suffix `+json` (RFC 6839,
 * section 3.1).
 */
export const isJsonType = (type: string): boolean => /[/+]json\s*(?:;|$)/i.test(type)

/** The options that describe the body of one status. */
type Stated = Pick<ApiResponseOptions, 'status' | 'schema' | 'raw' | 'contentType'>

/**
 * Whether `raw` or `contentType` documents a response without the envelope. The framework then also sends the
 * handler's value without the envelope.
 */
export function isSentWithoutEnvelope({ status, schema, raw, contentType }: Stated): boolean {
  if (isBodiless(status) || (status >= 400 && schema === undefined)) return false
  if (raw === true) return true
  return contentType !== undefined && (status >= 400 || !isPlainJson(contentType))
}

/** Whether a schema already describes a whole envelope. */
export function isEnvelope({ properties }: { readonly properties?: unknown }): boolean {
  const names = ['statusCode', 'status', 'message']
  return names.every((name) => Object.hasOwn((properties ?? {}) as object, name))
}
