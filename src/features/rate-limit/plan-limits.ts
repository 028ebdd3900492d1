import type { Class } from '../../contracts/provider.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { type RateLimitsOfRoute, rateLimitsOf } from './decorator.js'
import { type RateLimitSettings, type SettledPolicy, settlePolicy } from './rate-limit-options.js'

/** One limit with its name, defaults and units resolved. */
export interface PlannedLimit extends SettledPolicy {
  /**
   * The unique name of the limit. Two different limits always have different names, and a limit that is used in two
   * places has only one name.
   */
  readonly name: string
}

/** The limits of an application. */
export interface LimitPlan {
  /** The limits for requests without a route, and for routes that declare no limits. */
  readonly ofApp: readonly PlannedLimit[]
  /** The limits of each route, by `route.index`. */
  readonly ofRoutes: readonly (readonly PlannedLimit[])[]
  readonly problems: readonly Problem[]
}

/** Whether a route has at least one limit. */
export function isLimited(route: RouteModel, { isOff, policies }: RateLimitSettings): boolean {
  if (isOff) return false
  return (rateLimitsOf(route)?.policies ?? policies).length > 0
}

/** Whether an application has at least one limit. */
export function hasLimits(settings: RateLimitSettings, { routes }: AppModel): boolean {
  const { isOff, policies } = settings
  return (!isOff && policies.length > 0) || routes.some((route) => isLimited(route, settings))
}

/**
 * Divides a route's limits into two steps: limits by address run before the guard, and all other limits run after it.
 */
export function placeLimits(
  limits: readonly PlannedLimit[],
): Readonly<Record<'ipRateLimit' | 'userRateLimit', readonly PlannedLimit[]>> {
  return {
    ipRateLimit: limits.filter(({ by }) => by === 'ip'),
    userRateLimit: limits.filter(({ by }) => by !== 'ip'),
  }
}

/** A place that declares limits: the `rateLimit` option, a controller, or a handler method. */
interface LimitOwner {
  readonly policies: readonly SettledPolicy[]
  /** The name of this place in error messages. */
  readonly subject: string
  /** The base name for limits without a name. */
  readonly name: string
}

/** Resolves the limits of the application and its routes, and decides which limits share a counter. */
export function planLimits(
  { isOff, policies }: RateLimitSettings,
  { routes }: AppModel,
): LimitPlan {
  if (isOff) return { ofApp: [], ofRoutes: routes.map(() => []), problems: [] }
  const app: LimitOwner = { policies, subject: 'rateLimit', name: 'default' }
  const places = new Map<string | null, Map<Class, Map<PropertyKey | null, LimitOwner>>>()
  const placeOf = (route: RouteModel) => {
    const stated = rateLimitsOf(route)
    if (stated === null) return app
    const inVersion = places.get(route.version) ?? new Map()
    places.set(route.version, inVersion)
    const ofClass = inVersion.get(route.controller) ?? new Map()
    inVersion.set(route.controller, ofClass)
    // All routes of one handler method in one version share the method's limits, even if their HTTP methods and paths
    // differ.
    const key = stated.isOfClass ? null : route.handler
    const place: LimitOwner = ofClass.get(key) ?? placeOfRoute(route, stated)
    ofClass.set(key, place)
    return place
  }
  const ofRoutes = routes.map(placeOf)
  const names = new Names(new Set([app, ...ofRoutes]))
  return {
    ofApp: names.limitsOf(app),
    ofRoutes: ofRoutes.map((place) => names.limitsOf(place)),
    problems: names.problems,
  }
}

function placeOfRoute(route: RouteModel, stated: RateLimitsOfRoute): LimitOwner {
  const policies = stated.policies.map(settlePolicy)
  const { name } = route.controller
  const ofClass = name.replace(/(?<=.)Controller$/, '') || 'Routes'
  const inVersion = route.version === null ? '' : `.v${route.version}`
  if (stated.isOfClass)
    return { policies, subject: `${name} @RateLimit`, name: ofClass + inVersion }
  const subject = `${route.name} @RateLimit`
  return { policies, subject, name: `${ofClass}.${String(route.handler)}${inVersion}` }
}

class Names {
  readonly problems: Problem[] = []
  readonly #limits = new Map<LimitOwner, readonly PlannedLimit[]>()
  readonly #byName = new Map<string, PlannedLimit>()

  constructor(places: ReadonlySet<LimitOwner>) {
    const all = [...places]
    // Explicit names are assigned first. A derived name that is equal to an explicit name receives a suffix.
    const given = new Map(
      all.map((place) => [place, place.policies.map((each) => this.#give(each, place))]),
    )
    for (const place of all) {
      const limits = place.policies.map(
        (policy, index) => given.get(place)?.[index] ?? this.#derive(policy, place),
      )
      this.#limits.set(place, limits)
      this.#checkTwice(place, limits)
    }
  }

  limitsOf(place: LimitOwner): readonly PlannedLimit[] {
    return this.#limits.get(place) ?? []
  }

  #give(policy: SettledPolicy, { subject }: LimitOwner): PlannedLimit | undefined {
    const { name } = policy
    if (name === undefined) return undefined
    const limit = { ...policy, name }
    const other = this.#byName.get(limit.name)
    if (other === undefined) this.#byName.set(limit.name, limit)
    else if (!isEqual(limit, other)) {
      const cause = `Another limit with the name '${limit.name}' has a different \`limit\`, \`window\` or \`by\`: limits with the same name share a counter.`
      const remedy = 'Rename one of the limits, or make them equal; `by` must be the same function.'
      this.problems.push({ code: 'E_OPTION_INVALID', subject, cause, remedy })
    }
    return other ?? limit
  }

  #derive(policy: SettledPolicy, place: LimitOwner): PlannedLimit {
    const base = place.name.replace(/[^\w.-]/g, '_').slice(0, 60)
    let name = base
    for (let n = 2; this.#byName.has(name); n++) name = `${base}-${n}`
    const limit = { ...policy, name }
    this.#byName.set(name, limit)
    return limit
  }

  #checkTwice({ subject }: LimitOwner, limits: readonly PlannedLimit[]): void {
    if (new Set(limits).size === limits.length) return
    const cause = 'Two limits of one list have the same name: each request would be counted twice.'
    this.problems.push({
      code: 'E_OPTION_INVALID',
      subject,
      cause,
      remedy: 'Rename one of the limits.',
    })
  }
}

function isEqual(a: PlannedLimit, b: PlannedLimit): boolean {
  return a.limit === b.limit && a.windowMs === b.windowMs && a.by === b.by
}
