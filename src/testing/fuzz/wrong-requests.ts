import type { OpenApiParameter } from '../../contracts/openapi.js'
import { type Accepts, bodySchemaOf, type CaseSource } from './case-source.js'
import { MALFORMED_BODIES } from './hostile-values.js'
import type { RequestParts, WireRequest } from './wire-request.js'
import { boundsOf, changesOf } from './wrong-values.js'

/** A request that the document forbids, and the reason. */
export interface WrongRequest {
  readonly what: string
  readonly request: WireRequest
}

/** Lists the requests that differ from a valid one in one place, such that the document forbids them. */
export function wrongRequests(source: CaseSource, parts: RequestParts): WrongRequest[] {
  const { parameters = [] } = source.documented.operation
  return [
    ...parameters.flatMap((parameter) => wrongParameters(source, parts, parameter)),
    ...wrongBodies(source, parts),
  ]
}

function wrongParameters(
  { accepts, write, documented }: CaseSource,
  parts: RequestParts,
  parameter: OpenApiParameter,
): WrongRequest[] {
  const { name, in: where, required = false, schema } = parameter
  const { lengths, numbers } = boundsOf(schema, documented.document.components.schemas ?? {})
  const texts = ['x', '-1', '0', '1.5', 'true', '', ...numbers.map(String)]
  // Longer texts may exceed the limits for the request line and the headers.
  texts.push(...lengths.filter((length) => length < 4000).map((length) => 'x'.repeat(length)))
  const wrong = texts
    .filter((text) => !(text === '' && where === 'path') && !isReadable(parameter, text, accepts))
    .map((text) => ({
      what: `${where} ${name}: ${JSON.stringify(text)}`,
      request: write(parts, { [where]: { [name]: text } }),
    }))
  if (!required || where === 'path') return wrong
  const missing = write(parts, { [where]: { [name]: null } })
  return [{ what: `${where} ${name}: missing`, request: missing }, ...wrong]
}

/**
 * Whether a text is valid in any reading: the document does not say how the texts of numbers and lists are
 * parsed.
 */
function isReadable({ schema }: OpenApiParameter, text: string, accepts: Accepts): boolean {
  const readings: unknown[] = [text, Number(text), ...(text === 'x' ? [] : [true, null])]
  return readings.some((value) => accepts(schema, value) || accepts(schema, [value]))
}

function wrongBodies({ accepts, write, documented }: CaseSource, parts: RequestParts) {
  const { requestBody } = documented.operation
  const schema = bodySchemaOf(documented)
  if (schema === undefined) return []
  const malformed = MALFORMED_BODIES.map((body) => ({
    what: `body: malformed ${body}`,
    request: write(parts, { body }),
  }))
  const missing = { what: 'body: missing', request: write(parts, { body: null }) }
  const absent = requestBody?.required === true ? [missing] : []
  if (parts.body === undefined) return [...absent, ...malformed]
  const bounds = boundsOf(schema, documented.document.components.schemas ?? {})
  const changed = changesOf(parts.body, bounds)
    .filter(({ value }) => !accepts(schema, value))
    .map(({ path, what, value }) => ({
      what: `body${path === '' ? '' : ` ${path}`}: ${what}`,
      request: write({ ...parts, body: value }),
    }))
  const typed = { what: 'content-type: text/plain', request: write(parts, { type: 'text/plain' }) }
  return [...absent, ...malformed, typed, ...changed]
}
