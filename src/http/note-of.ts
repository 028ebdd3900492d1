import type { NoteDecision } from '../contracts/request-record.js'
import type { ObservedResponse } from './observed-request.js'
import { kObserved } from './symbol-fields.js'

/**
 * Returns the function that notes a decision about a request, for `onDecision` of observers, `app.explain` of `TestApp`
 * and the dashboard of `blazon dev`. `undefined` without an observer: with `?.`, the decision is then not even made.
 * Guards, steps of plugins, middlewares and handlers may call it. A decision has no credential in it.
 *
 * @example
 * noteOf(req)?.({ by: 'countries', verdict: 'refused', reason: `not available in ${country}` })
 */
export function noteOf(req: object): NoteDecision | undefined {
  const { res } = req as { readonly res?: ObservedResponse }
  return res?.[kObserved]?.note
}
