import type { NoteDecision } from '../../contracts/observers.js'
import { HttpError } from '../../errors/http-error.js'
import type { CarriesCredential } from '../../http/credentials.js'
import { noteOf } from '../../http/observed-request.js'
import type { BlazonRequest } from '../../http/request.js'

/** The decision of one guard. A type, because an interface is not assignable to `DecisionValue`. */
export type SchemeVerdict = {
  /** The name in `auth.guards`; `null` for `auth.guard`. */
  readonly scheme: string | null
  readonly verdict: 'admitted' | 'refused'
  /** `null` where the verdict needs no reason. */
  readonly reason: string | null
}

/** Makes the verdicts of one guard, for records. */
export interface GuardNotes {
  readonly admitted: SchemeVerdict
  /** The guard has returned something else than `true`. */
  readonly refused: (req: BlazonRequest) => SchemeVerdict
  /** The guard has thrown. */
  readonly failed: (error: unknown) => SchemeVerdict
}

/** The facts of a guard that its notes need. */
interface NotedGuard {
  readonly name: string | null
  readonly carries: CarriesCredential
}

/** Makes the notes of a guard. */
export function guardNotes({ name: scheme, carries }: NotedGuard): GuardNotes {
  const refused = (reason: string): SchemeVerdict => ({ scheme, verdict: 'refused', reason })
  return {
    admitted: Object.freeze({ scheme, verdict: 'admitted', reason: null }),
    refused: (req) =>
      refused(carries(req) ? 'it has not returned true' : 'the request has no credential for it'),
    failed: (error) => refused(textOf(error)),
  }
}

/** Notes the decision of the only guard of a route. */
export function noteGuard(
  req: BlazonRequest,
  verdictOf: (req: BlazonRequest) => SchemeVerdict,
): void {
  const note = noteOf(req)
  if (note !== undefined) noteAll(note, [verdictOf(req)])
}

/** Notes the joint decision of the guards of a route, and each single decision. */
export function noteGuards(req: BlazonRequest, schemes: readonly SchemeVerdict[]): void {
  const note = noteOf(req)
  if (note !== undefined) noteAll(note, schemes)
}

/** Why no guard was called on a route with optional auth. */
export const NOT_NEEDED = 'the request has no credential, and the route needs none'

/** Notes a request for which no guard was called. */
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
