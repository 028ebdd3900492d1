import type { Request, Response } from '../../contracts/handler.js'
import type { Plugin, RouteSetup } from '../../contracts/plugin.js'
import type { Metric, MetricSample } from '../../contracts/reports.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { Clock } from '../../di/token.js'
import { refuse } from '../../errors/refuse.js'
import { callerOf } from '../../http/caller.js'
import { keyIdOf } from '../../http/request-state.js'
import { writePath } from '../../model/paths.js'
import { Refusal } from '../../step/refusal.js'
import { type DeprecatedRoute, deprecatedOf } from './deprecated.js'

/** Dependencies of {@link deprecatedPlugin}. */
export interface DeprecatedSources {
  /** Returns the metrics registry. */
  readonly metricsOf: (get: RouteSetup['get']) => { add(metric: Metric): void }
  /** The form of the caller names in the metrics; `null` if there are no metrics, so that callers are not counted. */
  readonly names: CallerNames | null
}

/** Sends the deprecation headers of routes, refuses requests after a route's end date, and counts the callers. */
export function deprecatedPlugin(
  routes: readonly RouteModel[],
  { metricsOf, names }: DeprecatedSources,
): Plugin {
  const counted = routes.flatMap((route) => {
    const found = names === null ? null : deprecatedOf(route)
    return found === null || names === null ? [] : [{ route, found, callers: new Callers(names) }]
  })
  return {
    name: 'deprecated',
    setup({ get }) {
      for (const metric of counted.length === 0 ? [] : deprecatedMetrics(counted))
        metricsOf(get).add(metric)
    },
    steps(route, { get }) {
      const found = deprecatedOf(route)
      if (found === null) return null
      const clock = get(Clock)
      const callers = counted.find((each) => each.route === route)?.callers
      const headersOf = headersFor(found)
      const endsAt = found.ends && found.sunset !== null ? found.sunset : Number.POSITIVE_INFINITY
      return {
        beforeGuard: (next) =>
          function announceEnd(req, res) {
            for (const [name, value] of headersOf(req)) res.append(name, value)
            return next(req, res)
          },
        // After the guard has run, the caller is known. Requests that the guard refuses are not counted.
        afterGuard: (next) =>
          function countCaller(req, res) {
            const now = clock.now()
            callers?.note(req, res, now)
            return now < endsAt ? next(req, res) : new Refusal(refuse('GONE', ENDED))
          },
      }
    },
  }
}

const ENDED = 'This operation is no longer available'

function headersFor({ since, sunset, successor }: DeprecatedRoute) {
  const fixed: [string, string][] = [['Deprecation', `@${Math.floor(since / 1000)}`]]
  if (sunset !== null) fixed.push(['Sunset', new Date(sunset).toUTCString()])
  if (successor === null) return () => fixed
  return ({ params }: Pick<Request, 'params'>) => {
    const path = writePath(successor, (name) =>
      String(params[name] ?? '')
        .split('/')
        .map(encodeURIComponent)
        .join('/'),
    )
    return [...fixed, ['Link', `<${path}>; rel="successor-version"`] as const]
  }
}

interface CountedRoute {
  readonly route: Pick<RouteModel, 'method' | 'path'>
  readonly found: DeprecatedRoute
  readonly callers: Callers
}

/** The metrics that `blazon deprecations` reads. */
function deprecatedMetrics(routes: readonly CountedRoute[]): Metric[] {
  const nameOf = ({ route: { method, path } }: CountedRoute) => `${method} ${path}`
  const each = (read: (found: DeprecatedRoute) => number | null) => (): MetricSample[] =>
    routes.flatMap((counted) => {
      const ms = read(counted.found)
      return ms === null ? [] : [{ value: ms / 1000, labels: { route: nameOf(counted) } }]
    })
  const ofCallers = (read: (count: CallerCount) => number) => (): MetricSample[] =>
    routes.flatMap((counted) =>
      counted.callers.list().map(([caller, count]) => ({
        value: read(count),
        labels: { route: nameOf(counted), caller },
      })),
    )
  return [
    {
      name: 'http_deprecated_since_seconds',
      help: 'The time at which a route was deprecated, in seconds since 1970.',
      type: 'gauge',
      read: each(({ since }) => since),
    },
    {
      name: 'http_deprecated_sunset_seconds',
      help: 'The time after which a deprecated route can be removed, in seconds since 1970.',
      type: 'gauge',
      read: each(({ sunset }) => sunset),
    },
    {
      name: 'http_deprecated_requests_total',
      help: 'Requests to a deprecated route by caller, since the process started.',
      type: 'counter',
      read: ofCallers(({ requests }) => requests),
    },
    {
      name: 'http_deprecated_last_request_seconds',
      help: 'The time of the last call to a deprecated route by a caller, in seconds since 1970.',
      type: 'gauge',
      read: ofCallers(({ lastAt }) => lastAt / 1000),
    },
  ]
}

/**
 * With `'ids'`, the metrics contain each caller's ID. With `'kinds'`, they contain only the kind of caller: a caller
 * with a key, a user, or a program without credentials.
 */
type CallerNames = 'ids' | 'kinds'

/** The number of calls that one caller made to a route, and the time of the last call, in milliseconds since 1970. */
interface CallerCount {
  readonly requests: number
  readonly lastAt: number
}

/**
 * The maximum number of callers with a key or a user that are counted by name. Such callers cannot choose their IDs, so
 * each caller has one entry.
 */
const MOST_IDS = 900
/**
 * The maximum number of user agents that are counted by name. They are limited separately from IDs, because clients can
 * send any value.
 */
const MOST_AGENTS = 100
const LONGEST = 120

/** The callers of one route. At most 1,000 are counted by name. All others are counted as `other` or `other agents`. */
class Callers {
  readonly #names: CallerNames
  readonly #ids: Map<string, CallerCount> = new Map()
  readonly #agents: Map<string, CallerCount> = new Map()

  constructor(names: CallerNames) {
    this.#names = names
  }

  note(req: Request, res: Response, now: number): void {
    const [kind, id] = nameOf(req, res)
    const isAgent = kind === 'agent'
    const [counts, most] = isAgent ? [this.#agents, MOST_AGENTS] : [this.#ids, MOST_IDS]
    const name = this.#names === 'ids' ? `${kind}:${id}`.slice(0, LONGEST) : kind
    const rest = isAgent ? 'other agents' : 'other'
    const label = counts.has(name) || counts.size < most ? name : rest
    const requests = (counts.get(label)?.requests ?? 0) + 1
    counts.set(label, { requests, lastAt: now })
  }

  list(): readonly (readonly [caller: string, count: CallerCount])[] {
    return [...this.#ids, ...this.#agents]
  }
}

function nameOf(req: Request, res: Response): readonly ['key' | 'user' | 'agent', string] {
  const key = keyIdOf(req)
  if (key !== undefined) return ['key', key]
  const caller = callerOf(req, res)
  if (caller === null) return ['agent', req.headers['user-agent'] ?? 'none']
  // The name of a caller, such as `user.id=s7`, has a prefix that distinguishes the string `'7'` from the number 7. The
  // metrics omit the prefix.
  return ['user', caller?.replace(/^\w*:?user(?:\.\w+)?=[snb]/, '') ?? 'unknown']
}
