import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import type { VersionSettings } from '../contracts/version.js'
import { type Problem, sharedProblem } from '../errors/config-error.js'
import { KeyedSchema } from '../schema/composed-schemas.js'
import { checkResponses } from './check-responses.js'
import { writtenAs } from './facts-by-kind.js'
import { pathProblem } from './path-problem.js'
import { pathShape } from './paths.js'
import { checkUsedVersions, shareVersion } from './versions.js'

/** Checks compiled routes, individually and in relation to each other. */
export function checkRoutes(
  routes: readonly RouteModel[],
  { hasGuard, versions }: { readonly hasGuard: boolean; readonly versions: VersionSettings | null },
): Problem[] {
  return [
    ...routes.flatMap(checkPath),
    ...checkUsedVersions(routes, versions),
    ...checkDuplicates(routes),
    ...routes.flatMap(checkParams),
    ...routes.flatMap(checkBody),
    ...routes.flatMap(checkResponses),
    ...(hasGuard ? [] : checkGuard(routes)),
  ]
}

function checkPath({ name, path }: RouteModel): Problem[] {
  const problem = pathProblem(path)
  if (problem === null) return []
  return [
    {
      code: 'E_PATH_SYNTAX',
      subject: name,
      cause: `Its path ${path} cannot be routed: ${problem.cause}.`,
      remedy: problem.remedy,
    },
  ]
}

function checkDuplicates(routes: readonly RouteModel[]): Problem[] {
  const problems: Problem[] = []
  const taken = new Map<string, Taken[]>()
  for (const route of routes) {
    const paths = route.plainPath === null ? [route.path] : [route.path, route.plainPath]
    const own = paths.map((path) => ({ route, path }))
    const found = own.map((each) => [each, winnerOf(each, taken)] as const)
    const lost = found.find(([, winner]) => winner !== undefined)
    if (lost?.[1] !== undefined) problems.push(refused(lost[0], lost[1]))
    for (const each of own) taken.set(keyOf(each), [...(taken.get(keyOf(each)) ?? []), each])
  }
  return problems
}

/** A route, and a path at which it receives requests. */
interface Taken {
  readonly route: RouteModel
  readonly path: string
}

function keyOf({ route, path }: Taken): string {
  return `${route.method} ${pathShape(path)}`
}

/** Returns the earlier route that would receive a route's requests; `undefined` if there is none. */
function winnerOf(each: Taken, taken: ReadonlyMap<string, readonly Taken[]>): Taken | undefined {
  return taken.get(keyOf(each))?.find(({ route }) => shareVersion(route, each.route))
}

function refused({ route, path }: Taken, { route: winner, path: other }: Taken): Problem {
  const request = `${route.method} ${path}`
  const version = route.version ?? winner.version
  const place = version === null ? request : `${request} of version ${version}`
  if (path === other) {
    return {
      code: 'E_ROUTE_DUPLICATE',
      subject: route.name,
      cause: `${place} is already handled by ${winner.name}.`,
      remedy: 'Remove one of the routes, or change its method or path.',
    }
  }
  return {
    code: 'E_ROUTE_SHADOWED',
    subject: route.name,
    cause: `${place} can never be reached: ${winner.name} handles ${other}, which matches the same URLs.`,
    remedy:
      'Change one of the paths. Paths that differ only in parameter names, letter case or a trailing slash match the same URLs.',
  }
}

/** Checks the path parameters of a route. Only schemas with known keys, and parameters with a key, can be checked. */
function checkParams(route: RouteModel): Problem[] {
  const { params } = route.inputs
  const keys = params === null ? keysOfParameters(route) : schemaKeys(params)
  const defined = (route.definedParameters ?? []).flatMap(({ source, definition }) =>
    source === 'params' && definition.place !== null ? [definition.place.name] : [],
  )
  return [
    ...unknownKeys(route, keys ?? [], writtenAs(route, 'params')),
    ...undescribedKeys(route, keys),
    ...unknownKeys(route, defined, 'A decorator from defineParameter()'),
  ]
}

