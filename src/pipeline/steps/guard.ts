import type { AuthGuard } from '../../contracts/guard.js'
import type { Request, Response } from '../../contracts/handler.js'
import type { NoteDecision } from '../../contracts/observers.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { isDecision } from '../../errors/failure.js'
import { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'
import type { CarriesCredential } from '../../http/credentials.js'
import { noteOf } from '../../http/observed-request.js'
import type { BlazonRequest } from '../../http/request.js'
import { noteAuthResult, replaceKeyId } from '../../http/request-state.js'
import { forbidStoring } from '../../http/send/response-headers.js'
import { Refusal } from '../../step/refusal.js'
import { isThenable, type Step, type StepFactory, whenSettled } from '../../step/step.js'
import type { LogDenial } from '../log-failure.js'

/** A guard of an application, in the form that routes use. */
export interface RouteGuard {
  /** The name in `auth.guards`; `null` for `auth.guard`. */
  readonly name: string | null
  readonly guard: Pick<AuthGuard, 'canActivate'>
  /** Whether a request has a credential for this guard, according to the guard's own `carries` if it has one. */
  readonly carries: CarriesCredential
  /** Whether a request has a credential in one of the places that are configured for this guard. */
  readonly isPlaced: CarriesCredential
  /** The challenge of the guard's 401 responses. */
  readonly challenge: string
  /** Returns the challenge for the 403 responses of `@Can` routes; `null` if there is none. */
  readonly abilityChallenge: ((abilities: readonly string[]) => string | undefined) | null
  /** Returns the tenant that a request's credential belongs to; `null` if the guard confirms no tenant. */
  readonly tenantOf: ((req: Request) => string | undefined) | null
}

/** The guards of a route, and the function that logs their errors. */
export interface GuardConfig {
  /** The guards that the route accepts; empty if the application has none. */
  readonly guards: readonly RouteGuard[]
  /** The route; `undefined` before a router, whose routes are not in the model. */
  readonly route: RouteModel | undefined
  /** Logs an error that the guard throws instead of returning a decision. */
  readonly logDenial: LogDenial
  /** Whether responses to allowed requests have `Cache-Control: no-store` by default. */
  readonly forbidsStoring: boolean
}

/**
 * Allows a request if the guard returns exactly `true`. If a route needs a guard and the application has none, all
 * requests are refused.
 */
export function guardStage(config: GuardConfig): StepFactory {
  return (next) => guardStep(config, next)
}

/**
 * Runs the guard for requests that carry a credential. Other requests are allowed without the guard. A request whose
 * user was set by a middleware also needs the guard, because only the guard can determine the user.
 */
export function optionalGuardStage(config: GuardConfig): StepFactory {
  const [only] = config.guards
  return (next) => {
    const guarded = guardStep(config, next)
    if (only === undefined) return guarded
    const { isPlaced, carries } = only
    const hasOwn = carries !== isPlaced
    return function guardCredentials(req, res) {
      const isCaller = isPlaced(req) || (req.user ?? null) !== null || (hasOwn && carries(req))
      if (isCaller) return guarded(req, res)
      noteUnasked(req, 'anonymous', NOT_NEEDED)
      return next(req, res)
    }
  }
}

function guardStep(
  { guards: [only], route, logDenial, forbidsStoring }: GuardConfig,
  next: Step,
): Step {
  if (only === undefined) {
    return function denyAll(req) {
      noteUnasked(req, 'refused', 'the application has no guard')
      return deny('Bearer')
    }
  }
  const { guard, challenge } = only
  const { admitted, refused, failed } = guardNotes(only)
  const ofAdmitted = () => admitted
  const refusalFor = errorRefusal(challenge, logDenial)
  const onError: ErrorRefusal = (error, req) => {
    noteGuard(req, () => failed(error))
    return refusalFor(error, req)
  }
  const refuseRequest = (req: BlazonRequest, user: BlazonRequest['user']): Refusal => {
    undo(req, user)
    noteGuard(req, refused)
    return deny(challenge)
  }
  const letIn = admitStep(only, {
    note: (req) => noteGuard(req, ofAdmitted),
    next: forbidsStoring ? storingForbidden(next) : next,
    onError,
  })
  return function guardRequest(req, res) {
    const { user } = req
    let verdict: unknown
    try {
      verdict = decide(guard, req, route)
    } catch (error) {
      undo(req, user)
      return onError(error, req)
    }
    if (verdict === true) return letIn(req, res, user)
    if (!(verdict instanceof Promise)) return refuseRequest(req, user)
    return whenSettled(
      verdict,
      (settled) => (settled === true ? letIn(req, res, user) : refuseRequest(req, user)),
      (error) => {
        undo(req, user)
        return onError(error, req)
      },
    )
  }
}

/**
 * Restores the user that a request had before a guard refused it, because error middlewares and the log must not
 * receive the user of an invalid credential. If the user has not changed, the field is not written: writing `undefined`
 * would create the field, so that `'user' in req` would be true.
 */
export function setUser(req: BlazonRequest, user: BlazonRequest['user']): void {
  if (req.user !== user) req.user = user as NonNullable<typeof user>
}

/** Restores the user of a request that a guard has refused, and removes the key ID that the guard has stored. */
function undo(req: BlazonRequest, user: BlazonRequest['user']): void {
  setUser(req, user)
  replaceKeyId(req, undefined)
}

/** The functions that {@link admitStep} calls. */
interface AdmitEnds {
  /** Records that the guard has allowed the request. */
  readonly note: (req: BlazonRequest) => void
  readonly next: Step
  readonly onError: ErrorRefusal
}

/** Continues with a request that a guard has allowed. `before` is the user that the request had before the guard. */
type Admit = (req: BlazonRequest, res: Response, before: BlazonRequest['user']) => unknown

/**
 * Records which guard has allowed a request, and the tenant of the credential. If a guard has no name and no
 * `tenantOf`, only the decision is recorded.
 */
function admitStep({ name, tenantOf }: RouteGuard, { note, next, onError }: AdmitEnds): Admit {
  const scheme = name ?? undefined
  if (tenantOf === null) {
    const tenants = Object.freeze([])
    const result = name === null ? null : Object.freeze({ scheme, keyScheme: scheme, tenants })
    return function admit(req, res) {
      note(req)
      if (result !== null) noteAuthResult(req, result)
      return next(req, res)
    }
  }
  return function admitWithTenant(req, res, before) {
    try {
      noteAuthResult(req, { scheme, keyScheme: scheme, tenants: [readTenant(tenantOf, req)] })
    } catch (error) {
      undo(req, before)
      return onError(error, req)
    }
    note(req)
    return next(req, res)
  }
}

/** Creates a step that adds `no-store` to responses and then runs `next`. */
export function storingForbidden(next: Step): Step {
  return function forbid(req: BlazonRequest, res: Response) {
    forbidStoring(res)
    return next(req, res)
  }
}

/**
 * Returns the tenant that a request's credential belongs to.
 *
 * @throws TypeError if the result is not a string, `undefined` or `null`. A promise, for example, would not equal any
 * tenant.
 */
export function readTenant(
  tenantOf: NonNullable<RouteGuard['tenantOf']>,
  req: BlazonRequest,
): string | undefined {
  const tenant: unknown = tenantOf(req) ?? undefined
  if (tenant === undefined || typeof tenant === 'string') return tenant
  if (isThenable(tenant)) Promise.resolve(tenant).catch(() => {})
  throw new TypeError(
    `The \`tenantOf\` function of a guard returned a value of type ${typeof tenant}: return a string or undefined.`,
  )
}

/** Creates the refusal for a request whose guard threw an error. */
export type ErrorRefusal = (error: unknown, req: BlazonRequest) => Refusal

/**
 * Creates the function that refuses requests whose guard threw an error. An HTTP error is the guard's decision (403,
 * 503, …) and keeps its status. Any other error is a failure of the guard and results in a 401 response.
 */
export function errorRefusal(challenge: string, logDenial: LogDenial): ErrorRefusal {
  return function refusalFor(error, req) {
    if (isDecision(error)) return new Refusal(error)
    logDenial(error, req)
    return deny(challenge, error)
  }
}

/**
 * Returns the guard's decision, or a promise for it. A thenable is converted to a real promise, because it may call its
 * callbacks twice, and its `then` does not always return a promise. Express lets a request continue if `undefined`,
 * `null`, `0` or `'route'` is thrown. Here, every thrown value denies the request.
 */
export function decide(
  guard: RouteGuard['guard'],
  req: BlazonRequest,
  route: RouteModel | undefined,
): unknown {
  const verdict: unknown = guard.canActivate(req, route)
  // Any value that is neither a thenable nor `true` becomes `false` here, so that the value is not read again. A proxy
  // may throw when it is read.
  return isThenable(verdict) ? Promise.resolve(verdict) : verdict === true
}

/** Refuses a request without a valid credential. */
export function deny(challenge: string, cause?: unknown): Refusal {
  // A 401 response contains the scheme that the server accepts (RFC 9110, 11.6.1). Each error has its own headers
  // object, because an error middleware may add headers to it.
  const options = { headers: { 'WWW-Authenticate': challenge }, cause }
  return new Refusal(refuse('UNAUTHORIZED', 'Authentication is required', options))
}

/** The decision of one guard. It is a type alias, because an interface is not assignable to `DecisionValue`. */
export type SchemeVerdict = {
  /** The name in `auth.guards`; `null` for `auth.guard`. */
  readonly scheme: string | null
  readonly verdict: 'admitted' | 'refused'
  /** The reason; `null` if the verdict needs no reason. */
  readonly reason: string | null
}

/** The functions that create one guard's verdicts for records. */
export interface GuardNotes {
  readonly admitted: SchemeVerdict
  /** Creates the verdict if the guard returned a value other than `true`. */
  readonly refused: (req: BlazonRequest) => SchemeVerdict
  /** Creates the verdict if the guard threw an error. */
  readonly failed: (error: unknown) => SchemeVerdict
}

/** The facts about a guard that {@link guardNotes} needs. */
interface NotedGuard {
  readonly name: string | null
  readonly carries: CarriesCredential
}

/** Creates the functions that create a guard's verdicts. */
export function guardNotes({ name: scheme, carries }: NotedGuard): GuardNotes {
  const refused = (reason: string): SchemeVerdict => ({ scheme, verdict: 'refused', reason })
  return {
    admitted: Object.freeze({ scheme, verdict: 'admitted', reason: null }),
    refused: (req) =>
      refused(carries(req) ? 'it did not return true' : 'the request has no credential for it'),
    failed: (error) => refused(textOf(error)),
  }
}

function noteGuard(req: BlazonRequest, verdictOf: (req: BlazonRequest) => SchemeVerdict): void {
  const note = noteOf(req)
  if (note !== undefined) noteAll(note, [verdictOf(req)])
}

/** Records the joint decision of a route's guards, and the decision of each guard. */
export function noteGuards(req: BlazonRequest, schemes: readonly SchemeVerdict[]): void {
  const note = noteOf(req)
  if (note !== undefined) noteAll(note, schemes)
}

/** The reason why no guard was called on a route with optional authentication. */
export const NOT_NEEDED = 'the request has no credential, and the route needs none'

/** Records a request for which no guard was called. */
export function noteUnasked(
  req: BlazonRequest,
  verdict: 'anonymous' | 'refused',
  reason: string,
): void {
  noteOf(req)?.({ by: 'guard', verdict, reason, facts: { schemes: [] } })
}

function noteAll(note: NoteDecision, schemes: readonly SchemeVerdict[]): void {
  const refused = schemes.find(({ verdict }) => verdict === 'refused')
  const reason = refused?.reason ?? null
  note({
    by: 'guard',
    verdict: refused === undefined ? 'admitted' : 'refused',
    ...(reason !== null && { reason }),
    facts: { schemes },
  })
}

function textOf(error: unknown): string {
  try {
    if (HttpError.is(error)) return String(error.message)
    return error instanceof Error ? `it threw ${error.name}: ${error.message}` : 'it threw'
  } catch {
    return 'it threw'
  }
}
