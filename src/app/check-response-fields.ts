import type { SchemaConverters } from '../contracts/openapi.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { readSchema } from '../schema/fields/read-schema.js'
import { isBodiless, isJsonType } from '../schema/response-shape.js'
import type { Settings } from './settings/settings.js'

/**
 * Warns of responses whose fields are all sent although `responses` or `@ResponseFields` should limit them: their schema
 * is missing, or cannot be described.
 */
export function checkResponseFields(
  { responses, converters }: Pick<Settings, 'responses' | 'converters'>,
  { routes }: AppModel,
): readonly Problem[] {
  const limited = routes.filter(
    ({ responseFields, method }) =>
      (responseFields ?? responses.fields) !== 'send' && method !== 'HEAD',
  )
  const bare = limited
    .filter((route) => route.stream === null && lacksSchema(route))
    .map(({ name }) => name)
  return [
    ...(bare.length === 0 ? [] : [undescribed([...new Set(bare)])]),
    ...limited.flatMap((route) => findOpen(route, converters)),
  ]
}

/** Whether a successful JSON response of the route may have a body without a schema. */
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

function undescribed(names: readonly string[]): Problem {
  return {
    code: 'W_RESPONSE_UNDESCRIBED',
    subject: names.join(', '),
    cause:
      'The fields of its responses are limited, but a successful response has no schema: all its fields are sent.',
    remedy:
      "Add @ApiResponseDoc({ status, description, schema }), or @ResponseFields('send') if all fields may leave.",
  }
}

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
