import type { DescribedSchema, OpenApiSchema } from '../../contracts/openapi-3-0.js'

/** Deeper objects are written as `object`. */
const MAX_DEPTH = 3

/**
 * Writes a schema of the document in one line: `{ id: integer, tags?: string[] }`. A named schema is written with its
 * name: `User { id: integer }`, and schemas inside it with their names only.
 */
export function shortSchema({ schema, definitions }: DescribedSchema): string {
  const named = definitions.find(({ name }) => schema.$ref === `${COMPONENT}${name}`)
  if (named === undefined) return write(schema, 0)
  const body = write(named.schema, 0)
  return named.isNamed ? `${named.name} ${body}` : body
}

const COMPONENT = '#/components/schemas/'

function write(schema: OpenApiSchema, depth: number): string {
  const text = withoutNull(schema, depth)
  return schema.nullable === true ? `${text} | null` : text
}

function withoutNull(schema: OpenApiSchema, depth: number): string {
  const { $ref: ref, enum: values, allOf, oneOf, anyOf, type, format } = schema
  if (ref !== undefined) return nameOf(ref)
  if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(' | ')
  if (allOf !== undefined) return joined(allOf, ' & ', depth)
  const choices = oneOf ?? anyOf
  if (choices !== undefined) return joined(choices, ' | ', depth)
  if (type === 'array') return listOf(write(schema.items ?? {}, depth))
  if (type === 'object' || schema.properties !== undefined) return objectOf(schema, depth)
  if (type === undefined) return 'any'
  return format === undefined ? type : `${type} (${format})`
}

function nameOf(ref: string): string {
  return ref.slice(COMPONENT.length)
}

function joined(parts: readonly OpenApiSchema[], operator: string, depth: number): string {
  return [...new Set(parts.map((part) => write(part, depth)))].join(operator)
}

function listOf(item: string): string {
  return /^[\w{].*[\w}]$/.test(item) && !/ [|&] /.test(item) ? `${item}[]` : `(${item})[]`
}

function objectOf(schema: OpenApiSchema, depth: number): string {
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0 || depth >= MAX_DEPTH) return 'object'
  const fields = properties.map(([name, property]) => {
    const mark = schema.required?.includes(name) === true ? '' : '?'
    return `${name}${mark}: ${write(property, depth + 1)}`
  })
  return `{ ${fields.join(', ')} }`
}
