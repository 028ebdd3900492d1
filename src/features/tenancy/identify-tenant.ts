import type { Request } from '../../contracts/handler.js'
import type { TenantStrategy } from '../../contracts/tenant.js'
import { noteOf } from '../../http/note-of.js'
import { compileIdTest, type IsTenantId } from './tenant-id.js'
import { tenantRefusal } from './tenant-refusal.js'
import type { TenantSourceSettings } from './tenant-settings.js'

/**
 * Longer tokens are not decoded: reading the name of the tenant should not cost more than the rest of the
 * request.
 */
const MAX_TOKEN_LENGTH = 8 * 1024

/** A compact JWS (RFC 7515, 7.1). The signature may be missing: to refuse such a token is the guard's task. */
const BEARER = /^Bearer +[\w-]+\.([\w-]+)\.[\w-]*$/i

/**
 * Creates a function that reads one claim of the bearer token without verifying the token. A value that is not
 * a JWT names no tenant: to refuse a credential is the guard's task. A claim that is `null` counts as absent.
 */
function bearerClaim(name: string): (req: Request) => unknown {
  return function readClaim({ headers: { authorization } }) {
    if (authorization === undefined || authorization.length > MAX_TOKEN_LENGTH) return undefined
    const payload = decode(BEARER.exec(authorization)?.[1])
    // `hasOwn`, because every object inherits names such as `constructor`.
    if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, name)) {
      return undefined
    }
    return (payload as Record<string, unknown>)[name] ?? undefined
  }
}

function decode(part: string | undefined): unknown {
  if (part === undefined) return undefined
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}

/**
 * Reads the tenant that a request names; returns `undefined` if it names none. Throws an HTTP error 400 or 403.
 */
export type IdentifyTenant = (req: Request) => string | undefined

/** One place where a request may name its tenant. */
interface Source {
  /** The name of the place in records: `header`. */
  readonly name: string
  /** Returns the unchecked value. */
  readonly read: (req: Request) => unknown
}

/** Creates the function that reads the tenant of a request from the first source that names one. */
export function compileIdentify(settings: TenantSourceSettings): IdentifyTenant {
  const isId = compileIdTest(settings.pattern)
  const sources = sourcesOf(settings)
  if (settings.onMismatch === 'reject') return identifyAgreed(sources, isId)
  return function identify(req) {
    for (const source of sources) {
      const id = idFrom(source.read(req), isId)
      if (id === undefined) continue
      noteNamed(req, id, source)
      return id
    }
    return undefined
  }
}

function noteNamed(req: Request, tenant: string, { name: source }: Source): void {
  noteOf(req)?.({ by: 'tenant', verdict: 'named', facts: { tenant, source } })
}

/** Reads every source: two sources that disagree are a mistake of the client, or an attack. */
function identifyAgreed(sources: readonly Source[], isId: IsTenantId): IdentifyTenant {
  return function identifyAll(req) {
    let agreed: string | undefined
    for (const source of sources) {
      const id = idFrom(source.read(req), isId)
      if (id !== undefined) noteNamed(req, id, source)
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
    ...(header === null ? [] : [{ name: 'header', read: (req: Request) => req.headers[header] }]),
    ...(jwtClaim === null ? [] : [{ name: 'jwtClaim', read: bearerClaim(jwtClaim) }]),
    ...strategies.map((each) => ({ name: nameOf(each), read: readStrategy(each) })),
  ]
}

/** `tenantFromHost` names its functions `hostTenant`, and so do the others. */
function nameOf({ name }: TenantStrategy): string {
  return name.replace(/(?<=.)Tenant$/, '') || 'strategy'
}

/**
 * Reads a strategy. A strategy is code of the application, so a wrong result is an error of the server (500),
 * not of the client.
 */
function readStrategy(strategy: TenantStrategy): Source['read'] {
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
