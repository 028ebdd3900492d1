import type { OpenApiSchema } from '../contracts/openapi.js'
import { setOwn } from './set-own.js'

/**
 * @param name The name of the property that has the schema; `*` for items and additional properties; empty
 * for a part of the parent (`allOf`, `anyOf`, `oneOf`, `not`).
 */
type Change = (schema: OpenApiSchema, name: string) => OpenApiSchema

const LISTS = ['allOf', 'anyOf', 'oneOf'] as const
const SINGLES = ['items', 'not', 'additionalProperties'] as const

/**
 * Copies a schema and replaces each direct child schema with the result of `change`. Values (`enum`,
 * `example`, …) stay.
 */
export function mapChildren(schema: OpenApiSchema, change: Change): OpenApiSchema {
  const copy: Record<string, unknown> = { ...schema }
  for (const key of LISTS) {
    const list = schema[key]
    if (list !== undefined) copy[key] = list.map((child) => change(child, ''))
  }
  for (const key of SINGLES) {
    const child = schema[key]
    if (typeof child === 'object') copy[key] = change(child, key === 'not' ? '' : '*')
  }
  if (schema.properties !== undefined) {
    const changed: Record<string, OpenApiSchema> = {}
    for (const name of Object.keys(schema.properties)) {
      setOwn(changed, name, change(schema.properties[name] as OpenApiSchema, name))
    }
    copy['properties'] = changed
  }
  return copy
}

/**
 * Whether `is` returns true for a schema at any depth below this one. It copies nothing: the callers use it
 * to skip {@link mapChildren} for the many schemas that need no change.
 */
export function someBelow(schema: OpenApiSchema, is: Question): boolean {
  const { allOf, anyOf, oneOf, items, not, additionalProperties: others, properties } = schema
  if (allOf !== undefined && someOf(allOf, is)) return true
  if (anyOf !== undefined && someOf(anyOf, is)) return true
  if (oneOf !== undefined && someOf(oneOf, is)) return true
  if (items !== undefined && isOrHas(items, is)) return true
  if (not !== undefined && isOrHas(not, is)) return true
  if (typeof others === 'object' && isOrHas(others, is)) return true
  for (const name in properties) {
    if (isOrHas(properties[name] as OpenApiSchema, is)) return true
  }
  return false
}

type Question = (schema: OpenApiSchema) => boolean

function isOrHas(schema: OpenApiSchema, is: Question): boolean {
  return is(schema) || someBelow(schema, is)
}

function someOf(schemas: readonly OpenApiSchema[], is: Question): boolean {
  for (const schema of schemas) if (isOrHas(schema, is)) return true
  return false
}
