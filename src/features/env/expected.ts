import type { Schema } from '../../contracts/schema.js'
import { toJsonSchema } from '../../schema/to-json-schema.js'

/** The description of a variable, as the schema library provides it. */
export interface Described {
  readonly description: string | undefined
  /** The default as a string; `undefined` if there is none. */
  readonly fallback: string | undefined
  /** The expected value, such as `a whole number, from 1 to 65535`; `undefined` if the schema does not describe it. */
  readonly expected: string | undefined
  /** Whether the variable is required; `undefined` if the schema does not describe it. */
  readonly isRequired: boolean | undefined
}

type Json = Readonly<Record<string, unknown>>

/**
 * Describes variables according to the JSON Schema of the whole object. The result does not depend on the environment's
 * values.
 */
export function describeVariables(schema: Schema): (name: string) => Described {
  const { properties, required } = described(schema)
  return (name) => {
    const json = own(properties, name)
    const fallback = json?.['default']
    return {
      description: textOf(json?.['description']),
      fallback: fallback === undefined ? undefined : shownDefault(fallback),
      expected: json && expectedOf(json),
      isRequired: json && (required?.includes(name) ?? false) && fallback === undefined,
    }
  }
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
}

function described(schema: Schema): ObjectSchema {
  try {
    return (toJsonSchema(schema, { side: 'input' }) ?? {}) as ObjectSchema
  } catch {
    // The library cannot describe one of the schemas.
    return {}
  }
}

function own(properties: ObjectSchema['properties'], name: string): Json | undefined {
  if (properties === undefined || !Object.hasOwn(properties, name)) return undefined
  const json: unknown = properties[name]
  return typeof json === 'object' && json !== null ? (json as Json) : undefined
}

/** Returns a schema's default as it would be written in the environment. */
function shownDefault(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function expectedOf(json: Json): string | undefined {
  const { type, anyOf } = json
  const values = json['const'] === undefined ? json['enum'] : [json['const']]
  if (Array.isArray(values)) return oneOf(values.map(shownDefault))
  if (Array.isArray(anyOf)) {
    const parts = anyOf.map(expectedOf)
    return parts.includes(undefined) ? undefined : oneOf(parts as string[])
  }
  if (type === 'string') return expectedText(json)
  if (type === 'integer') return `a whole number${range(json, 'minimum', 'maximum', '')}`
  if (type === 'number') return `a number${range(json, 'minimum', 'maximum', '')}`
  return type === 'boolean' ? '`true` or `false`' : undefined
}

function oneOf(texts: readonly string[]): string {
  const last = texts.at(-1) ?? 'nothing'
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} or ${last}`
}

function expectedText(json: Json): string {
  const format = textOf(json['format'])
  const pattern = format === undefined ? textOf(json['pattern']) : undefined
  return [
    'text',
    format && ` of the format ${format}`,
    range(json, 'minLength', 'maxLength', ' characters'),
    pattern && ` that matches /${pattern}/`,
  ]
    .filter(Boolean)
    .join('')
}

/** Describes a range. Omits limits that every safe integer satisfies. */
function range(json: Json, low: string, high: string, unit: string): string {
  const from = limitOf(json[low])
  const to = limitOf(json[high])
  if (from !== undefined && to !== undefined) return `, from ${from} to ${to}${unit}`
  if (from !== undefined) return `, at least ${from}${unit}`
  return to === undefined ? '' : `, at most ${to}${unit}`
}

function limitOf(limit: unknown): number | undefined {
  const isLimit = typeof limit === 'number' && Math.abs(limit) !== Number.MAX_SAFE_INTEGER
  return isLimit ? limit : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
