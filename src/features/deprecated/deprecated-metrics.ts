import type { Metric, MetricSample } from '../../contracts/metrics.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { CallerCount, Callers } from './callers.js'
import type { DeprecatedRoute } from './deprecated.js'

/** A route that ends, and its callers. */
export interface CountedRoute {
  readonly route: Pick<RouteModel, 'method' | 'path'>
  readonly found: DeprecatedRoute
  readonly callers: Callers
}

/** The metrics that `blazon deprecations` reads. */
export function deprecatedMetrics(routes: readonly CountedRoute[]): Metric[] {
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
      help: 'Since when a route is deprecated, in seconds since 1970.',
      type: 'gauge',
      read: each(({ since }) => since),
    },
    {
      name: 'http_deprecated_sunset_seconds',
      help: 'When a deprecated route may end, in seconds since 1970.',
      type: 'gauge',
      read: each(({ sunset }) => sunset),
    },
    {
      name: 'http_deprecated_requests_total',
      help: 'Requests of a deprecated route by caller, since the process has started.',
      type: 'counter',
      read: ofCallers(({ requests }) => requests),
    },
    {
      name: 'http_deprecated_last_request_seconds',
      help: 'When a caller has last called a deprecated route, in seconds since 1970.',
      type: 'gauge',
      read: ofCallers(({ lastAt }) => lastAt / 1000),
    },
  ]
}
