import type { Request, RequestHandler, Response } from '../../contracts/handler.js'
import type { TenantScope, TenantStrategy } from '../../contracts/tenant.js'
import type { Clock } from '../../di/token.js'
import { noteOf } from '../../http/observed-request.js'
import { isThenable } from '../../step/step.js'
import {
  claimScope,
  compileIdTest,
  hostOf,
  type IsTenantId,
  scopeOn,
  setScope,
  TenantContext,
  tenantScope,
} from './tenant-context.js'
import { TenantDirectory, type Verdict } from './tenant-directory.js'
import { type TenantSourceSettings, tenantRefusal } from './tenant-rules.js'

/**
 * Returns the tenant of a request after the store has confirmed it, or a promise if the store must be queried. Throws
 * or rejects with an HTTP error.
 */
export type ResolveTenant = (req: Request) => string | undefined | Promise<string | undefined>

/** Returns a tenant ID after the store has confirmed it. Throws or rejects with an HTTP error. */
export type ConfirmTenant = (id: string) => string | Promise<string>

/** Creates the function that looks up IDs in the store; `null` without a store. */
export function compileConfirm(settings: TenantSourceSettings, clock: Clock): ConfirmTenant | null {
  if (settings.store === null) return null
  const directory = new TenantDirectory(settings.store, settings, clock)
  return function confirm(id) {
    const verdict = directory.find(id)
    return typeof verdict === 'string'
      ? admit(id, verdict)
      : verdict.then((settled) => admit(id, settled))
  }
}

/**
 * Creates the function that reads the tenant of a request. If there is a store, the function also confirms the tenant
 * with it.
 */
export function compileResolve(
  settings: TenantSourceSettings,
  confirm: ConfirmTenant | null,
): ResolveTenant {
  const identify = compileIdentify(settings)
  if (confirm === null) return identify
  return function resolve(req) {
    const id = identify(req)
    return id === undefined ? undefined : confirm(id)
  }
}

function admit(id: string, verdict: Verdict): string {
  if (verdict === 'active') return id
  const { error } =
    verdict === 'unknown'
      ? tenantRefusal('TENANT_UNKNOWN', 'There is no such tenant')
      : tenantRefusal('TENANT_SUSPENDED', 'This tenant is suspended')
  throw error
}

/** The two functions that continue a request whose scope has been entered. */
export interface ScopeEnds<TRequest extends Request> {
  readonly run: (req: TRequest, res: Response) => unknown
  readonly onError: (error: unknown, req: TRequest, res: Response) => unknown
}

interface ScopeHost {
  /** The object that identifies the application in its scopes. */
  readonly host: object
  /** Whether the tenant that a request specifies is unconfirmed until `authorize` or a guard has allowed it. */
  readonly authorizes: boolean
}

/**
 * Creates the function that enters a new scope for every request, with or without a tenant. Its new origin
 * distinguishes this scope from the scopes of other requests, because a callback may run in the scope of another
 * request. The created function runs before the middlewares. It is not a middleware itself, because one more `next`
 * would take as many instructions as the rest of the function.
 *
 * @param resolve `null` if only the application's own middlewares set tenants.
 */
export function enterScope<TRequest extends Request>(
  resolve: ResolveTenant | null,
  { host, authorizes }: ScopeHost,
  { run, onError }: ScopeEnds<TRequest>,
): (req: TRequest, res: Response) => void {
  function enterAs(id: string | undefined, req: TRequest, res: Response): void {
    const scope = Object.freeze({ id, origin: {}, host })
    setScope(req, scope)
    TenantContext.run(scope, run, req, res)
  }
  function enterWithClaim(claim: string | undefined, req: TRequest, res: Response): void {
    if (claim === undefined) return enterAs(undefined, req, res)
    const scope = claimScope(claim, { origin: {}, host })
    setScope(req, scope)
    TenantContext.run(scope, run, req, res)
  }
  const enter = authorizes ? enterWithClaim : enterAs
  function leave(error: unknown, req: TRequest, res: Response): void {
    setScope(req, tenantScope(undefined, { origin: {}, host }))
    onError(
      error ?? new Error('A strategy of `tenant.strategies` threw null or undefined'),
      req,
      res,
    )
  }
  return function identifyTenant(req, res) {
    if (resolve === null) return enter(scopeOn(req)?.id, req, res)
    let found: ReturnType<ResolveTenant>
    try {
      found = resolve(req)
    } catch (error) {
      return leave(error, req, res)
    }
    if (!isThenable(found)) return enter(found, req, res)
    found.then(
      (id) => enter(id, req, res),
      (error) => leave(error, req, res),
    )
  }
}

interface TenantMiddlewareParts {
  readonly clock: Clock
  /** The middleware calls this with a rejected request before it throws. */
  readonly onRefusal: (req: Request) => void
}

/**
 * Creates the middleware that reads the tenant of a request and runs the following handlers in the tenant's scope. The
 * middleware is for routers and Express applications. An application with the `tenant` option does not need it. If a
 * request specifies no tenant, its current tenant remains.
 */
