import type { OpenApiParameter } from '../../contracts/openapi.js'
import { type BodyType, otherType } from './body-types.js'
import { type CaseSource, isReadable } from './case-source.js'
import { MALFORMED_BODIES } from './hostile-values.js'
import type { RequestParts, WrongRequest } from './wire-request.js'
import { wrongForms } from './wrong-forms.js'
import { boundsOf, type Change, changesOf } from './wrong-values.js'

/** Lists the requests that differ from a valid request in one place, such that the document forbids them. */
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
  // With another version, or without one, a request may be right.
  if (where === 'header' && Object.hasOwn(documented.headers, name.toLowerCase())) return []
  const { lengths, numbers } = boundsOf(schema, documented.document)
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

function wrongBodies(source: CaseSource, parts: RequestParts): WrongRequest[] {
  const { write, documented, body } = source
  if (body === null) return []
  const malformed = MALFORMED[body.kind].map((text) => ({
    what: `body: malformed ${text}`,
    request: write(parts, { body: text }),
  }))
  const missing = { what: 'body: missing', request: write(parts, { body: null }) }
  const absent = documented.operation.requestBody?.required === true ? [missing] : []
  if (parts.body === undefined) return [...absent, ...malformed]
  const other = otherType(documented)
  const typed =
    other === undefined
      ? []
      : [{ what: `content-type: ${other}`, request: write(parts, { type: other }) }]
  if (body.parts !== null) return [...absent, ...typed, ...wrongForms(source, body.parts, parts)]
  return [...absent, ...malformed, ...typed, ...wrongValues(source, body, parts)]
}

const MALFORMED: Readonly<Record<BodyType['kind'], readonly string[]>> = {
  json: MALFORMED_BODIES,
  form: ['a=%ff', '__proto__=1', 'a[b][c][d][e][f][g]=1'],
  text: [],
  upload: [],
}

function wrongValues(
  { accepts, write, documented }: CaseSource,
  { kind, schema }: BodyType,
  parts: RequestParts,
): WrongRequest[] {
  const changes = changesOf(parts.body, boundsOf(schema, documented.document))
  const isWrong = ({ what, value }: Change): boolean => {
    if (accepts(schema, value)) return false
    // The texts of a form may be read as other types, so only a missing field is certainly wrong.
    if (kind === 'form') return what === 'missing'
    return kind === 'json' || typeof value === 'string'
  }
  return changes.filter(isWrong).map(({ path, what, value }) => ({
    what: `body${path === '' ? '' : ` ${path}`}: ${what}`,
    request: write({ ...parts, body: value }),
  }))
}
