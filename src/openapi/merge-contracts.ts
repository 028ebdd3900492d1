import type { OpenApiSecurityScheme } from '../contracts/openapi.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type {
  ContractHeader,
  ContractOf,
  ContractParameter,
  RouteContract,
} from '../contracts/route-contract.js'
import type { RouteModel } from '../contracts/route-model.js'

/** The combined additions of all features and plugins to a route's operation. */
export interface MergedContract {
  readonly errors: readonly number[]
  readonly responses: readonly ApiResponseOptions[]
  readonly headers: readonly (readonly [name: string, header: ContractHeader])[]
  readonly parameters: readonly ContractParameter[]
  readonly tags: readonly string[]
  readonly isDeprecated: boolean
  readonly security: readonly (readonly [name: string, scheme: OpenApiSecurityScheme])[]
}

/** Returns the merged contract of a route. */
export type ContractsOf = (route: RouteModel) => MergedContract

/** Merges the contracts of each route, only once per route. */
export function mergeContracts(contracts: readonly ContractOf[]): ContractsOf {
  const known = new Map<RouteModel, MergedContract>()
  return (route) => {
    const merged = known.get(route) ?? merge(contracts.flatMap((each) => each(route) ?? []))
    known.set(route, merged)
    return merged
  }
}

/**
 * Merges contracts in one pass, because every route of a document has a contract, and most contracts contain only
 * errors.
 */
function merge(contracts: readonly RouteContract[]) {
  const merged = {
    errors: [] as number[],
    responses: [] as ApiResponseOptions[],
    headers: [] as [string, ContractHeader][],
    parameters: [] as ContractParameter[],
    tags: [] as string[],
    isDeprecated: false,
    security: [] as [string, OpenApiSecurityScheme][],
  }
  for (const { errors, responses, headers, parameters, tags, deprecated, security } of contracts) {
    if (deprecated === true) merged.isDeprecated = true
    if (errors !== undefined) merged.errors.push(...errors)
    if (responses !== undefined) merged.responses.push(...responses)
    if (headers !== undefined) merged.headers.push(...Object.entries(headers))
    if (parameters !== undefined) merged.parameters.push(...parameters)
    if (tags !== undefined) merged.tags.push(...tags)
    if (security !== undefined) merged.security.push(...Object.entries(security))
  }
  return merged
}
