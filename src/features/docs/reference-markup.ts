import type {
  OpenApiDocument,
  OpenApiHeader,
  OpenApiMediaType,
  OpenApiOperation,
  OpenApiResponse,
  OpenApiSchema,
  Reference,
} from '../../contracts/openapi.js'
import { type Html, html } from './page-parts.js'

/** Schemas at deeper levels are shown as JSON, to limit the nesting of elements. */
const MOST_LEVELS = 12

/** The keywords that contain several schemas, each with the words that are shown before these schemas. */
const LISTS = { oneOf: 'one of', anyOf: 'any of', allOf: 'all of', prefixItems: 'item' } as const

/** The fields of schemas, parameters, bodies and responses that are rendered separately. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['$ref', 'type', 'format', 'nullable', 'items', 'properties', 'additionalProperties'],
  ...['description', 'required', 'deprecated', 'name', 'in', 'schema', 'itemSchema'],
  ...['x-item-schema', 'headers', 'content', ...Object.keys(LISTS)],
])

/** An operation with its method and path. */
export interface ListedOperation {
  readonly method: string
  readonly path: string
  readonly operation: OpenApiOperation
}

/** Returns the `id` attribute of a part of the page. Different names have different IDs. */
export function anchorOf(kind: string, name: string): string {
  return `${kind}-${name.replace(/[^\w.-]/g, (character) => `~${character.charCodeAt(0)}~`)}`
}

/** Returns the `id` attribute of an operation. */
export function anchorOfOperation({ method, path, operation }: ListedOperation): string {
  return anchorOf('operation', operation.operationId ?? `${method} ${path}`)
}

export function operationMarkup(listed: ListedOperation, document: OpenApiDocument): Html {
  const { operation } = listed
  const { summary, description, parameters = [], requestBody: body } = operation
  const anchor = anchorOfOperation(listed)
  const security = operation.security ?? document.security ?? []
  // The alternative security requirements. An empty one stands for a request without credentials.
  const needed = security.map((names) => Object.keys(names).join(' and ') || 'none').join(' or ')
  // In an object, numeric keys come before `2XX` and `default`. Sorting the keys as strings puts each range after its
  // statuses.
  const statuses = Object.entries(operation.responses).sort(([a], [b]) => (a < b ? -1 : 1))
  const fields = parameters.map(({ in: place, ...parameter }) => fieldOf(parameter, place))
  return html`<article class="operation" id="${anchor}">
<h3><a href="#${anchor}">${listed.method.toUpperCase()} <code>${listed.path}</code></a></h3>
${textMarkup(summary)}${description === summary ? null : textMarkup(description)}${
  operation.deprecated === true ? html`<p><em>deprecated</em></p>` : null
}${needed === '' ? null : html`<p>Credentials: ${needed}</p>`}
${fields.length === 0 ? null : html`<h4>Parameters</h4>${listMarkup(fields)}`}${
  body === undefined
    ? null
    : html`<h4>Body <em>${body.required === true ? 'required' : ''}</em></h4>${textMarkup(body.description)}${contentMarkup(body.content)}`
}<h4>Responses</h4>
${statuses.map(([status, response]) => statusMarkup(status, response))}</article>
`
}

/** Renders a parameter or a header. */
function fieldOf(
  field: OpenApiHeader & { readonly name: string; readonly deprecated?: boolean },
  place?: string,
): Html {
  const { name, schema, required, deprecated } = field
  const description = field.description === schema.description ? undefined : field.description
  const marks = [place, required === true && 'required', deprecated === true && 'deprecated']
  const more = html`${textMarkup(description)}${keywordsMarkup(field)}`
  return schemaField(html`<code>${name}</code>`, schema, { marks, more })
}

function statusMarkup(status: string, response: OpenApiResponse | Reference): Html {
  if ('$ref' in response) {
    return html`<p><code>${status}</code> ${referenceMarkup(response.$ref)}</p>\n`
  }
  return html`<details><summary><code>${status}</code> ${response.description}</summary>${responseMarkup(response)}</details>\n`
}

/** Renders a response without its description. */
export function responseMarkup(response: OpenApiResponse): Html {
  const headers = Object.entries(response.headers ?? {}).map(([name, header]) =>
    '$ref' in header
      ? html`<li><code>${name}</code> ${referenceMarkup(header.$ref)}</li>`
      : fieldOf({ ...header, name }),
  )
  return html`${keywordsMarkup(response)}${
    headers.length === 0 ? null : html`<p>Headers</p>${listMarkup(headers)}`
  }${contentMarkup(response.content ?? {})}`
}