/** @param by The declaration that describes the keys, in messages. */
function unknownKeys(route: RouteModel, keys: readonly string[], by: string): Problem[] {
  const unknown = keys.filter((key) => !route.pathParameters.includes(key))
  return unknown.map((key) => ({
    code: 'E_PARAMS_UNKNOWN_KEY',
    subject: route.name,
    cause: `${by} describes '${key}', but the path ${route.path} has no :${key}.`,
    remedy: `Add :${key} to the path, or remove the description of '${key}'.`,
  }))
}

/**
 * Warns about path parameters without a description. Schemas for individual keys are not checked, because they leave
 * other parameters unchanged.
 */
function undescribedKeys(route: RouteModel, keys: readonly string[] | undefined): Problem[] {
  const { params } = route.inputs
  if (keys === undefined || params === null || params instanceof KeyedSchema) return []
  const by = writtenAs(route, 'params')
  const missing = route.pathParameters.filter((name) => !keys.includes(name))
  return missing.map((name) => ({
    code: 'W_PATH_PARAMETER_UNDESCRIBED',
    subject: route.name,
    cause: `The path ${route.path} has :${name}, but ${by} does not describe it.`,
    remedy: `Add '${name}' to the schema of ${by}: a parameter that the schema does not describe might not reach the handler.`,
  }))
}

/** Returns the keys of `@Params('id')` decorators without a schema. */
function keysOfParameters({ parameters }: RouteModel): string[] {
  return (parameters ?? []).flatMap(({ source, key }) =>
    source === 'params' && key !== null ? [key] : [],
  )
}

function checkBody(route: RouteModel): Problem[] {
  const { name, method, inputs, bodies } = route
  const isRead = inputs.body !== null || bodies !== null
  if (!isRead || !['GET', 'HEAD', 'OPTIONS'].includes(method)) return []
  return [
    {
      code: 'W_BODY_ON_GET',
      subject: name,
      cause: `It has ${writtenAs(route, 'body')} on ${method}, but the body of such a request has no meaning (RFC 9110, 9.3), and proxies often drop it.`,
      remedy: 'Use @Query, or @Post.',
    },
  ]
}

function checkGuard(routes: readonly RouteModel[]): Problem[] {
  const isGuarded = ({ isProtected, isAuthOptional }: RouteModel) => isProtected || isAuthOptional
  return sharedProblem(routes.filter(isGuarded), {
    code: 'W_AUTH_WITHOUT_GUARD',
    cause:
      'It is protected, but no `auth.guard` is configured: every request that needs the guard is refused with 401.',
    remedy: 'Configure `auth: { guard }`.',
  })
}

interface StandardJsonSchema {
  input(options: { target: string }): { properties?: object }
}

/** The keys of library schemas. They are cached, because they never change and zod takes 0.1 ms to return them. */
const knownKeys = new WeakMap<object, string[] | undefined>()

/** Returns the property names of an object schema; `undefined` if they are unknown. */
function schemaKeys(schema: Schema): string[] | undefined {
  if (knownKeys.has(schema)) return knownKeys.get(schema)
  // A value that is not a schema is reported by another check.
  const keys = readKeys(Object(schema))
  if ('~standard' in Object(schema)) knownKeys.set(schema, keys)
  return keys
}

function readKeys(schema: Schema): string[] | undefined {
  const standard = (schema as { '~standard'?: { jsonSchema?: StandardJsonSchema } })['~standard']
  // A valibot schema has no JSON Schema, so its keys are read from `entries`.
  const { properties, entries } = schema as { properties?: object; entries?: object }
  const keyed = standard === undefined ? properties : (propertiesOf(standard.jsonSchema) ?? entries)
  return typeof keyed === 'object' && keyed !== null ? Object.keys(keyed) : undefined
}

function propertiesOf(source: StandardJsonSchema | undefined): object | undefined {
  try {
    return source?.input({ target: 'draft-2020-12' }).properties
  } catch {
    // JSON Schema cannot represent the type, so the keys are unknown.
    return undefined
  }
}
