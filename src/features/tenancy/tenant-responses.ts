import type { OpenApiParameter, OperationContributor } from '../../contracts/openapi.js'
import { isAuthorized, needsTenant } from './build-tenancy.js'
import type { TenantSettings } from './tenant-options.js'

/** What the `tenant` option means for the document, as plain data. */
export interface TenantFacts {
  readonly header: string | null
  /** Whether the header is the only place where a request may name its tenant. */
  readonly isOnlySource: boolean
  readonly isRequired: boolean
  /** Whether `authorize` may refuse it. */
  readonly isAuthorized: boolean
  /** `null` where a JSON Schema cannot say it. */
  readonly pattern: string | null
  /** Statuses with which a tenant may be refused that was named well. */
  readonly errors: readonly number[]
}

/** Reads the facts; `null` for an application that leaves tenants to its own middlewares. */
export function tenantFacts(settings: TenantSettings | null): TenantFacts | null {
  if (settings === null) return null
  const { header, jwtClaim, strategies, pattern, store } = settings
  const isPlain = pattern.flags.replace(/[dgmyu]/g, '') === ''
  return {
    header,
    isOnlySource: jwtClaim === null && strategies.length === 0,
    isRequired: settings.isRequired,
    isAuthorized: settings.authorize !== null,
    pattern: isPlain ? anchored(pattern.source) : null,
    errors: [
      ...(settings.onMismatch === 'reject' ? [403] : []),
      // Unknown, suspended, or not to be found out.
      ...(store === null ? [] : [403, 404, 503]),
    ],
  }
}

/** Adds the tenant's header to operations that have one, and the answers to a tenant that is refused. */
export function tenantResponses(settings: TenantSettings | null): OperationContributor {
  const facts = tenantFacts(settings)
  return function answersOf(route) {
    if (facts === null) return route.tenant === null ? null : { errors: [400] }
    const isNeeded = needsTenant(route, settings)
    const isNamed = route.tenant !== null || isNeeded
    const header = isNamed && facts.header !== null ? headerParameter(facts, isNeeded) : null
    const refusals = isAuthorized(route, settings) ? [403] : []
    return {
      parameters: header === null ? [] : [header],
      errors: [400, ...refusals, ...facts.errors],
    }
  }
}

function headerParameter(
  { header, isOnlySource, pattern }: TenantFacts,
  isNeeded: boolean,
): OpenApiParameter {
  return {
    name: header as string,
    in: 'header',
    description: 'The tenant for which this is asked.',
    ...(isNeeded && isOnlySource && { required: true }),
    schema: { type: 'string', ...(pattern !== null && { pattern }) },
  }
}

/** JSON Schema finds a pattern anywhere in a text, where an id must be it from end to end. */
function anchored(source: string): string {
  return /^\^[^|]*\$$/.test(source) ? source : `^(?:${source})$`
}
