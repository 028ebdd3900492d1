import type { FactOf } from '../contracts/facts.js'
import type { RouteBounds, RouteLimits } from '../contracts/limits.js'
import type { HttpMethod, RouteModel } from '../contracts/route-model.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import { type OptionNames, unknownNames } from '../errors/option-group.js'
import { checkCount, checkDuration, checkSize, toBytes, toSeconds } from '../http/units.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

const NAMES: OptionNames<RouteLimits> = { body: true, depth: true, timeout: true }

/** Checks the `@Limits` of one method, or of one class without its base classes. */
export function checkBounds(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'limits').flatMap(({ limits }) => checkStated(`${subject} @Limits`, limits))
}

function checkStated(subject: string, limits: unknown): Problem[] {
  const remedy =
    "Write @Limits({ body: '5mb', depth: 20, timeout: '5s' }), with at least one field."
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits)) {
    return [invalid(subject, `${shown(limits)} is not an object of limits.`, remedy)]
  }
  const { body, depth, timeout } = limits as RouteLimits
  const unknown = unknownNames(`${subject} `, limits, NAMES)
  const isEmpty = body === undefined && depth === undefined && timeout === undefined
  if (isEmpty && unknown.length === 0) return [invalid(subject, 'It sets no limit.', remedy)]
  return [
    ...unknown,
    ...checkSize(`${subject} body`, body),
    ...checkCount(`${subject} depth`, depth),
    ...(timeout === false ? [] : checkDuration(`${subject} timeout`, timeout)),
  ]
}

/**
 * Warns about body limits on a method whose requests have no body. Limits on a class are not reported, because they
 * also apply to its other methods.
 */
export function checkUnusedBounds(subject: string, facts: FactsByKind): Problem[] {
  const methods = factsOf(facts, 'route').map(({ method }) => method)
  const inputs = factsOf(facts, 'input')
  const isRead =
    (facts.body ?? facts.upload) !== undefined || inputs.some(({ source }) => source === 'body')
  if (isRead || methods.length === 0 || methods.some(hasBody)) return []
  const stated = factsOf(facts, 'limits').map(({ limits }) => limits)
  const unused = (['body', 'depth'] as const).filter((name) =>
    stated.some((limits) => limits?.[name] !== undefined),
  )
  return unused.map((name) => ({
    code: 'W_LIMIT_UNUSED',
    subject,
    cause: `@Limits sets \`${name}\`, but no body is read for ${methods.join(' and ')} requests without @Body.`,
    remedy: `Remove \`${name}\`, or use an HTTP method with a request body, such as POST.`,
  }))
}

/**
 * Merges the `@Limits` of a controller, its base classes and one method, field by field. The method's value wins over
 * the class's, and the class's value wins over the base class's. Returns `null` if there are no limits.
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

/** Returns the limits for requests to a route: its `@Limits`, otherwise the application's limits. */
export function boundsOf<T extends RouteBounds>(
  route: { readonly limits?: RouteBounds | null } | undefined,
  ofApp: T,
): T {
  return { ...ofApp, ...route?.limits }
}

/** Takes the first value of each field. The facts must be in order of precedence. */
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

/** Replaces an invalid size or duration with `NaN`. `checkBounds` reports such values. */
function checked(value: number | undefined): number {
  return value ?? Number.NaN
}

/** The methods whose requests have a body. The body is read even if the route has no schema for it. */
const METHODS_WITH_BODY: readonly HttpMethod[] = ['QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'ALL']

/** Whether the framework reads the body of requests to a route. */
export function readsBody({
  method,
  inputs,
  bodies,
}: Pick<RouteModel, 'method' | 'inputs' | 'bodies'>): boolean {
  return inputs.body !== null || bodies !== null || hasBody(method)
}

/** Whether requests with this method have a body. */
function hasBody(method: HttpMethod): boolean {
  return METHODS_WITH_BODY.includes(method)
}
