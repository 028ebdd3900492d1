import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { resolveSchema } from './resolve-reference.js'

const STRINGS: Readonly<Record<string, string>> = {
  'date-time': '2030-01-31T12:00:00Z',
  date: '2030-01-31',
  time: '12:00:00Z',
  email: 'name@example.com',
  uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'Ynl0ZXM=',
  binary: 'bytes',
}

/**
 * The most schemas in one sample. Ten schemas that all refer to each other have millions of paths through
 * them, and a reader needs one screen at most.
 */
const MAX_SCHEMAS = 300

/** Returns a sample of a schema: its example, its default, or the simplest value of its type. */
export function sampleValue(schema: OpenApiSchema, document: OpenApiDocument): unknown {
  return sample(schema, { document, outer: [], budget: { left: MAX_SCHEMAS } })
}

interface Context {
  readonly document: OpenApiDocument
  /**
   * The schemas around the current one. If a schema contains itself, its sample ends at the second
   * occurrence.
   */
  readonly outer: readonly OpenApiSchema[]
  /** How many more schemas the sample may contain. */
  readonly budget: { left: number }
}

/** Returns `undefined` if the schema is inside itself, does not exist, or exceeds the budget. */
function sample(schema: OpenApiSchema, { document, outer, budget }: Context): unknown {
  const resolved = resolveSchema(schema, document)
  if (resolved === null || outer.includes(resolved) || budget.left <= 0) return undefined
  budget.left -= 1
  const given = resolved.example ?? resolved.default ?? resolved.enum?.[0]
  if (given !== undefined) return given
  const context = { document, outer: [...outer, resolved], budget }
  const choice = resolved.oneOf?.[0] ?? resolved.anyOf?.[0]
  if (choice !== undefined) return sample(choice, context)
  return resolved.allOf === undefined
    ? sampleOfType(resolved, context)
    : sampleOfAll(resolved, context)
}

function sampleOfAll({ allOf = [], ...own }: OpenApiSchema, context: Context): unknown {
  const members = own.properties === undefined ? allOf : [...allOf, own]
  const parts = members.map((part) => sample(part, context))
  const objects = parts.filter((part) => typeof part === 'object' && part !== null)
  return objects.length > 0 ? Object.assign({}, ...objects) : parts[0]
}

function sampleOfType(schema: OpenApiSchema, context: Context): unknown {
  switch (schema.type) {
    case 'string':
      return sampleString(schema)
    case 'integer':
    case 'number':
      return sampleNumber(schema)
    case 'boolean':
      return true
    case 'array':
      return sampleArray(schema, context)
    default:
      return sampleObject(schema, context)
  }
}

function sampleArray({ items, prefixItems }: OpenApiSchema, context: Context): unknown {
  if (prefixItems !== undefined) return prefixItems.map((place) => sample(place, context) ?? null)
  const item = items === undefined ? undefined : sample(items, context)
  return item === undefined ? [] : [item]
}

function sampleObject({ properties = {} }: OpenApiSchema, context: Context): unknown {
  const writable = Object.entries(properties).filter(([, { readOnly }]) => readOnly !== true)
  return Object.fromEntries(writable.map(([name, property]) => [name, sample(property, context)]))
}

function sampleString({ format = '', minLength = 0, maxLength }: OpenApiSchema): string {
  const text = STRINGS[format] ?? 'text'
  return text.padEnd(Math.min(minLength, 64), 'x').slice(0, maxLength)
}

function sampleNumber(schema: OpenApiSchema): number {
  const { minimum, maximum, multipleOf: step } = schema
  const low = minimum !== undefined && schema.exclusiveMinimum ? minimum + (step ?? 1) : minimum
  const start = low ?? Math.min(step ?? 1, maximum ?? Number.POSITIVE_INFINITY)
  return step === undefined ? start : Math.ceil(start / step) * step
}
