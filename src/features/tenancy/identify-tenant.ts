import type { Request } from '../../contracts/handler.js'
import type { TenantStrategy } from '../../contracts/tenant.js'
import { bearerClaim } from './bearer-claim.js'
import { compileIdTest, type IsTenantId } from './tenant-id.js'
import { tenantRefusal } from './tenant-refusal.js'
import type { TenantSourceSettings } from './tenant-settings.js'

/**
 * Reads the tenant that a request names; returns `undefined` if it names none. Throws an HTTP error 400 or 403.
 */
export type IdentifyTenant = (req: Request) => string | undefined

/** Reads one place where a request may name its tenant, and returns the unchecked value. */
type Source = (req: Request) => unknown

/** Creates the function that reads the tenant of a request from the first source that names one. */
export function compileIdentify(settings: TenantSourceSettings): IdentifyTenant {
  const isId = compileIdTest(settings.pattern)
  const sources = sourcesOf(settings)
  if (settings.onMismatch === 'reject') return identifyAgreed(sources, isId)
  return function identify(req) {
    for (const source of sources) {
      const id = idFrom(source(req), isId)
      if (id !== undefined) return id
    }
    return undefined
  }
}

/** Reads every source: two sources that disagree are a mistake of the client, or an attack. */
function identifyAgreed(sources: readonly Source[], isId: IsTenantId): IdentifyTenant {
  return function identifyAll(req) {
    let agreed: string | undefined
    for (const source of sources) {
      const id = idFrom(source(req), isId)
      if (id !== undefined && agreed !== undefined && id !== agreed) {
        throw tenantRefusal('TENANT_MISMATCH', 'The request names two different tenants').error
      }
      agreed ??= id
    }
    return agreed
  }
}

function sourcesOf({ header, jwtClaim, strategies }: TenantSourceSettings): Source[] {
  return [
    // Node joins the values of a repeated header with a comma, and no pattern should allow a comma in an id.
    ...(header === null ? [] : [(req: Request) => req.headers[header]]),
    ...(jwtClaim === null ? [] : [bearerClaim(jwtClaim)]),
    ...strategies.map(readStrategy),
  ]
}

/**
 * Reads a strategy. A strategy is code of the application, so a wrong result is an error of the server (500),
 * not of the client.
 */
function readStrategy(strategy: TenantStrategy): Source {
  return (req) => {
    const found: unknown = strategy(req) ?? undefined
    if (found === undefined || typeof found === 'string') return found
    // A promise may reject later, which would end the process.
    Promise.resolve(found).catch(() => {})
    throw new TypeError(
      `The strategy ${strategy.name || 'without a name'} of \`tenant.strategies\` returned a value of type ${typeof found}. Return the id or undefined; to look up a tenant asynchronously, use \`tenant.store\`.`,
    )
  }
}

/**
 * The error message does not contain the value: text from a client must not appear in a browser or a log as
 * text of the server.
 */
function idFrom(value: unknown, isId: IsTenantId): string | undefined {
  if (value === undefined || isId(value)) return value
  throw tenantRefusal('TENANT_INVALID', 'The id of the tenant is malformed').error
}
