import type { ContractOf, ContractParameter } from '../../contracts/route-contract.js'
import type { JsonSchema } from '../../contracts/schema.js'
import { hasTenantGuard, isVerified, needsTenant } from './tenant-rules.js'
import type { TenantSettings } from './tenant-settings.js'

/** The facts about the `tenant` option that the OpenAPI document depends on, as plain data. */
export interface TenantFacts {
  readonly header: string | null
  /** Whether the header is the only place where a request may name its tenant. */
  readonly isOnlySource: boolean
  readonly isRequired: boolean
  /** Whether there is an `authorize` that may refuse a tenant. */
  readonly isAuthorized: boolean
  /** The guards that confirm tenants. */
  readonly guards: readonly (string | null)[]
  /** The pattern of ids; `null` when its flags have no equivalent in JSON Schema. */
  readonly pattern: string | null
  /** Response statuses that refuse a tenant although its id is well-formed. */
  readonly errors: readonly number[]
}

/** Returns the facts; `null` for an application without the `tenant` option. */
export function tenantFacts(settings: TenantSettings | null): TenantFacts | null {
  if (settings === null) return null
  const { header, jwtClaim, strategies, pattern, store } = settings
  const isPlain = pattern.flags.replace(/[dgmyu]/g, '') === ''
  return {
    header,
    isOnlySource: jwtClaim === null && strategies.length === 0,
    isRequired: settings.isRequired,
    isAuthorized: settings.authorize !== null,
    guards: settings.guards.filter((each) => each.confirmsTenant).map(({ name }) => name),
    pattern: isPlain ? anchored(pattern.source) : null,
    errors: [
      ...(settings.onMismatch === 'reject' ? [403] : []),
      // 403 for a suspended tenant, 404 for an unknown one, 503 when the store fails.
      ...(store === null ? [] : [403, 404, 503]),
    ],
  }
}

/**
 * Adds the header that names the tenant, and the error responses of tenancy, to the operations that need them.
 */
export function tenantResponses(settings: TenantSettings | null): ContractOf {
  const facts = tenantFacts(settings)
  if (facts === null) {
    return (route) => (route.tenant === null ? null : { errors: [400] })
  }
  // One object for all routes, because the document describes each schema once.
  const schema = schemaOfId(facts)
  return function responsesOf(route) {
    const isNeeded = needsTenant(route, settings)
    const isNamed = route.tenant !== null || isNeeded
    // The credential names the tenant, too.
    const isHeaderNeeded = isNeeded && !hasTenantGuard(route, settings)
    const header =
      isNamed && facts.header !== null
        ? { ...headerParameter(facts, isHeaderNeeded), schema }
        : null
    const refusals = isVerified(route, settings) ? [403] : []
    return {
      parameters: header === null ? [] : [header],
      errors: [400, ...refusals, ...facts.errors],
    }
  }
}

function schemaOfId({ pattern }: TenantFacts): JsonSchema {
  return { type: 'string', ...(pattern !== null && { pattern }) }
}

function headerParameter(
  { header, isOnlySource }: TenantFacts,
  isNeeded: boolean,
): Omit<ContractParameter, 'schema'> {
  return {
    name: header as string,
    in: 'header',
    description: 'The tenant of the request.',
    ...(isNeeded && isOnlySource && { required: true }),
  }
}

/**
 * Anchors the pattern: JSON Schema searches a pattern anywhere in a text, but an id must match from start to
 * end.
 */
function anchored(source: string): string {
  return /^\^(?:[^|\\]|\\.)*\$$/.test(source) ? source : `^(?:${source})$`
}
