import type { SchemaConverters } from '../contracts/openapi.js'
import type { DescribedSchema, OpenApiSchema } from '../contracts/openapi-3-0.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import { type Problem, sharedProblem } from '../errors/config-error.js'
import { describeOnce } from '../schema/describe-schema.js'
import { readSchema } from '../schema/fields/read-schema.js'
import { isBodiless, isJsonType } from '../schema/response-shape.js'
import type { Settings } from './settings/settings.js'

/**
 * Warns about responses whose schema is missing or cannot be described. All their fields are sent, although `responses`
 * or `@ResponseFields` should limit or check the fields.
 */
export function checkResponseFields(
  { responses, converters }: Pick<Settings, 'responses' | 'converters'>,
  { routes }: AppModel,
): readonly Problem[] {
  const limited = routes.filter(
    ({ responseFields, method }) =>
      (responseFields ?? responses.fields) !== 'send' && method !== 'HEAD',
  )
  const bare = limited.filter((route) => route.stream === null && lacksSchema(route))
  return [
    ...sharedProblem(bare, UNDESCRIBED),
    ...limited.flatMap((route) => findOpen(route, converters)),
  ]
}

/** Whether a successful JSON response of the route can have a body without a schema. */
export function lacksSchema({ operation, status, redirect, headers }: RouteModel): boolean {
  const hasBody = (code: number) => code >= 200 && code < 300 && !isBodiless(code)
  const successes = operation.responses.filter((response) => hasBody(response.status))
  const type = headers?.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  const isJson = ({ contentType = type }: Pick<ApiResponseOptions, 'contentType'>) =>
    contentType === undefined || isJsonType(contentType)
  if (successes.some((response) => response.schema === undefined && isJson(response))) return true
  const isDescribed = operation.responses.some((response) => response.status < 400)
  const mayHaveBody = redirect === null && (status === null || hasBody(status)) && isJson({})
  return !isDescribed && mayHaveBody
}

const UNDESCRIBED = {
  code: 'W_RESPONSE_UNDESCRIBED',
  cause:
    'Its responses should contain only documented fields, but a successful response has no schema: all its fields are sent.',
  remedy:
    "Add @ApiResponseDoc({ status, description, schema }), or @ResponseFields('send') to send all fields.",
} as const

function findOpen(
  { name, operation: { responses }, stream }: RouteModel,
  converters: SchemaConverters,
): Problem[] {
  const items = stream === null ? [] : [{ status: 200, schema: stream.item }]
  return [...responses, ...items].flatMap(({ status, schema }) => {
    if (schema === undefined || isBodiless(status)) return []
    const label = schema === stream?.item ? 'items' : `@ApiResponseDoc(${status})`
    return readSchema(schema, converters).openPlaces.map(({ path, cause }): Problem => {
      const place = path === '' ? '' : ` at '${path}'`
      return {
        code: 'W_RESPONSE_UNDESCRIBED',
        subject: `${name} ${label}${place}`,
        cause: `${cause} All fields are sent there.`,
        remedy: 'Use a schema that JSON Schema can express.',
      }
    })
  })
}

/** The names of query parameters that limit a list, in lower case and with letters only. */
const LIMITS = /^(limit|count|take|first|top|size|(per|max)?(page)?(size|items|results)|perpage)$/

/**
 * Outside production, warns about `GET` routes whose response is a list of objects without a maximum, if no query
 * parameter limits the list. Such a list grows with its database table. The list is either the data or the data's field
 * `items`. Lists of primitive values are excluded, because they are usually short.
 */
export function checkResponseLists(
  { converters }: Pick<Settings, 'converters'>,
  { routes }: AppModel,
): readonly Problem[] {
  if (process.env['NODE_ENV'] === 'production') return []
  const unbounded = routes.filter((route) => isUnbounded(route, converters))
  return sharedProblem(unbounded, {
    code: 'W_RESPONSE_UNBOUNDED',
    cause: 'The response is a list without a maximum, and no query parameter limits it.',
    remedy:
      'Paginate it: @Paged(cursor(Item, { order })). Or declare the maximum number of items (`maxItems`, `.max(500)`), which is sufficient for a list that stays short.',
  })
}

function isUnbounded(route: RouteModel, converters: SchemaConverters): boolean {
  const { method, pages, stream, produces, operation, inputs } = route
  if (method !== 'GET' || pages !== null || stream !== null) return false
  // A route that never sends JSON is an export: its rows can be streamed, and only a list can describe them.
  if (produces?.every(({ serialize }) => serialize !== null)) return false
  const lists = operation.responses.filter(
    ({ status, schema }) =>
      status >= 200 && status < 300 && schema !== undefined && hasList(schema, converters),
  )
  return lists.length > 0 && !isLimited(inputs.query, converters)
}

function hasList(schema: Schema, converters: SchemaConverters): boolean {
  const described = describeOnce(schema, { side: 'output', converters })
  const resolve = resolverOf(described)
  const whole = resolve(described.schema)
  return [whole, whole.properties?.['items'] ?? {}].map(resolve).some(({ items, maxItems }) => {
    if (items === undefined || maxItems !== undefined) return false
    const { type, properties, allOf } = resolve(items)
    return type === 'object' || properties !== undefined || allOf !== undefined
  })
}

function isLimited(query: Schema | null, converters: SchemaConverters): boolean {
  if (query === null) return false
  const described = describeOnce(query, { side: 'input', converters })
  const { properties = {} } = resolverOf(described)(described.schema)
  return Object.keys(properties).some((name) =>
    LIMITS.test(name.replace(/[^a-z]/gi, '').toLowerCase()),
  )
}

function resolverOf({ definitions }: DescribedSchema): (part: OpenApiSchema) => OpenApiSchema {
  const found = new Map(definitions.map(({ name, schema }) => [name, schema]))
  return (part) => found.get(part.$ref?.replace('#/components/schemas/', '') ?? '') ?? part
}
