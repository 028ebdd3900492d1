import type { RouteModel } from '../contracts/route-model.js'

/** The properties of a route that determine which guards it accepts. */
type Guarded = Pick<RouteModel, 'isProtected' | 'isAuthOptional' | 'guards'>

/**
 * Returns the application's guards that a route accepts. The first of them determines `req.user`. The list is empty for
 * a public route. The guard of the option `auth.guard` has no name.
 */
export function guardsOfRoute<T extends { readonly name: string | null }>(
  { isProtected, isAuthOptional, guards: names }: Guarded,
  guards: readonly T[],
): readonly T[] {
  if (!isProtected && !isAuthOptional) return []
  if (names.length === 0) return guards.slice(0, 1)
  return names.flatMap((name) => guards.filter((guard) => guard.name === name))
}
