import type { Request } from '../../contracts/handler.js'
import type { Metric } from '../../contracts/metrics.js'
import type { Plugin, RouteSetup } from '../../contracts/plugin.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { Clock } from '../../di/clock.js'
import { refuse } from '../../errors/refuse.js'
import { writePath } from '../../model/paths.js'
import { Refusal } from '../../step/refusal.js'
import { type CallerNames, Callers } from './callers.js'
import { type DeprecatedRoute, deprecatedOf } from './deprecated.js'
import { deprecatedMetrics } from './deprecated-metrics.js'

/** Dependencies of {@link deprecatedPlugin}. */
export interface DeprecatedSources {
  /** Returns the list that takes metrics. */
  readonly metricsOf: (get: RouteSetup['get']) => { add(metric: Metric): void }
  /** How callers are named in the metrics; `null` if nothing reads metrics, so that nothing is counted. */
  readonly names: CallerNames | null
}

/** Announces the end of routes, ends them, and counts their callers. */
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
        // After the guard, the caller is known. A request that the guard refuses is not one of a caller.
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

const ENDED = 'This operation has ended'

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
