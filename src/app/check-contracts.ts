import type { Plugin } from '../contracts/plugin.js'
import type { ContractOf, RouteContract } from '../contracts/route-contract.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { schemaProblem } from '../model/schema-problem.js'
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

/** Finds contracts of plugins that the document could not describe. One problem for each plugin is enough. */
export function checkContracts(plugins: readonly Plugin[], { routes }: AppModel): Problem[] {
  return plugins.flatMap((plugin) => {
    if (plugin.contract === undefined) return []
    const problems = routes.flatMap((route) => problemOf(plugin, route) ?? [])
    return problems.slice(0, 1)
  })
}

function problemOf(plugin: Plugin, route: RouteModel): Problem | null {
  const subject = `plugin '${plugin.name}' contract(${route.name})`
  const contract: unknown = (plugin.contract as ContractOf)(route) ?? null
  if (contract === null) return null
  if (typeof contract !== 'object' || isThenable(contract)) {
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
  const { status, schema } = (value ?? {}) as { status?: unknown; schema?: unknown }
  return isStatus(status, 100) && (schema === undefined || schemaProblem(schema) === null)
}

/** OpenAPI 3.0.3, 4.7.12.1: the path must contain a parameter that is in the path. */
function isParameter(value: unknown, { pathParameters }: RouteModel): boolean {
  const { name, in: place } = value as { name?: unknown; in?: unknown }
  if (typeof name !== 'string') return false
  return place === 'path' ? pathParameters.includes(name) : place === 'query' || place === 'header'
}
