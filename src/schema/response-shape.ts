import type { ApiResponseOptions } from '../contracts/operation.js'
import type { RouteModel } from '../contracts/route-model.js'

/** Whether responses with this status never have a body (RFC 9110, section 15). */
export const isBodiless = (status: number): boolean =>
  status < 200 || [204, 205, 304].includes(status)

/** Whether a media type is `application/json`, whose bodies have the framework's envelope. */
export const isPlainJson = (type: string): boolean => /^application\/json\s*(?:;|$)/i.test(type)

/**
 * Whether bodies of this media type are JSON: `application/json` or a type with the suffix `+json` (RFC 6839,
 * section 3.1).
 */
export const isJsonType = (type: string): boolean => /[/+]json\s*(?:;|$)/i.test(type)

/** Removes the parameters of a media type, such as a charset. */
export const essenceOf = (type = ''): string =>
  (type.split(';', 1)[0] as string).trim().toLowerCase()

/** The properties of a route that determine how its success responses are sent. */
export type Wire = Pick<RouteModel, 'envelope' | 'headers'>

/** The options that describe the response body for one status. */
type Stated = Pick<ApiResponseOptions, 'status' | 'schema' | 'raw' | 'contentType'>

/** Returns the `Content-Type` of `@Header`; `undefined` if there is none. */
export function headerTypeOf({ headers }: Pick<Wire, 'headers'>): string | undefined {
  return headers?.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
}

/** Returns the media type of bodies in a route's envelope. */
export function envelopeTypeOf({ envelope }: Pick<Wire, 'envelope'>): string {
  return (typeof envelope === 'object' ? envelope.mediaType : undefined) ?? 'application/json'
}

/**
 * Whether a documented response is sent without an envelope. This applies to errors with their own schema, to success
 * responses with `raw` or with a media type other than the envelope's, and to all success responses of a route without
 * an envelope.
 */
export function isSentWithoutEnvelope(stated: Stated, wire: Wire): boolean {
  const { status, schema, raw, contentType } = stated
  if (isBodiless(status)) return false
  if (status >= 400) return schema !== undefined
  if (raw === true || wire.envelope === false) return true
  // If the media type comes from `@Header`, the schema describes the whole body.
  const type = contentType ?? (schema === undefined ? undefined : headerTypeOf(wire))
  return type !== undefined && essenceOf(type) !== essenceOf(envelopeTypeOf(wire))
}

/** Whether a schema already describes a whole envelope. */
export function isEnvelope({ properties }: { readonly properties?: unknown }): boolean {
  const names = ['statusCode', 'status', 'message']
  return names.every((name) => Object.hasOwn((properties ?? {}) as object, name))
}
