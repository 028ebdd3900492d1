import { isDeepStrictEqual } from 'node:util'
import type { ContractOf, RouteContract } from '../contracts/route-contract.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import { invalid, type Problem } from '../errors/config-error.js'
import { isMediaType } from '../model/compile-produces.js'
import { guardsOfRoute } from '../model/route-guards.js'
import { schemaProblem } from '../model/schema-problem.js'
import { ignoreRejection, isThenable } from '../step/step.js'
import type { Settings } from './settings/settings.js'

const FIELDS = {
  errors: isListOf((status) => isStatus(status, 400)),
  responses: isListOf(isResponse),
  headers: isObjectOf(hasSchema),
  parameters: (value, route) =>
    isListOf((each) => hasSchema(each) && isParameter(each, route))(value),
  deprecated: (value) => typeof value === 'boolean',
  tags: isListOf((tag) => typeof tag === 'string'),
  security: isObjectOf((scheme) => typeof (scheme as { type?: unknown } | null)?.type === 'string'),
} satisfies Record<keyof RouteContract, (value: unknown, route: RouteModel) => boolean>

/** A source of additions to operations of the document: a plugin, or a guard. */
interface Source {
  readonly label: string
  readonly contract: ContractOf | null | undefined
  readonly routes: readonly RouteModel[]
}

/** A contract that a plugin or a guard has returned for a route. */
interface ReturnedContract {
  readonly by: string
  /** The name of the call in messages. */
  readonly subject: string
  readonly route: RouteModel
  readonly contract: unknown
}

/**
 * Finds contracts of plugins and guards that the document cannot describe, and reports the first problem of each plugin
 * or guard. If there are no such contracts, finds security schemes and scopes that the document cannot describe.
 */
export function checkContracts(
  { plugins, auth, swagger }: Pick<Settings, 'plugins' | 'auth' | 'swagger'>,
  { routes }: AppModel,
): Problem[] {
  const sources = [...plugins.map((plugin) => ofPlugin(plugin, routes)), ...ofGuards(auth, routes)]
  const given = sources.map(callsOf)
  const problems = given.flatMap((calls) =>
    calls.flatMap((each) => problemOf(each) ?? []).slice(0, 1),
  )
  if (problems.length > 0) return problems
  const is30 = swagger.some(({ openapi }) => openapi === '3.0')
  return [
    ...checkSchemes(given.flat(), auth),
    ...checkScopes(auth, routes),
    ...(is30 ? checkTypes(auth) : []),
  ]
}

function ofPlugin(plugin: Settings['plugins'][number], routes: readonly RouteModel[]): Source {
  const contract: ContractOf = (route) => plugin.contract?.(route)
  const label = `plugin '${plugin.name}'`
  return { label, contract: plugin.contract === undefined ? null : contract, routes }
}

function ofGuards({ guards }: Settings['auth'], routes: readonly RouteModel[]): Source[] {
  return guards.map((guard) => ({
    label: guard.option,
    contract: guard.document.contract,
    routes: routes.filter((route) => guardsOfRoute(route, guards).includes(guard)),
  }))
}

function callsOf({ label: by, contract: ask, routes }: Source): ReturnedContract[] {
  if (ask == null) return []
  return routes.flatMap((route) => {
    const contract: unknown = ask(route) ?? null
    const subject = `${by} contract(${route.name})`
    return contract === null ? [] : [{ by, subject, route, contract }]
  })
}

/**
 * Finds scopes that are not strings, because the document lists the scopes of a route as strings. Reports at most one
 * problem for each guard.
 */