function contentMarkup(content: Readonly<Record<string, OpenApiMediaType>>): Html {
  const parts = Object.entries(content).map(([type, media]) => {
    const { schema, itemSchema: item = media['x-item-schema'] } = media
    const items = item === undefined ? [] : [schemaField(html`each item`, item)]
    return html`<p><code>${type}</code></p>${schemaMarkup(schema)}${listMarkup(items)}${keywordsMarkup(media)}`
  })
  return html`${parts}`
}

/** Renders a schema with its type. */
export function schemaMarkup(schema: OpenApiSchema): Html {
  return html`<p class="type">${typeMarkup(schema)}</p>${detailsMarkup(schema)}`
}

/** Renders a reference as a link to the component. */
function referenceMarkup($ref: string): Html {
  const [, , kind = '', ...rest] = $ref.split('/')
  const name = rest.join('/').replaceAll('~1', '/').replaceAll('~0', '~')
  return html`<a href="#${anchorOf(kind, name)}">${name}</a>`
}

/** Renders the type of a schema in one line: `array of User`, `string · uuid`, `string or null`. */
function typeMarkup(schema: OpenApiSchema, level = 1): Html {
  const { $ref, type, format, nullable, items } = schema
  if ($ref !== undefined) return referenceMarkup($ref)
  const isAny = ['enum', 'const', ...Object.keys(LISTS)].every((keyword) => !(keyword in schema))
  const name = [type ?? (isAny ? 'any' : [])].flat().join(' or ')
  const isList = isSchema(items) && level < MOST_LEVELS
  return html`${name}${isList ? html` of ${typeMarkup(items, level + 1)}` : null}${
    format === undefined ? null : ` · ${format}`
  }${nullable === true ? ' or null' : null}`
}

/** Renders a schema without its type: description, keywords and members. */
function detailsMarkup(schema: OpenApiSchema, level = 1): Html {
  if (level > MOST_LEVELS) return html`<p><code>${JSON.stringify(schema)}</code></p>`
  const { properties = {}, additionalProperties: others, items } = schema
  const required = new Set(schema.required)
  const members = [
    ...Object.entries(properties).map(([name, each]) => {
      const marks = [required.has(name) && 'required']
      return schemaField(html`<code>${name}</code>`, each, { marks, level })
    }),
    ...(isSchema(others) ? [schemaField(html`any other name`, others, { level })] : []),
    ...Object.entries(LISTS).flatMap(([keyword, word]) =>
      (schema[keyword as keyof typeof LISTS] ?? []).map((each) =>
        schemaField(html`${word}`, each, { level }),
      ),
    ),
  ]
  return html`${textMarkup(schema.description)}${keywordsMarkup(schema)}${listMarkup(members)}${
    isSchema(items) ? detailsMarkup(items, level + 1) : null
  }`
}

interface Line {
  /** Additional marks on the line, such as `required`. */
  readonly marks?: readonly (string | false | undefined)[]
  /** The content below the line. */
  readonly more?: Html
  /** The number of enclosing schemas. Default: 0. */
  readonly level?: number
}

/** Renders a line with a name and a type, and the rest of the schema below it. */
function schemaField(head: Html, schema: OpenApiSchema, line: Line = {}): Html {
  const { marks = [], more = null, level = 0 } = line
  if (!isSchema(schema)) return html`<li>${head} ${String(schema)}</li>`
  const all = [...marks, schema.deprecated === true && 'deprecated'].filter(Boolean).join(', ')
  return html`<li>${head} <span class="type">${typeMarkup(schema)}</span> <em>${all}</em>${more}${detailsMarkup(schema, level + 1)}</li>`
}

/** Renders a list, unless it is empty. */
export function listMarkup(entries: readonly Html[]): Html | null {
  return entries.length === 0 ? null : html`<ul>${entries}</ul>`
}

/** Renders text from the document. Escapes markup and keeps line breaks. */
export function textMarkup(text = ''): Html | null {
  return text === '' ? null : html`<p>${text}</p>`
}

/**
 * Renders fields as `name value`. A field in `shown` is rendered only if it is `false`, because that value is not shown
 * elsewhere.
 */
export function keywordsMarkup(fields: object, shown: ReadonlySet<string> = SHOWN): Html | null {
  const rows = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined || (shown.has(name) && value !== false)) return []
    const text =
      typeof value === 'string' ? value : JSON.stringify(value, null, isSchema(value) ? 2 : 0)
    return [html`<div><dt>${name}</dt><dd><code>${text}</code></dd></div>`]
  })
  return rows.length === 0 ? null : html`<dl>${rows}</dl>`
}

/** Whether a value is an object. A schema may also be `true` or `false`. */
function isSchema(value: unknown): value is OpenApiSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
