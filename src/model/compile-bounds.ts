import type { FactOf } from '../contracts/facts.js'
import type { RouteBounds, RouteLimits } from '../contracts/limits.js'
import { toBytes, toSeconds } from '../http/units.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/**
 * Merges the `@Limits` of a controller, its base classes and one method, field by field: the nearest value counts.
 * Returns `null` if there are none.
 */
export function compileBounds(ofClass: FactsByKind, ofMethod: FactsByKind): RouteBounds | null {
  if (ofClass.limits === undefined && ofMethod.limits === undefined) return null
  const stated = [...factsOf(ofMethod, 'limits'), ...factsOf(ofClass, 'limits')]
  const { body, depth, timeout } = mergeLimits(stated)
  return Object.freeze({
    ...(body !== undefined && { bodyBytes: checked(toBytes(body)) }),
    ...(depth !== undefined && { depth }),
    ...(timeout !== undefined && { handlerMs: toMs(timeout) }),
  })
}

/** Takes the first value of each field. The nearest facts come first. */
export function mergeLimits(facts: readonly FactOf<'limits'>[]): RouteLimits {
  const merged: Record<string, unknown> = {}
  for (const { limits } of facts) {
    for (const [name, value] of Object.entries(limits ?? {})) merged[name] ??= value
  }
  return merged
}

function toMs(timeout: NonNullable<RouteLimits['timeout']>): number | null {
  return timeout === false ? null : 1000 * checked(toSeconds(timeout))
}

/** `checkBounds` reports values that are not sizes or durations. */
function checked(value: number | undefined): number {
  return value ?? Number.NaN
}