function checkScopes({ guards }: Settings['auth'], routes: readonly RouteModel[]): Problem[] {
  return guards.flatMap((guard) => {
    const { scopes } = guard.document
    if (scopes === null) return []
    const isWrong = (route: RouteModel) =>
      guardsOfRoute(route, guards).includes(guard) && !isNames(scopes(route))
    const wrong = routes.find(isWrong)
    if (wrong === undefined) return []
    const subject = `${guard.option} scopes(${wrong.name})`
    return [
      invalid(
        subject,
        'The function did not return a list of strings.',
        "Return scope names: ['orders:read'].",
      ),
    ]
  })
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function checkTypes({ guards }: Settings['auth']): Problem[] {
  return guards
    .filter(({ document }) => document.scheme.type === 'mutualTLS')
    .map(({ option }) => {
      const cause = 'OpenAPI 3.0 has no security scheme of type mutualTLS.'
      return invalid(`${option}.security`, cause, "Set `swagger: { openapi: '3.1' }`.")
    })
}

function problemOf({ subject, route, contract }: ReturnedContract): Problem | null {
  if (typeof contract !== 'object' || contract === null || isThenable(contract)) {
    ignoreRejection(contract)
    return invalid(
      subject,
      `It returned ${isThenable(contract) ? 'a promise' : `a value of type ${typeof contract}`}.`,
      REMEDY,
    )
  }
  for (const [name, value] of Object.entries(contract)) {
    if (!Object.hasOwn(FIELDS, name)) {
      return invalid(`${subject}.${name}`, 'A route contract has no field with this name.', REMEDY)
    }
    const isValid: (typeof FIELDS)[keyof RouteContract] = FIELDS[name as keyof RouteContract]
    if (value !== undefined && !isValid(value, route)) {
      return invalid(`${subject}.${name}`, 'The document cannot describe its value.', REMEDY)
    }
  }
  return null
}

/**
 * Finds different schemes with the same name: in the document, one of them would replace the other. Reports at most one
 * problem for each name.
 */
function checkSchemes(given: readonly ReturnedContract[], { guards }: Settings['auth']): Problem[] {
  const first = new Map<string, { readonly scheme: unknown; readonly by: string }>()
  for (const { name: own, option, document } of guards) {
    const { name, scheme } = document
    first.set(name, { scheme, by: own === null ? 'the guard' : option })
  }
  const problems = new Map<string, Problem>()
  for (const { by, subject, route, contract } of given) {
    const { security = {} } = contract as RouteContract
    for (const [name, scheme] of Object.entries(security)) {
      const other = first.get(name)
      if (other === undefined) {
        first.set(name, { scheme, by: `${by} (${route.name})` })
      } else if (!problems.has(name) && !isDeepStrictEqual(scheme, other.scheme)) {
        const cause = `Its scheme '${name}' differs from the scheme '${name}' of ${other.by}.`
        const remedy = 'Make both schemes equal, or rename one.'
        problems.set(name, invalid(`${subject}.security`, cause, remedy))
      }
    }
  }
  return [...problems.values()]
}

const REMEDY =
  'Return null, or an object with errors (statuses 400 to 599), responses, headers, parameters, deprecated, tags or security.'

type Test = (value: unknown) => boolean

function isListOf(test: Test): Test {
  return (value) => Array.isArray(value) && value.every(test)
}

function isObjectOf(test: Test): Test {
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(test)
}

function isStatus(value: unknown, least: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= 599
}

function hasSchema(value: unknown): boolean {
  const { schema } = (value ?? {}) as { schema?: unknown }
  return schemaProblem(schema) === null
}

function isResponse(value: unknown): boolean {
  const { status, schema, contentType } = (value ?? {}) as Partial<Record<string, unknown>>
  return (
    isStatus(status, 100) &&
    (schema === undefined || schemaProblem(schema) === null) &&
    (contentType === undefined || isMediaType(contentType))
  )
}

/** OpenAPI 3.0.3, 4.7.12.1: a path parameter must occur in the path. */
function isParameter(value: unknown, { pathParameters }: RouteModel): boolean {
  const { name, in: place } = value as { name?: unknown; in?: unknown }
  if (typeof name !== 'string') return false
  return place === 'path' ? pathParameters.includes(name) : place === 'query' || place === 'header'
}
