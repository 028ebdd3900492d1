import { isDeepStrictEqual } from 'node:util'
import type { Plugin } from '../contracts/plugin.js'
import type { ContractOf, RouteContract } from '../contracts/route-contract.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { schemaProblem } from '../model/schema-problem.js'
import { GUARD_SCHEME } from '../openapi/guard-scheme.js'
import { isMediaType } from '../schema/media-type.js'
import { ignoreRejection, isThenable } from '../step/thenable.js'

const FIELDS = {
  errors: isListOf((status) => isStatus(status, 400)),
  responses: isListOf(isResponse),
  headers: isObjectOf(hasSchema),
  parameters: (value, route) =>
    isListOf((each) => hasSchema(each) && isParameter(each, route))(value),
  tags: isListOf((tag) => typeof tag === 'string'),
  security: isObjectOf((scheme) => typeof (scheme as { type?: unknown } | null)?.type === 'string'),
} satisfies Record<keyof RouteContract, (value: unknown, route: RouteModel) => boolean>

/** What the `contract` of a plugin has returned for a route. */
interface Given {
  readonly plugin: string
  /** The name of the call in messages. */
  readonly subject: string
  readonly route: RouteModel
  readonly contract: unknown
}

/** Finds contracts of plugins that the document could not describe. One problem for each plugin is enough. */
export function checkContracts(
  plugins: readonly Plugin[],
  { routes, hasGuard }: AppModel,
): Problem[] {
  const given = plugins.map((plugin) => callsOf(plugin, routes))
  const problems = given.flatMap((calls) =>
    calls.flatMap((each) => problemOf(each) ?? []).slice(0, 1),
  )
  return problems.length > 0 ? problems : checkSchemes(given.flat(), hasGuard)
}

function callsOf({ name: plugin, contract: ask }: Plugin, routes: readonly RouteModel[]): Given[] {
  if (ask === undefined) return []
  return routes.flatMap((route) => {
    const contract: unknown = (ask as ContractOf)(route) ?? null
    const subject = `plugin '${plugin}' contract(${route.name})`
    return contract === null ? [] : [{ plugin, subject, route, contract }]
  })
}

function problemOf({ subject, route, contract }: Given): Problem | null {
  if (typeof contract !== 'object' || contract === null || isThenable(contract)) {
    ignoreRejection(contract)
    return invalid(
      subject,
      `It returned ${isThenable(contract) ? 'a promise' : typeof contract}.`,
      REMEDY,
    )
  }
  for (const [name, value] of Object.entries(contract)) {
    if (!Object.hasOwn(FIELDS, name)) {
      return invalid(`${subject}.${name}`, 'A contract has no field of this name.', REMEDY)
    }
    const isValid: (typeof FIELDS)[keyof RouteContract] = FIELDS[name as keyof RouteContract]
    if (value !== undefined && !isValid(value, route)) {
      return invalid(`${subject}.${name}`, 'The document cannot describe its value.', REMEDY)
    }
  }
  return null
}

/** A document has one scheme of each name, so two different ones would replace each other. One problem a name is enough. */
function checkSchemes(given: readonly Given[], hasGuard: boolean): Problem[] {
  const first = new Map<string, { readonly scheme: unknown; readonly by: string }>()
  if (hasGuard) first.set('BearerAuth', { scheme: GUARD_SCHEME, by: 'the guard' })
  const problems = new Map<string, Problem>()
  for (const { plugin, subject, route, contract } of given) {
    const { security = {} } = contract as RouteContract
    for (const [name, scheme] of Object.entries(security)) {
      const other = first.get(name)
      if (other === undefined) {
        first.set(name, { scheme, by: `plugin '${plugin}' (${route.name})` })
      } else if (!problems.has(name) && !isDeepStrictEqual(scheme, other.scheme)) {
        const cause = `Its scheme '${name}' is not the one that ${other.by} has under this name.`
        const remedy = 'Make both schemes equal, or rename one.'
        problems.set(name, invalid(`${subject}.security`, cause, remedy))
      }
    }
  }
  return [...problems.values()]
}

const REMEDY =
  'Return null, or an object with errors (statuses from 400 on), responses, headers, parameters, tags or security.'

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

/** OpenAPI 3.0.3, 4.7.12.1: the path must contain a parameter that is in the path. */
function isParameter(value: unknown, { pathParameters }: RouteModel): boolean {
  const { name, in: place } = value as { name?: unknown; in?: unknown }
  if (typeof name !== 'string') return false
  return place === 'path' ? pathParameters.includes(name) : place === 'query' || place === 'header'
}
