import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { type Html, html } from './html.js'
import { anchorOf } from './list-operations.js'
import { referenceName } from './resolve-reference.js'

/** Renders the type of a schema: `array of User`, `string · uuid`, `string or null`. */
export function typeMarkup(schema: OpenApiSchema): Html {
  const type = bareType(schema)
  return schema.nullable === true ? html`${type} or null` : type
}

/** Renders everything except the type: limits, description, properties, alternatives. */
export function schemaMarkup(schema: OpenApiSchema): Html {
  const { properties, items, additionalProperties: rest } = schema
  const required = new Set(schema.required)
  const fields = Object.entries(properties ?? {}).map(([name, property]) =>
    fieldMarkup({ name, schema: property, isRequired: required.has(name) }),
  )
  if (typeof rest === 'object') {
    fields.push(fieldMarkup({ name: '[any name]', schema: rest, isRequired: false }))
  }
  return html`${limitsMarkup(schema)}${paragraphs(schema.description)}${
    fields.length > 0 ? html`<ul class="fields">${fields}</ul>` : null
  }${hasMore(items) ? html`<div class="nested">${schemaMarkup(items)}</div>` : null}${variants(schema)}`
}

/** A property, parameter or header. */
export interface Field {
  readonly name: string
  readonly schema: OpenApiSchema
  readonly isRequired: boolean
  /** The location of a parameter: `path`, `query`, `header` or `cookie`. */
  readonly place?: string
  readonly description?: string | undefined
  readonly isDeprecated?: boolean
}

export function fieldMarkup(field: Field): Html {
  const { name, schema, place } = field
  const isDeprecated = field.isDeprecated === true || schema.deprecated === true
  return html`<li><div class="field"><code class="name">${name}</code> <span class="type">${typeMarkup(schema)}</span>${
    place === undefined ? null : html` <span class="mark">${place}</span>`
  }${field.isRequired ? html` <span class="mark required">required</span>` : null}${
    isDeprecated ? html` <span class="mark deprecated">deprecated</span>` : null
  }</div>${paragraphs(field.description)}${schemaMarkup(schema)}</li>`
}

/** Renders text from the document as paragraphs. Markup in it is escaped. */
export function paragraphs(text: string | undefined): Html {
  const parts = (text ?? '').split(/\n\s*\n/).map((part) => part.trim())
  return html`${parts.filter(Boolean).map((part) => html`<p>${part}</p>`)}`
}

function bareType(schema: OpenApiSchema): Html {
  if (schema.$ref !== undefined) {
    const name = referenceName({ $ref: schema.$ref })
    return html`<a href="#${anchorOf('schema', name)}">${name}</a>`
  }
  if (schema.type === 'array') {
    return schema.items === undefined ? html`array` : html`array of ${typeMarkup(schema.items)}`
  }
  const [label, members] = alternatives(schema)
  if (members.length > 0 && !members.some(hasMore)) {
    const joint = label === 'all of' ? ' and ' : ' or '
    return html`${members.map((member, i) => html`${i === 0 ? '' : joint}${typeMarkup(member)}`)}`
  }
  const type = schema.type ?? (members.length > 0 ? label : 'any')
  return schema.format === undefined ? html`${type}` : html`${type} · ${schema.format}`
}

function variants(schema: OpenApiSchema): Html | null {
  const [label, members] = alternatives(schema)
  if (!members.some(hasMore)) return null
  const rows = members.map(
    (member) =>
      html`<li><div class="field"><span class="type">${typeMarkup(member)}</span></div>${schemaMarkup(member)}</li>`,
  )
  // If the schema has no type of its own, {@link typeMarkup} already shows this label.
  const heading = schema.type === undefined ? null : html`<p class="label">${label}</p>`
  return html`<div class="variants">${heading}<ul class="fields">${rows}</ul></div>`
}

function alternatives({ oneOf, anyOf, allOf }: OpenApiSchema): [string, readonly OpenApiSchema[]] {
  if (oneOf !== undefined) return ['one of', oneOf]
  if (anyOf !== undefined) return ['any of', anyOf]
  return ['all of', allOf ?? []]
}

/**
 * Whether a schema has more details than {@link typeMarkup} shows. The details of a reference are shown in
 * its own section.
 */
function hasMore(schema: OpenApiSchema | undefined): schema is OpenApiSchema {
  if (schema === undefined || schema.$ref !== undefined) return false
  const { description, properties, additionalProperties: rest, items } = schema
  const isDescribed = description !== undefined || Object.keys(properties ?? {}).length > 0
  if (isDescribed || typeof rest === 'object' || limitsOf(schema).length > 0) return true
  return hasMore(items) || alternatives(schema)[1].some(hasMore)
}

function limitsMarkup(schema: OpenApiSchema): Html | null {
  const limits = limitsOf(schema).map(([label, value]) =>
    value === undefined ? html`<li>${label}</li>` : html`<li>${label} <code>${value}</code></li>`,
  )
  return limits.length === 0 ? null : html`<ul class="limits">${limits}</ul>`
}

type Limit = readonly [label: string, value?: string | undefined]

function limitsOf(schema: OpenApiSchema): Limit[] {
  const { minimum, maximum, multipleOf, pattern, enum: values } = schema
  const json = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value))
  const limits: readonly (Limit | false)[] = [
    values !== undefined && ['one of', values.map(json).join(', ')],
    minimum !== undefined && [schema.exclusiveMinimum ? 'more than' : 'at least', `${minimum}`],
    maximum !== undefined && [schema.exclusiveMaximum ? 'less than' : 'at most', `${maximum}`],
    multipleOf !== undefined && ['a multiple of', `${multipleOf}`],
    ...countLimit(schema.minLength, schema.maxLength, 'character'),
    ...countLimit(schema.minItems, schema.maxItems, 'item'),
    ...countLimit(schema.minProperties, schema.maxProperties, 'property'),
    schema.uniqueItems === true && ['all different'],
    pattern !== undefined && ['matches', pattern],
    schema.additionalProperties === false && ['no other properties'],
    schema.readOnly === true && ['read only'],
    schema.writeOnly === true && ['write only'],
    schema.default !== undefined && ['default', json(schema.default)],
    schema.example !== undefined && ['example', json(schema.example)],
  ]
  return limits.filter((limit) => limit !== false)
}

function countLimit(min: number | undefined, max: number | undefined, noun: string): Limit[] {
  const least = min === 0 ? undefined : min
  if (least === undefined && max === undefined) return []
  if (least === max) return [[`exactly ${count(max, noun)}`]]
  if (max === undefined) return [[`at least ${count(least, noun)}`]]
  return [[least === undefined ? `at most ${count(max, noun)}` : `${least} to ${count(max, noun)}`]]
}

function count(number = 0, noun: string): string {
  if (number === 1) return `1 ${noun}`
  return `${number} ${noun.replace(/y$/, 'ie')}s`
}
