import type { OpenApiSecurityScheme } from '../contracts/openapi.js'
import type { ContractOf } from '../contracts/route-contract.js'
import type { RouteModel } from '../contracts/route-model.js'

/** The name of the security scheme for `auth.guard`. */
export const GUARD_NAME = 'BearerAuth'

/** The security scheme for a guard that does not specify one. */
export const GUARD_SCHEME: OpenApiSecurityScheme = Object.freeze({ type: 'http', scheme: 'bearer' })

/** A guard in a document. */
export interface DocumentGuard {
  /** The name of the guard's security scheme. */
  readonly name: string
  readonly scheme: OpenApiSecurityScheme
  /** Returns the scopes for a route; `null` if the guard has no scopes. */
  readonly scopes: ((route: RouteModel) => readonly string[]) | null
  /** The guard's additions to operations; `null` if there are none. */
  readonly contract: ContractOf | null
  /** Whether a 403 response that `@Can` causes has a challenge. */
  readonly challengesAbilities: boolean
}
