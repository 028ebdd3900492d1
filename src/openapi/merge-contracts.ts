import type { OpenApiSecurityScheme } from '../contracts/openapi.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type {
  ContractHeader,
  ContractOf,
  ContractParameter,
  RouteContract,
} from '../contracts/route-contract.js'
import type { RouteModel } from '../contracts/route-model.js'

/** What all features and plugins together add to the operation of a route. */
export interface MergedContract {
  readonly errors: readonly number[]
  readonly responses: readonly ApiResponseOptions[]
  readonly headers: readonly (readonly [name: string, header: ContractHeader])[]
  readonly parameters: readonly ContractParameter[]
  readonly tags: readonly string[]
  readonly security: readonly (readonly [name: string, scheme: OpenApiSecurityScheme])[]
}

/** The contracts of the routes in a document. */
export type ContractsOf = (route: RouteModel) => MergedContract

/** Merges the contracts of each route, once. */
export function mergeContracts(contracts: readonly ContractOf[]): ContractsOf {
  const known = new Map<RouteModel, MergedContract>()
  return (route) => {
    const merged = known.get(route) ?? merge(contracts.flatMap((each) => each(route) ?? []))
    known.set(route, merged)
    return merged
  }
}

function merge(contracts: readonly RouteContract[]): MergedContract {
  return {
    errors: contracts.flatMap(({ errors = [] }) => errors),
    responses: contracts.flatMap(({ responses = [] }) => responses),
    headers: contracts.flatMap(({ headers = {} }) => Object.entries(headers)),
    parameters: contracts.flatMap(({ parameters = [] }) => parameters),
    tags: contracts.flatMap(({ tags = [] }) => tags),
    security: contracts.flatMap(({ security = {} }) => Object.entries(security)),
  }
}
