import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import type { Conversion, Draft, Node, TypeName } from './conversion.js'
import { toPattern } from './pattern.js'

/**
 * The largest safe integer. Zod and other libraries add it as a bound. Because the schema's author did not set this
 * bound, the conversion drops it.
 */
export const SAFE: number = Number.MAX_SAFE_INTEGER
const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }

/** Converts `minLength` and the other keywords for strings. */
export function stringSchema(node: Node, path: string, { lose }: Conversion): OpenApiSchema {
  const { pattern, contentMediaType } = node
  const understood = typeof pattern === 'string' ? toPattern(pattern) : undefined
  if (typeof pattern === 'string' && understood === undefined) {
    lose(
      path,
      `The pattern ${pattern} is not in the document: it is not a Unicode regular expression.`,
    )
  }
  const schema: Draft = {}
  copyCount(schema, 'minLength', node)
  copyCount(schema, 'maxLength', node)
  if (understood !== undefined) schema.pattern = understood
  const format = formatOf(node)
  if (format !== undefined) schema.format = format
  const isTyped = format === 'binary' && typeof contentMediaType === 'string'
  if (isTyped) schema['x-content-media-type'] = contentMediaType
  return schema
}

/** Returns the format of a string: the schema's own format, or a format for the encoding of bytes. */
export function formatOf({ format, contentEncoding, secret }: Node): string | undefined {
  if (contentEncoding === 'base64') return 'byte'
  if (contentEncoding === 'binary') return 'binary'
  if (typeof format === 'string' && format !== '') return format
  // With this format, tools hide the value in an input field.
  return secret === true ? 'password' : undefined
}

/**
 * Converts `minimum` and the other keywords for numbers. In OpenAPI 3.0, `exclusiveMinimum` is a boolean beside
 * `minimum`. For integers, an inclusive bound is used instead, because it is also valid for tools that support only the
 * numeric form of later versions.
 */
export function numberSchema(node: Node, type: TypeName): OpenApiSchema {
  const { multipleOf, format } = node
  const isInteger = type === 'integer'
  const low = isInteger ? inclusiveLowest(lowest(node)) : lowest(node)
  const high = isInteger ? inclusiveHighest(highest(node)) : highest(node)
  const isInt32 = isInteger && low?.minimum === INT32.minimum && high?.maximum === INT32.maximum
  const schema: Draft = {}
  if (isInt32) schema.format = 'int32'
  else {
    if (typeof format === 'string' && format !== '') schema.format = format
    Object.assign(schema, low, high)
  }
  if (typeof multipleOf === 'number' && multipleOf > 0) schema.multipleOf = multipleOf
  return schema
}

type Bound = OpenApiSchema | undefined

/** Makes a lower bound inclusive. For integers, "more than 0" means "at least 1". */
function inclusiveLowest(low: Bound): Bound {
  return low?.exclusiveMinimum === true ? { minimum: Math.floor(low.minimum ?? 0) + 1 } : low
}

/** Makes an upper bound inclusive. For integers, "less than 5" means "at most 4". */
function inclusiveHighest(high: Bound): Bound {
  return high?.exclusiveMaximum === true ? { maximum: Math.ceil(high.maximum ?? 0) - 1 } : high
}

function lowest({ minimum, exclusiveMinimum }: Node): Bound {
  if (exclusiveMinimum === true && isBound(minimum)) return { minimum, exclusiveMinimum }
  if (isBound(exclusiveMinimum) && !(isBound(minimum) && minimum > exclusiveMinimum)) {
    return { minimum: exclusiveMinimum, exclusiveMinimum: true }
  }
  return isBound(minimum) && minimum !== -SAFE ? { minimum } : undefined
}

function highest({ maximum, exclusiveMaximum }: Node): Bound {
  if (exclusiveMaximum === true && isBound(maximum)) return { maximum, exclusiveMaximum }
  if (isBound(exclusiveMaximum) && !(isBound(maximum) && maximum < exclusiveMaximum)) {
    return { maximum: exclusiveMaximum, exclusiveMaximum: true }
  }
  return isBound(maximum) && maximum !== SAFE ? { maximum } : undefined
}

export function isBound(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

type Count = 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties'

/** Copies a length or a count if it is valid. A minimum of 0 is omitted, because it is not a limit. */
export function copyCount(schema: Draft, keyword: Count, node: Node): void {
  const value = node[keyword]
  const least = keyword.startsWith('min') ? 1 : 0
  if (Number.isInteger(value) && (value as number) >= least) schema[keyword] = value as number
}
