import type { ParameterDefinition } from '../contracts/extensions.js'
import type { OpenApiParameter, OpenApiSchema } from '../contracts/openapi.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import type { Problem } from '../errors/config-error.js'
import { writtenAs } from '../model/facts-by-kind.js'
import { pathParameters as namesInPath } from '../model/paths.js'
import { KeyedSchema } from '../schema/composed-schemas.js'
import { anyOf } from '../schema/dialect/union.js'
import type { DocumentSchemas } from './document-schemas.js'
import type { SettledSchemas } from './schema-registry.js'

/** OpenAPI describes these headers elsewhere and ignores them as parameters (3.0.3, 4.7.12.2). */
const NOT_PARAMETERS = new Set(['accept', 'content-type', 'authorization'])

/** The facts about the application that {@link queryProblems} needs, in addition to the route. */
export interface ParameterContext {
  readonly schemas: SettledSchemas
  /** Whether the query parser turns `a[b]=1` into an object (Express's `extended`). */
  readonly parsesNestedQuery: boolean
}

/**
 * Returns the parameters of an operation. The path parameters come first, in path order. Then follow query, header and
 * cookie parameters in the order of their schemas, parameters without a schema, and parameters of `defineParameter`.
 *
 * @param path The document's path for the route.
 */
export function buildParameters(
  route: RouteModel,
  path: string,
  schemas: DocumentSchemas,
): OpenApiParameter[] {
  const { query, headers, cookies } = route.inputs
  const parameters = pathParameters(route, path, schemas)
  if (query !== null) parameters.push(...queryParameters(query, schemas))
  if (headers !== null) parameters.push(...headerParameters(headers, schemas))
  if (cookies !== null) parameters.push(...cookieParameters(cookies, schemas))
  if (route.parameters !== null) parameters.push(...keysWithoutSchema(route))
  for (const { definition, input } of route.definedParameters ?? []) {
    const { place } = definition
    const isKnown = parameters.some((each) => each.in === place?.in && each.name === place.name)
    if (place !== null && !isKnown) parameters.push(...definedParameter(place, input, schemas))
  }
  return parameters
}

function definedParameter(
  { in: place, name }: NonNullable<ParameterDefinition['place']>,
  input: Schema | null,
  schemas: DocumentSchemas,
): OpenApiParameter[] {
  // A path parameter is part of the path, so the list already contains it.
  if (place === 'path') return []
  if (input !== null) {
    return place === 'query' ? queryParameters(input, schemas) : headerParameters(input, schemas)
  }
  if (place === 'header' && NOT_PARAMETERS.has(name)) return []
  return [{ name, in: place, schema: place === 'query' ? {} : { type: 'string' } }]
}

/**
 * Returns the parameters without a schema that handlers receive with `@Query('q')`, `@Headers('x-a')` or
 * `@Cookies('a')`.
 */
function keysWithoutSchema({ parameters, inputs }: RouteModel): OpenApiParameter[] {
  const found = new Map<string, OpenApiParameter>()
  for (const { source, key } of parameters ?? []) {
    if (key === null || !Object.hasOwn(PLACES, source)) continue
    const described = inputs[source as keyof typeof PLACES]
    const isPart = described instanceof KeyedSchema ? described.entries[key] !== null : described
    if (isPart) continue
    const place = PLACES[source as keyof typeof PLACES]
    if (place === 'header' && NOT_PARAMETERS.has(key)) continue
    const schema: OpenApiSchema = place === 'query' ? {} : { type: 'string' }
    found.set(`${place} ${key}`, { name: key, in: place, schema })
  }
  return [...found.values()]
}

const PLACES = { query: 'query', headers: 'header', cookies: 'cookie' } as const

function pathParameters(
  route: RouteModel,
  path: string,
  schemas: DocumentSchemas,
): OpenApiParameter[] {
  if (route.pathParameters.length === 0) return []
  const { params } = route.inputs
  const ofPath = (route.definedParameters ?? []).flatMap(({ source, input }) =>
    source === 'params' && input !== null ? [input] : [],
  )
  const described = [...(params === null ? [] : [params]), ...ofPath].flatMap((schema) =>
    propertiesOf(schemas.of(schema, 'input'), schemas),
  )
  const names = path === route.path ? route.pathParameters : namesInPath(path)
  return route.pathParameters.map((own, index) => {
    const schema = described.find(({ name }) => name === own)?.schema ?? { type: 'string' }
    const isRest = route.path.endsWith(`*${own}`)
    const note = isRest ? { description: 'The rest of the path. It can contain slashes.' } : {}
    return {
      name: names[index] as string,
      in: 'path',
      ...note,
      required: true,
      ...liftFromSchema(schema, schemas),
    }
  })
}

/**
 * Returns warnings about a query schema, for parts that a list of parameters cannot express or that no request can
 * send.
 */
export function queryProblems(
  route: RouteModel,
  { schemas, parsesNestedQuery }: ParameterContext,
): Problem[] {
  const { name: subject, inputs } = route
  const { query } = inputs
  if (query === null) return []
  const root = schemas.of(query, 'input')
  const isNested = ({ schema }: Property) => typesOf(schema, schemas).has('object')
  const problems: Problem[] = parsesNestedQuery
    ? []
    : propertiesOf(root, schemas)
        .filter(isNested)
        .map(({ name }) => ({
          code: 'W_QUERY_NESTED',
          subject: `${subject} ${writtenAs(route, 'query')} at '${name}'`,
          cause:
            'It is an object, but the query parser of this application never creates objects: `?a[b]=1` remains a parameter called `a[b]`.',
          remedy: "Call app.express.set('query parser', 'extended'), or use flat parameters.",
        }))
  if (!isExact(root, schemas)) problems.push(inexact(subject))
  return problems
}

