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

/** The results of the guards for a request so far. */
interface GuardResults {
  /** The guard that sets `req.user`: the first one. */
  scheme: string | undefined
  user: BlazonRequest['user']
  /** The first guard that stored the id of a key, and that id. */
  keyScheme: string | undefined
  key: string | undefined
  readonly tenants: (string | undefined)[]
  /** The decisions of the guards so far, for records. */
  readonly verdicts: SchemeVerdict[]
}

/**
 * Lets a request pass for which every guard whose credential it carries returns exactly `true`: a wrong credential is not
 * made right by another one. A request that carries none is refused.
 *
 * @param isOptional Whether a request with nothing in any place of these guards passes, too.
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

/** A user that a middleware has set needs a guard, too. */
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
    // Each guard receives the original request, and so does the refusal.
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

/** Calls one guard, and adds its decision. Returns the refusal; `null` if the guard admits the request. */
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
      // A guard may read its user to find the tenant.
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

/** Removes the id of a key from the request. The first key counts, so that a second key cannot give another limit. */
function noteKey({ name }: RouteGuard, req: BlazonRequest, found: GuardResults): void {
  const key = replaceKeyId(req, undefined)
  if (key === undefined || found.key !== undefined) return
  found.key = key
  found.keyScheme = name ?? undefined
}
