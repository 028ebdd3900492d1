import type { OpenApiSchema } from '../contracts/openapi.js'

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
    // `fromEntries` defines, so that a property called `__proto__` stays a property.
    copy['properties'] = Object.fromEntries(
      Object.entries(schema.properties).map(([name, child]) => [name, change(child, name)]),
    )
  }
  return copy
}

/** Whether a schema below this one, however deep, is as asked. Most schemas refer to nothing, and asking copies nothing. */
export function someBelow(schema: OpenApiSchema, is: (schema: OpenApiSchema) => boolean): boolean {
  const isSo = (child: OpenApiSchema) => is(child) || someBelow(child, is)
  for (const key of LISTS) if (schema[key]?.some(isSo)) return true
  for (const key of SINGLES) {
    const child = schema[key]
    if (typeof child === 'object' && isSo(child)) return true
  }
  return schema.properties !== undefined && Object.values(schema.properties).some(isSo)
}
