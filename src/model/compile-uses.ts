import type { InterceptorEntry, UsedByRoute, UseEntry } from '../contracts/interceptor.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'
import { flattenEntries, isMiddleware } from './use-entries.js'

/** Sorts the entries of `@Use`: class entries first, so that they run outside the method's entries. */
export function compileUses(ofClass: FactsByKind, ofMethod: FactsByKind): UsedByRoute | null {
  if (ofClass.use === undefined && ofMethod.use === undefined) return null
  const facts = [...factsOf(ofClass, 'use'), ...factsOf(ofMethod, 'use')]
  const entries = flattenEntries(facts.flatMap((fact) => fact.entries)) as readonly UseEntry[]
  const middlewares = entries.filter(isMiddleware)
  const interceptors = entries.filter((entry) => !isMiddleware(entry)) as InterceptorEntry[]
  return Object.freeze({
    middlewares: Object.freeze(middlewares),
    interceptors: Object.freeze(interceptors),
  })
}
