import type { BlazonRequest } from '../../http/request.js'
import { noteAuthResult, replaceKeyId } from '../../http/request-state.js'
import type { Refusal } from '../../step/refusal.js'
import type { StepFactory } from '../../step/step.js'
import {
  decide,
  deny,
  errorRefusal,
  type GuardConfig,
  type GuardNotes,
  guardNotes,
  NOT_NEEDED,
  noteGuards,
  noteUnasked,
  type RouteGuard,
  readTenant,
  type SchemeVerdict,
  setUser,
  storingForbidden,
} from './guard.js'

/** The results so far of the guards that check a request. */
interface GuardResults {
  /** The name of the guard that sets `req.user`: the first guard that allows the request. */
  scheme: string | undefined
  user: BlazonRequest['user']
  /** The name of the first guard that stored a key's ID; `key` is this ID. */
  keyScheme: string | undefined
  key: string | undefined
  readonly tenants: (string | undefined)[]
  /** The decisions of the guards so far, for records. */
  readonly verdicts: SchemeVerdict[]
}

/**
 * Allows a request if all guards whose credentials the request carries return exactly `true`, because a valid
 * credential must not compensate for an invalid one. A request without a credential is refused.
 *
 * @param isOptional Whether a request without credentials in any of the places configured for these guards is also
 * allowed.
 */
export function severalGuardsStage(config: GuardConfig, isOptional: boolean): StepFactory {
  const { guards, forbidsStoring } = config
  const challenge = [...new Set(guards.map((each) => each.challenge))].join(', ')
  const admit = admitter(config, challenge)
  return (next) => {
    const letIn = forbidsStoring ? storingForbidden(next) : next
    return function guardSeveral(req, res) {
      const carried = guards.filter((each) => each.carries(req))
      if (carried.length > 0) {
        return admitAll(carried, req, admit).then((refusal) => refusal ?? letIn(req, res))
      }
      if (isOptional && isAnonymous(req, guards)) {
        noteUnasked(req, 'anonymous', NOT_NEEDED)
        return next(req, res)
      }
      noteUnasked(req, 'refused', 'the request has no credential for any guard of the route')
      return deny(challenge)
    }
  }
}

/**
 * Whether a request has no credentials and no user. A request whose user was set by a middleware also needs a guard.
 */
function isAnonymous(req: BlazonRequest, guards: readonly RouteGuard[]): boolean {
  return (req.user ?? null) === null && !guards.some((each) => each.isPlaced(req))
}

async function admitAll(
  carried: readonly RouteGuard[],
  req: BlazonRequest,
  admit: Admit,
): Promise<Refusal | null> {
  const { user: before } = req
  const keyBefore = replaceKeyId(req, undefined)
  const found = foundNothing(before)
  for (const each of carried) {
    const refusal = await admit(each, req, found)
    noteKey(each, req, found)
    // Each guard, and the refusal, must receive the request with its original user.
    setUser(req, before)
    if (refusal === null) continue
    noteGuards(req, found.verdicts)
    replaceKeyId(req, keyBefore)
    return refusal
  }
  setUser(req, found.user)
  replaceKeyId(req, found.key ?? keyBefore)
  noteGuards(req, found.verdicts)
  noteAuthResult(req, found)
  return null
}

/**
 * Calls one guard and adds its decision to the results. Returns the refusal; `null` if the guard allows the request.
 */
type Admit = (each: RouteGuard, req: BlazonRequest, found: GuardResults) => Promise<Refusal | null>

function admitter({ guards, logDenial, route }: GuardConfig, challenge: string): Admit {
  const notesOf = new Map(guards.map((each) => [each, guardNotes(each)]))
  const refusalFor = errorRefusal(challenge, logDenial)
  return async function admit(each, req, found) {
    const { guard, name, tenantOf } = each
    const notes = notesOf.get(each) as GuardNotes
    try {
      const verdict = await decide(guard, req, route)
      if (verdict !== true) {
        found.verdicts.push(notes.refused(req))
        return deny(challenge)
      }
      // The tenant is read while the guard's user is set, because the guard may use the user to determine the tenant.
      if (tenantOf !== null) found.tenants.push(readTenant(tenantOf, req))
    } catch (error) {
      found.verdicts.push(notes.failed(error))
      return refusalFor(error, req)
    }
    found.verdicts.push(notes.admitted)
    if (found.scheme === undefined) {
      found.scheme = name ?? undefined
      found.user = req.user
    }
    return null
  }
}

function foundNothing(user: BlazonRequest['user']): GuardResults {
  return {
    scheme: undefined,
    user,
    keyScheme: undefined,
    key: undefined,
    tenants: [],
    verdicts: [],
  }
}

/** Removes a key's ID from the request and stores the first ID, so that a second key cannot change the rate limit. */
function noteKey({ name }: RouteGuard, req: BlazonRequest, found: GuardResults): void {
  const key = replaceKeyId(req, undefined)
  if (key === undefined || found.key !== undefined) return
  found.key = key
  found.keyScheme = name ?? undefined
}
