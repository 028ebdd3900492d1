import type { Class } from '../../contracts/provider.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { type RateLimitSettings, type SettledPolicy, settlePolicy } from './rate-limit-options.js'

/** One limit with everything settled. */
export interface PlannedLimit extends SettledPolicy {
  /** Of its own: two limits have two names, and one that stands in two places has one. */
  readonly name: string
}

/** The limits of an application. */
export interface LimitPlan {
  /** Those of requests whose route says nothing, or that have no route. */
  readonly ofApp: readonly PlannedLimit[]
  /** Those of each route, by `route.index`. */
  readonly ofRoutes: readonly (readonly PlannedLimit[])[]
  readonly problems: readonly Problem[]
}

/** Whether a request of a route may be refused. */
export function isLimited({ limits }: RouteModel, { isOff, policies }: RateLimitSettings): boolean {
  if (isOff) return false
  return (limits?.policies ?? policies).length > 0
}

/** Where limits are stated. */
interface Place {
  readonly policies: readonly SettledPolicy[]
  /** For messages. */
  readonly subject: string
  /** What limits are called that have no name. */
  readonly name: string
}

/** Settles which limits there are, and what is counted together. */
export function planLimits(
  { isOff, policies }: RateLimitSettings,
  { routes }: AppModel,
): LimitPlan {
  if (isOff) return { ofApp: [], ofRoutes: routes.map(() => []), problems: [] }
  const app: Place = { policies, subject: 'rateLimit', name: 'default' }
  const places = new Map<Class, Map<PropertyKey | null, Place>>()
  const placeOf = (route: RouteModel) => {
    if (route.limits === null) return app
    const ofClass = places.get(route.controller) ?? new Map()
    places.set(route.controller, ofClass)
    // A method's routes are one place, whatever its verbs and paths are.
    const key = route.limits.isOfClass ? null : route.handler
    const place: Place =
      ofClass.get(key) ?? placeOfRoute(route, route.limits.policies.map(settlePolicy))
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

function placeOfRoute(route: RouteModel, policies: readonly SettledPolicy[]): Place {
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

  #give(policy: SettledPolicy, { subject }: Place): PlannedLimit | undefined {
    const { name } = policy
    if (name === undefined) return undefined
    const limit = { ...policy, name }
    const other = this.#byName.get(limit.name)
    if (other === undefined) this.#byName.set(limit.name, limit)
    else if (!isEqual(limit, other)) {
      const cause = `Another limit with the name '${limit.name}' has a different \`limit\`, \`window\` or \`by\`: limits with the same name share a counter.`
      const remedy =
        'Give one of them another name, or make them equal; `by` must be the same function.'
      this.problems.push(invalid(subject, cause, remedy))
    }
    return other ?? limit
  }

  #derive(policy: SettledPolicy, place: Place): PlannedLimit {
    const base = place.name.replace(/[^\w.-]/g, '_').slice(0, 60)
    let name = base
    for (let n = 2; this.#byName.has(name); n++) name = `${base}-${n}`
    const limit = { ...policy, name }
    this.#byName.set(name, limit)
    return limit
  }

  #checkTwice({ subject }: Place, limits: readonly PlannedLimit[]): void {
    if (new Set(limits).size === limits.length) return
    const cause = 'Two limits of one list have the same name: each request would be counted twice.'
    this.problems.push(invalid(subject, cause, 'Rename one.'))
  }
}

function isEqual(a: PlannedLimit, b: PlannedLimit): boolean {
  return a.limit === b.limit && a.windowMs === b.windowMs && a.by === b.by
}
