import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi.js'
import { componentName } from '../../schema/openapi-to-json.js'
import type { CaseSource } from './case-source.js'
import type { RequestParts, WrongRequest } from './wire-request.js'

/** Returns whether the field that a schema describes is hidden from a caller. */
export type IsHidden = (schema: OpenApiSchema) => boolean

/** The maximum number of steps from one schema to another that describes the same value. */
const MOST_STEPS = 10

/**
 * Returns a function that determines whether a field of a document is hidden from a caller.
 *
 * @param marks The marks of fields that the caller is not allowed to see.
 */
export function hiddenIn(
  { components }: Pick<OpenApiDocument, 'components'>,
  marks: readonly (readonly string[])[],
): IsHidden {
  const keys = new Set(marks.map((mark) => mark.join()))
  const isHidden = (schema: OpenApiSchema, steps = MOST_STEPS): boolean => {
    if (steps === 0) return false
    const { $ref, allOf = [], anyOf = [], oneOf = [], 'x-visible-to': mark } = schema
    if (Array.isArray(mark) && keys.has(mark.join())) return true
    const target = $ref === undefined ? undefined : components.schemas?.[componentName($ref)]
    const parts = [...(target === undefined ? [] : [target]), ...allOf, ...anyOf, ...oneOf]
    return parts.some((part) => isHidden(part, steps - 1))
  }
  return (schema) => keys.size > 0 && isHidden(schema)
}

/**
 * Lists valid requests with one field that the caller is not allowed to send. The value does not need to be valid,
 * because it is not validated.
 */
export function hiddenRequests(
  { documented, body, write }: CaseSource,
  parts: RequestParts,
  isHidden: IsHidden,
): WrongRequest[] {
  const inQuery = (documented.operation.parameters ?? [])
    .filter((each) => each.in === 'query' && isHidden(each.schema))
    .map(({ name }) => ({
      what: `query ${name}: hidden`,
      request: write(parts, { query: { [name]: 'x' } }),
    }))
  const schemas = documented.document.components.schemas ?? {}
  const paths = body?.kind === 'json' ? pathsIn(body.schema, { schemas, isHidden }) : []
  const inBody = paths.map((path) => ({
    what: `body ${path.join('.')}: hidden`,
    request: write({ ...parts, body: withField(parts.body, path) }),
  }))
  return [...inQuery, ...inBody]
}

interface PathSearch {
  readonly schemas: Readonly<Record<string, OpenApiSchema>>
  readonly isHidden: IsHidden
}

/** The maximum number of objects on the path to a field. */
const DEPTH = 3

/** The paths of the hidden fields of an object. */
function pathsIn(schema: OpenApiSchema, search: PathSearch, depth = DEPTH): string[][] {
  if (depth === 0) return []
  const { $ref, properties = {}, allOf = [] } = schema
  const target = $ref === undefined ? undefined : search.schemas[componentName($ref)]
  const parts = [...(target === undefined ? [] : [target]), ...allOf]
  return [
    ...parts.flatMap((part) => pathsIn(part, search, depth)),
    ...Object.entries(properties).flatMap(([name, child]) =>
      search.isHidden(child)
        ? [[name]]
        : pathsIn(child, search, depth - 1).map((path) => [name, ...path]),
    ),
  ]
}

function withField(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return 'x'
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const own = (isObject ? value : {}) as Readonly<Record<string, unknown>>
  return { ...own, [name]: withField(own[name], rest) }
}
