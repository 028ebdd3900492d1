import type { OpenApiSchema } from '../../contracts/openapi.js'
import type { Conversion, Node, TypeName } from './conversion.js'
import { toPattern } from './pattern.js'

/** Zod and others write the range of exact integers, which no client ever leaves. */
const SAFE = Number.MAX_SAFE_INTEGER
const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }

/** `minLength` and the other keywords of text. */
export function stringSchema(node: Node, path: string, { lose }: Conversion): OpenApiSchema {
  const { pattern, contentMediaType } = node
  const understood = typeof pattern === 'string' ? toPattern(pattern) : undefined
  if (typeof pattern === 'string' && understood === undefined) {
    lose(path, `The pattern ${pattern} is not in the document: it is not a Unicode expression.`)
  }
  const format = formatOf(node)
  return {
    ...count('minLength', node),
    ...count('maxLength', node),
    ...(understood !== undefined && { pattern: understood }),
    ...(format !== undefined && { format }),
    ...(format === 'binary' &&
      typeof contentMediaType === 'string' && { 'x-content-media-type': contentMediaType }),
  }
}

function formatOf({ format, contentEncoding }: Node): string | undefined {
  if (contentEncoding === 'base64') return 'byte'
  if (contentEncoding === 'binary') return 'binary'
  return typeof format === 'string' && format !== '' ? format : undefined
}

/**
 * `minimum` and the other keywords of numbers; in this dialect, `exclusiveMinimum` is a flag beside `minimum`. Integers
 * do without: readers that know only the number of later versions take their bounds too.
 */
export function numberSchema(node: Node, type: TypeName): OpenApiSchema {
  const { multipleOf, format } = node
  const [low, high] =
    type === 'integer' ? inclusive(lowest(node), highest(node)) : [lowest(node), highest(node)]
  const isInt32 =
    type === 'integer' && low?.minimum === INT32.minimum && high?.maximum === INT32.maximum
  return {
    ...(isInt32 ? { format: 'int32' } : typeof format === 'string' && format !== '' && { format }),
    ...(!isInt32 && { ...low, ...high }),
    ...(typeof multipleOf === 'number' && multipleOf > 0 && { multipleOf }),
  }
}

type Bound = OpenApiSchema | undefined

/** Above 0 is from 1 on, and below 5 is up to 4, for integers. */
function inclusive(low: Bound, high: Bound): [Bound, Bound] {
  return [
    low?.exclusiveMinimum === true ? { minimum: Math.floor(low.minimum ?? 0) + 1 } : low,
    high?.exclusiveMaximum === true ? { maximum: Math.ceil(high.maximum ?? 0) - 1 } : high,
  ]
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

function isBound(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** A keyword that counts, unless it says nothing. */
export function count(keyword: string, node: Node): OpenApiSchema {
  const value = node[keyword]
  const says = Number.isInteger(value) && (value as number) >= (keyword.startsWith('min') ? 1 : 0)
  return says ? { [keyword]: value } : {}
}
