import type {
  OpenApiSchema as AnySchema,
  OpenApiDocument,
  OpenApiParameter,
} from '../../contracts/openapi.js'
import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { lowerDocument, lowerSchema } from '../../schema/dialect/rewrite-schema.js'
import { componentName } from '../../schema/openapi-to-json.js'
import { type BodyType, otherType } from './body-types.js'
import { type CaseSource, isReadable } from './case-source.js'
import { MALFORMED_BODIES } from './hostile-values.js'
import type { RequestParts, WrongRequest } from './wire-request.js'
import { wrongForms } from './wrong-forms.js'

/** Lists the requests that differ from a valid request in one place, so that the document forbids them. */
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
  // With another version, or without a version, a request can be valid.
  if (where === 'header' && Object.hasOwn(documented.headers, name.toLowerCase())) return []
  const { lengths, numbers } = boundsOf(schema, documented.document)
  const texts = ['x', '-1', '0', '1.5', 'true', '', ...numbers.map(String)]
  // Longer strings can exceed the limits for the request line and the headers.
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
    // The strings of a form can be parsed as other types, so only a missing field is certainly invalid.
    if (kind === 'form') return what === 'missing'
    return kind === 'json' || typeof value === 'string'
  }
  return changes.filter(isWrong).map(({ path, what, value }) => ({
    what: `body${path === '' ? '' : ` ${path}`}: ${what}`,
    request: write({ ...parts, body: value }),
  }))
}

/** A value with one change. */
interface Change {
  /** The path: `lines.0.sku`. */
  readonly path: string
  /** The change: `missing`, or the new value as JSON. */
  readonly what: string
  readonly value: unknown
}

/** The maximum length of strings and lists. Longer values would not test more. */
const LONGEST = 10_000
const SAMPLES: readonly unknown[] = ['x', '', -1, 0, 1.5, true, null, [], {}, ['x'], { x: 1 }]
/** The maximum number of characters of a value in a message. */
const SHOWN = 60

/** Lists values that differ from this value in one place, in ways that schemas distinguish. */
function changesOf(value: unknown, bounds: Bounds, path = ''): Change[] {
  const inside = Array.isArray(value)
    ? changesInArray(value, bounds, path)
    : typeof value === 'object' && value !== null
      ? changesInObject(value as Record<string, unknown>, bounds, path)
      : []
  return [...inside, ...replacementsOf(value, bounds).map((other) => changed(path, other))]
}

function changed(path: string, value: unknown): Change {
  const text = JSON.stringify(value)
  return { path, what: text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text, value }
}

function changesInObject(object: Record<string, unknown>, bounds: Bounds, path: string): Change[] {
  const at = (key: string) => (path === '' ? key : `${path}.${key}`)
  const entries = Object.entries(object)
  const missing = entries.map(([key]) => {
    const value = Object.fromEntries(entries.filter(([other]) => other !== key))
    return { path: at(key), what: 'missing', value }
  })
  const within = entries.flatMap(([key, child]) =>
    changesOf(child, bounds, at(key)).map((change) => ({
      ...change,
      value: { ...object, [key]: change.value },
    })),
  )
  const extra = { path: at('unexpected'), what: '"x"', value: { ...object, unexpected: 'x' } }
  return [...missing, ...within, extra]
}

function changesInArray(list: readonly unknown[], bounds: Bounds, path: string): Change[] {
  const at = (index: number) => (path === '' ? String(index) : `${path}.${index}`)
  return list.flatMap((child, index) =>
    changesOf(child, bounds, at(index)).map((change) => ({
      ...change,
      value: list.map((item, n) => (n === index ? change.value : item)),
    })),
  )
}

function replacementsOf(value: unknown, { lengths, numbers }: Bounds): unknown[] {
  if (typeof value === 'string') {
    return [...SAMPLES, ...lengths.map((length) => 'x'.repeat(length))]
  }
  if (typeof value === 'number') return [...SAMPLES, ...numbers]
  if (!Array.isArray(value) || value.length === 0) return [...SAMPLES]
  const lists = lengths.map((length) => Array.from({ length }, (_, n) => value[n % value.length]))
  return [...SAMPLES, ...lists]
}

/** Lengths and numbers next to the limits of a schema. */
interface Bounds {
  readonly lengths: readonly number[]
  readonly numbers: readonly number[]
}

/** Collects the limits of a schema and of the schemas in it. */
function boundsOf(schema: AnySchema, document: OpenApiDocument): Bounds {
  const { schemas: components = {} } = lowerDocument(document).components
  const lengths = new Set<number>()
  const numbers = new Set<number>()
  const seen = new Set<unknown>()
  const visit = (node: OpenApiSchema | undefined): void => {
    if (node === undefined || seen.has(node)) return
    seen.add(node)
    if (node.$ref !== undefined) return visit(components[componentName(node.$ref)])
    for (const limit of [node.minLength, node.maxLength, node.minItems, node.maxItems]) {
      if (limit === undefined) continue
      for (const length of [limit - 1, limit + 1]) lengths.add(length)
    }
    for (const limit of [node.minimum, node.maximum]) {
      if (limit === undefined) continue
      for (const number of [limit - 1, limit, limit + 1]) numbers.add(number)
    }
    for (const child of childrenOf(node)) visit(child)
  }
  visit(lowerSchema(schema, document))
  const usable = [...lengths].filter((length) => length >= 0 && length <= LONGEST)
  return { lengths: usable, numbers: [...numbers] }
}

function childrenOf(schema: OpenApiSchema): (OpenApiSchema | undefined)[] {
  const { items, properties = {}, additionalProperties: rest } = schema
  const { allOf = [], anyOf = [], oneOf = [] } = schema
  const other = typeof rest === 'object' ? rest : undefined
  return [items, other, ...Object.values(properties), ...allOf, ...anyOf, ...oneOf]
}
