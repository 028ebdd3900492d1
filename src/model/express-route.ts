import type { FactOf } from '../contracts/facts.js'
import type { Class } from '../contracts/provider.js'
import type { HttpMethod, RouteModel } from '../contracts/route-model.js'

/**
 * The value that `route.get()` and `route.all()` of Express store in `route.methods`. Routes with the same method
 * share the object.
 */
export function expressMethods(method: HttpMethod): RouteModel['methods'] {
  METHODS[method] ??= Object.freeze({ [lowerCase(method) ?? '_all']: true as const })
  return METHODS[method]
}

const METHODS: Partial<Record<HttpMethod, RouteModel['methods']>> = {}

/** The entry that they store in `route.stack`. */
export function expressStack(
  { prototype }: Class,
  handler: PropertyKey,
  { method, handler: ofField }: FactOf<'route'>,
): RouteModel['stack'] {
  const handle = ofField ?? (prototype as Record<PropertyKey, unknown>)[handler]
  return Object.freeze([
    Object.freeze({ name: String(handler), method: lowerCase(method), handle }),
  ])
}

/** `undefined` for `ALL`, as in Express. */
function lowerCase(method: HttpMethod): string | undefined {
  return method === 'ALL' ? undefined : method.toLowerCase()
}
