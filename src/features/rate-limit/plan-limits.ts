import type { Class } from '../../contracts/provider.js'
import type { RateLimitBy, RateLimitOptions, RateLimitPolicy } from '../../contracts/rate-limit.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { windowMs } from '../../model/check-limits.js'

const DEFAULT_LIMIT = 100
const DEFAULT_WINDOW = '1m'

/** One limit with everything settled. */
export interface PlannedLimit {
  /** Of its own: two limits have two names, and one that stands in two places has one. */
  readonly name: string
  readonly limit: number
  readonly windowMs: number
  readonly by: RateLimitBy
}

/** The limits of an application. */
export interface LimitPlan {
  /** Those of requests whose route says nothing, or that have no route. */
  readonly ofApp: readonly PlannedLimit[]
  /** Those of each route, by `route.index`. */
  readonly ofRoutes: readonly (readonly PlannedLimit[])[]
  readonly problems: readonly Problem[]
}

/** The limits that the `rateLimit` option states for the whole application. */
export function appPolicies(option: boolean | RateLimitOptions | undefined): RateLimitPolicy[] {
  if (option === undefined || option === false) return []
  const { policies, store: _, ...stated } = option === true ? {} : option
  return policies === undefined
    ? [{ ...stated, limit: stated.limit ?? DEFAULT_LIMIT, window: stated.window ?? DEFAULT_WINDOW }]
    : [...policies]
}

/** Whether a request of a route may be refused. */
export function isLimited(
  { limits }: RouteModel,
  option: boolean | RateLimitOptions | undefined,
): boolean {
  if (option === false) return false
  return (limits?.policies ?? appPolicies(option)).length > 0
}

/** Where limits are stated. */
interface Place {
  readonly policies: readonly RateLimitPolicy[]
  /** For messages. */
  readonly subject: string
  /** What limits are called that have no name. */
  readonly name: string
}

/** Settles which limits there are, and what is counted together. */
export function planLimits(
  option: boolean | RateLimitOptions | undefined,
  { routes }: AppModel,
): LimitPlan {
  if (option === false) return { ofApp: [], ofRoutes: routes.map(() => []), problems: [] }
  const app: Place = { policies: appPolicies(option), subject: 'rateLimit', name: 'default' }
  const places = new Map<Class, Map<PropertyKey | null, Place>>()
  const placeOf = (route: RouteModel) => {
    if (route.limits === null) return app
    const ofClass = places.get(route.controller) ?? new Map()
    places.set(route.controller, ofClass)
    // A method's routes are one place, whatever its verbs and paths are.
    const key = route.limits.isOfClass ? null : route.handler
    const place: Place = ofClass.get(key) ?? placeOfRoute(route, route.limits.policies)
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

function placeOfRoute(route: RouteModel, policies: readonly RateLimitPolicy[]): Place {
  const { name } = route.controller
  const ofClass = name.replace(/(?<=.)Controller$/, '') || 'Routes'
  if (route.limits?.isOfClass) return { policies, subject: `${name} @RateLimit`, name: ofClass }
  const subject = `${route.name} @RateLimit`
  return { policies, subject, name: `${ofClass}.${String(route.handler)}` }
}

/** Gives every limit its name. */
class Names {
  readonly problems: Problem[] = []
  readonly #limits = new Map<Place, readonly PlannedLimit[]>()
  readonly #byName = new Map<string, PlannedLimit>()

  constructor(places: ReadonlySet<Place>) {
    const all = [...places]
    // First those that are given: one that is derived gives way.
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

  limitsOf(place: Place): readonly PlannedLimit[] {
    return this.#limits.get(place) ?? []
  }

  #give(policy: RateLimitPolicy, { subject }: Place): PlannedLimit | undefined {
    if (policy.name === undefined) return undefined
    const limit = settle(policy, policy.name)
    const other = this.#byName.get(limit.name)
    if (other === undefined) this.#byName.set(limit.name, limit)
    else if (!isEqual(limit, other)) {
      const cause = `Another limit with the name '${limit.name}' has a different \`limit\`, \`window\` or \`by\`: limits with the same name share a counter.`
      const remedy =
        'Give one of them another name, or make them equal; `by` must be the same function.'
      this.problems.push({ code: 'E_OPTION_INVALID', subject, cause, remedy })
    }
    return other ?? limit
  }

  #derive(policy: RateLimitPolicy, place: Place): PlannedLimit {
    const base = place.name.replace(/[^\w.-]/g, '_').slice(0, 60)
    let name = base
    for (let n = 2; this.#byName.has(name); n++) name = `${base}-${n}`
    const limit = settle(policy, name)
    this.#byName.set(name, limit)
    return limit
  }

  #checkTwice({ subject }: Place, limits: readonly PlannedLimit[]): void {
    if (new Set(limits).size === limits.length) return
    const cause = 'Two limits of one list have the same name: each request would be counted twice.'
    this.problems.push({ code: 'E_OPTION_INVALID', subject, cause, remedy: 'Rename one.' })
  }
}

function settle(policy: RateLimitPolicy, name: string): PlannedLimit {
  return { name, limit: policy.limit, windowMs: windowMs(policy), by: policy.by ?? 'ip' }
}

function isEqual(a: PlannedLimit, b: PlannedLimit): boolean {
  return a.limit === b.limit && a.windowMs === b.windowMs && a.by === b.by
}
