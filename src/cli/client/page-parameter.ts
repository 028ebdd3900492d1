import type { OpenApiDocument } from '../../contracts/openapi-3-0.js'
import { type ClientOperation, isJson, preferredContent } from './client-operation.js'
import { propertiesOf } from './schema-properties.js'

/** The query parameter that receives the `next` of a page. */
export type PageParameter = 'cursor' | 'page'

/**
 * The query parameter with which an operation continues after a page; `null` for an operation without pages. A page is an
 * object with the list `items` and the field `next`: a cursor, or the number of a page.
 */
export function pageParameter(
  { method, parameters, responses }: ClientOperation,
  document: OpenApiDocument,
): PageParameter | null {
  const found = responses.find(({ status }) => status === '200')
  const { content = {} } = found?.response ?? {}
  if (method !== 'GET' || found === undefined || Object.keys(content).length === 0) return null
  const [type, { schema }] = preferredContent(content)
  if (!isJson(type)) return null
  const whole = propertiesOf(schema, document)
  const { items, next } = found.isEnveloped ? propertiesOf(whole['data'] ?? {}, document) : whole
  if (items?.type !== 'array' || next === undefined) return null
  const has = (name: string, format?: string) =>
    parameters.some(
      (each) => each.in === 'query' && each.name === name && each.schema.format === format,
    )
  if (next.type === 'string' && has('cursor', 'cursor')) return 'cursor'
  return next.type === 'integer' && has('page') ? 'page' : null
}