function queryParameters(query: Schema, schemas: DocumentSchemas): OpenApiParameter[] {
  return propertiesOf(schemas.of(query, 'input'), schemas).map((property): OpenApiParameter => {
    const { name, isRequired, schema } = property
    const types = typesOf(schema, schemas)
    const style = types.has('object') && !types.has('array') ? 'deepObject' : 'form'
    const explode =
      types.has('array') || types.has('object') ? ({ style, explode: true } as const) : {}
    return {
      name,
      in: 'query',
      ...(isRequired && { required: true }),
      ...explode,
      ...liftFromSchema(schema, schemas),
    }
  })
}

function headerParameters(headers: Schema, schemas: DocumentSchemas): OpenApiParameter[] {
  return propertiesOf(schemas.of(headers, 'input'), schemas)
    .filter(({ name }) => !NOT_PARAMETERS.has(name.toLowerCase()))
    .map(({ name, isRequired, schema }) => ({
      name,
      in: 'header',
      ...(isRequired && { required: true }),
      ...liftFromSchema(schema, schemas),
    }))
}

function cookieParameters(cookies: Schema, schemas: DocumentSchemas): OpenApiParameter[] {
  return propertiesOf(schemas.of(cookies, 'input'), schemas).map(
    ({ name, isRequired, schema }) => ({
      name,
      in: 'cookie',
      ...(isRequired && { required: true }),
      ...liftFromSchema(schema, schemas),
    }),
  )
}

/**
 * Moves `description` and `deprecated` from the schema to the parameter. If the schema is a reference, its component
 * keeps both.
 */
export function liftFromSchema(
  schema: OpenApiSchema,
  schemas: DocumentSchemas,
): Pick<OpenApiParameter, 'description' | 'deprecated' | 'schema'> {
  const { description, deprecated } = schemas.resolve(schema)
  const { description: _, deprecated: __, ...value } = schema
  return {
    ...(description !== undefined && { description }),
    ...(deprecated === true && { deprecated }),
    schema: schemas.copy(value),
  }
}

interface Property {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: OpenApiSchema
}

/**
 * Returns the properties of an object schema. For a union, returns the properties of all branches. Such a property is
 * required if every branch requires it, and it accepts every value that at least one branch accepts.
 */
function propertiesOf(schema: OpenApiSchema, schemas: SettledSchemas): Property[] {
  const { properties = {}, required = [], allOf = [], anyOf, oneOf } = schemas.resolve(schema)
  const found = new Map<string, Property>()
  const note = (property: Property) => {
    const known = found.get(property.name)
    found.set(
      property.name,
      known === undefined
        ? property
        : { ...known, isRequired: known.isRequired || property.isRequired },
    )
  }
  for (const [name, child] of Object.entries(properties)) {
    note({ name, isRequired: required.includes(name), schema: child })
  }
  for (const part of allOf) propertiesOf(part, schemas).forEach(note)
  const branches = (anyOf ?? oneOf ?? []).map((branch) => propertiesOf(branch, schemas))
  for (const name of new Set(branches.flat().map((property) => property.name))) {
    const same = branches.flatMap((branch) => branch.filter((property) => property.name === name))
    const isRequired = same.length === branches.length && same.every((each) => each.isRequired)
    note({ name, isRequired, schema: eitherOf(same.map(({ schema }) => schema)) })
  }
  return [...found.values()]
}

function eitherOf(schemas: readonly OpenApiSchema[]): OpenApiSchema {
  const byText = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]))
  return byText.has('{}') ? {} : anyOf([...byText.values()])
}

/** Returns the possible types of a value. Follows references and unions. */
function typesOf(schema: OpenApiSchema, schemas: SettledSchemas, depth = 0): ReadonlySet<string> {
  const { type, allOf = [], anyOf = [], oneOf = [] } = schemas.resolve(schema)
  const types = new Set<string>(type === undefined ? [] : [type].flat())
  if (depth > 8) return types
  for (const part of [...allOf, ...anyOf, ...oneOf]) {
    for (const each of typesOf(part, schemas, depth + 1)) types.add(each)
  }
  return types
}

/** Whether a list of parameters can express the whole query schema. */
function isExact(schema: OpenApiSchema, schemas: SettledSchemas): boolean {
  const { anyOf, oneOf, not, additionalProperties } = schemas.resolve(schema)
  return (
    anyOf === undefined &&
    oneOf === undefined &&
    not === undefined &&
    typeof additionalProperties !== 'object'
  )
}

function inexact(subject: string): Problem {
  return {
    code: 'W_SCHEMA_NOT_REPRESENTABLE',
    subject: `${subject} @Query`,
    cause:
      'A union, a record or `not` cannot be described exactly as query parameters: the document lists only the parameters whose names are known.',
    remedy:
      'Use an object with optional properties, or accept that the document is less exact than the validator here.',
  }
}
