import type { DescribedSchema, OpenApiSchema } from '../../contracts/openapi-3-0.js'

/** Deeper objects are written as `object`. */
const MAX_DEPTH = 3

/**
 * Writes a schema of the document in one line, with ranges and defaults:
 * `{ id: integer, limit?: integer (1 to 100) = 20, tags?: string[] }`. A named schema is written with its
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
  const whole = schema.nullable === true ? `${text} | null` : text
  return schema.default === undefined ? whole : `${whole} = ${JSON.stringify(schema.default)}`
}

function withoutNull(schema: OpenApiSchema, depth: number): string {
  const { $ref: ref, enum: values, allOf, oneOf, anyOf, type, format } = schema
  if (ref !== undefined) return nameOf(ref)
  if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(' | ')
  if (allOf !== undefined) return joined(allOf, ' & ', depth)
  const choices = oneOf ?? anyOf
  if (choices !== undefined) return joined(choices, ' | ', depth)
  if (type === 'array') {
    const { minItems, maxItems } = schema
    const list = listOf(write(schema.items ?? {}, depth))
    return detailed(list, [rangeOf(minItems, maxItems, 'items')])
  }
  if (type === 'object' || schema.properties !== undefined) return objectOf(schema, depth)
  if (type === undefined) return 'any'
  const { minLength, maxLength } = schema
  const length = rangeOf(minLength, maxLength, 'characters')
  return detailed(type, [format ?? '', length, numbersOf(schema)])
}

function detailed(text: string, details: readonly string[]): string {
  const shown = details.filter((each) => each !== '')
  return shown.length === 0 ? text : `${text} (${shown.join(', ')})`
}

/** The bounds of a number. Those of the type itself say nothing. */
function numbersOf({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
}: OpenApiSchema): string {
  const [min, max] = [minimum, maximum].map((bound) =>
    Math.abs(bound ?? Number.POSITIVE_INFINITY) < Number.MAX_SAFE_INTEGER ? bound : undefined,
  )
  const [above, below] = [exclusiveMinimum === true, exclusiveMaximum === true]
  if (!above && !below) return rangeOf(min, max)
  const bounds = [
    min === undefined ? '' : `${above ? 'above' : 'at least'} ${min}`,
    max === undefined ? '' : `${below ? 'below' : 'at most'} ${max}`,
  ]
  return bounds.filter((each) => each !== '').join(', ')
}

function rangeOf(min: number | undefined, max: number | undefined, unit = ''): string {
  const bounds =
    min !== undefined && max !== undefined
      ? `${min} to ${max}`
      : min !== undefined
        ? `at least ${min}`
        : max !== undefined
          ? `at most ${max}`
          : ''
  return bounds === '' || unit === '' ? bounds : `${bounds} ${unit}`
}

function nameOf(ref: string): string {
  return ref.slice(COMPONENT.length)
}

function joined(parts: readonly OpenApiSchema[], operator: string, depth: number): string {
  return [...new Set(parts.map((part) => write(part, depth)))].join(operator)
}

function listOf(item: string): string {
  return /^(?:\w+|\{.*\})$/.test(item) && !/ [|&=] /.test(item.replace(/\{.*\}/, ''))
    ? `${item}[]`
    : `(${item})[]`
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
