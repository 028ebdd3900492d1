import type { OpenApiSchema } from '../contracts/openapi.js'
import { setOwn } from './set-own.js'

/** @param name The property that the schema is of; `*` for any property or item; empty where it is a part of its parent. */
type Change = (schema: OpenApiSchema, name: string) => OpenApiSchema

const LISTS = ['allOf', 'anyOf', 'oneOf'] as const
const SINGLES = ['items', 'not', 'additionalProperties'] as const

/** A copy of a schema in which `change` has replaced every schema directly below it; values (`enum`, `example`, …) stay. */
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

/** Whether a schema below this one, however deep, is as asked. Most schemas refer to nothing, and asking copies nothing. */
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