export function buildTenantMiddleware(
  settings: TenantSourceSettings,
  { clock, onRefusal }: TenantMiddlewareParts,
): RequestHandler {
  const resolve = compileResolve(settings, compileConfirm(settings, clock))
  const refusal = requiredMessage(settings)
  function scopeFor(req: Request, id: string | undefined): TenantScope {
    const outer = scopeOn(req)
    if (settings.isRequired && (id ?? outer?.id ?? outer?.claim) === undefined) {
      throw tenantRefusal('TENANT_REQUIRED', refusal).error
    }
    return scopeWithin(outer, id)
  }
  return function tenantMiddleware(req, _res, next) {
    const enter = (scope: TenantScope) => {
      setScope(req, scope)
      TenantContext.run(scope, () => next())
    }
    const fail = (error: unknown) => {
      onRefusal(req)
      throw error
    }
    const found = attempt(() => resolve(req), fail)
    if (isThenable(found)) return found.then((id) => scopeFor(req, id)).then(enter, fail)
    return enter(attempt(() => scopeFor(req, found), fail))
  }
}

function attempt<T>(run: () => T, fail: (error: unknown) => never): T {
  try {
    return run()
  } catch (error) {
    return fail(error)
  }
}

/**
 * Returns the scope for a tenant that this middleware has read. In an application with `authorize`, or with a guard
 * that has `tenantOf`, the tenant remains a claim, as without this middleware.
 */
function scopeWithin(outer: TenantScope | undefined, id: string | undefined): TenantScope {
  if (outer === undefined) return tenantScope(id, outer)
  if (id === undefined) return outer
  if (hostOf(outer)?.authorizes !== true) return tenantScope(id, outer)
  if (outer.id === undefined) return claimScope(id, outer)
  if (outer.id === id) return outer
  throw tenantRefusal('TENANT_MISMATCH', 'The request specifies two different tenants').error
}

/** Returns the message of the 400 response to a request that specifies no tenant. */
export function requiredMessage(settings: TenantSourceSettings | null): string {
  const header = settings?.header ?? null
  return header === null
    ? 'A tenant is required'
    : `A tenant is required: send the header ${header}`
}

/** Longer tokens are not decoded, because reading the tenant should not take longer than the rest of the request. */
const MAX_TOKEN_LENGTH = 8 * 1024

/**
 * Matches a compact JWS (RFC 7515, 7.1). The signature can be missing here, because refusing such a token is the
 * guard's task.
 */
const BEARER = /^Bearer +[\w-]+\.([\w-]+)\.[\w-]*$/i

/**
 * Creates a function that reads one claim of the bearer token without verifying the token. A value that is not a JWT
 * specifies no tenant. It is not refused here, because refusing credentials is the guard's task. A claim that is `null`
 * counts as absent.
 */
function bearerClaim(name: string): (req: Request) => unknown {
  return function readClaim({ headers: { authorization } }) {
    if (authorization === undefined || authorization.length > MAX_TOKEN_LENGTH) return undefined
    const payload = decode(BEARER.exec(authorization)?.[1])
    // Use `hasOwn`, because every object inherits properties such as `constructor`.
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
 * Returns the tenant that a request specifies; `undefined` if it specifies no tenant. Throws an HTTP error with the
 * status 400 or 403.
 */
type IdentifyTenant = (req: Request) => string | undefined

interface Source {
  /** The name of the source in records, such as `header`. */
  readonly name: string
  /** Returns the unchecked value. */
  readonly read: (req: Request) => unknown
}

/** Creates the function that returns the tenant of a request from the first source that specifies one. */
function compileIdentify(settings: TenantSourceSettings): IdentifyTenant {
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

/** Reads every source, because two different tenants indicate a client error or an attack. */
function identifyAgreed(sources: readonly Source[], isId: IsTenantId): IdentifyTenant {
  return function identifyAll(req) {
    let agreed: string | undefined
    for (const source of sources) {
      const id = idFrom(source.read(req), isId)
      if (id !== undefined) noteNamed(req, id, source)
      if (id !== undefined && agreed !== undefined && id !== agreed) {
        throw tenantRefusal('TENANT_MISMATCH', 'The request specifies two different tenants').error
      }
      agreed ??= id
    }
    return agreed
  }
}

function sourcesOf({ header, jwtClaim, strategies }: TenantSourceSettings): Source[] {
  return [
    // Node joins the values of a repeated header with a comma. No pattern should allow a comma in an ID, so a repeated
    // header is refused.
    ...(header === null ? [] : [{ name: 'header', read: (req: Request) => req.headers[header] }]),
    ...(jwtClaim === null ? [] : [{ name: 'jwtClaim', read: bearerClaim(jwtClaim) }]),
    ...strategies.map((each) => ({ name: nameOf(each), read: readStrategy(each) })),
  ]
}

/**
 * Returns the name of a strategy without its suffix. For example, the function that `tenantFromHost` returns has the
 * name `hostTenant`.
 */
function nameOf({ name }: TenantStrategy): string {
  return name.replace(/(?<=.)Tenant$/, '') || 'strategy'
}

/**
 * Calls a strategy. A strategy is the application's code, so an invalid result causes a server error (500), not a
 * client error.
 */
function readStrategy(strategy: TenantStrategy): Source['read'] {
  return (req) => {
    const found: unknown = strategy(req) ?? undefined
    if (found === undefined || typeof found === 'string') return found
    // If `found` is a promise that rejects later, the unhandled rejection would end the process.
    Promise.resolve(found).catch(() => {})
    throw new TypeError(
      `The strategy ${strategy.name || 'without a name'} of \`tenant.strategies\` returned a value of type ${typeof found}. Return the ID or undefined; to look up a tenant asynchronously, use \`tenant.store\`.`,
    )
  }
}

/**
 * The error message does not contain the value, because a browser or a log must not show a client's text as the
 * server's own text.
 */
function idFrom(value: unknown, isId: IsTenantId): string | undefined {
  if (value === undefined || isId(value)) return value
  throw tenantRefusal('TENANT_INVALID', 'The tenant ID is malformed').error
}
