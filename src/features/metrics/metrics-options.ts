import type { AuthGuard } from '../../contracts/guard.js'
import type { Token } from '../../contracts/provider.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import type { MetricsRegistry } from './exposition.js'

/** The `metrics` option. `true` is the same as `{}`. */
export interface MetricsOptions {
  /**
   * The path of the metrics route. The `prefix` option does not apply to it.
   *
   * @defaultValue `'/metrics'`
   */
  readonly path?: string
  /**
   * The guard, or the token of a guard, that decides which callers can read the metrics. All other callers receive a
   * 401 response, or the HTTP error that the guard throws.
   *
   * @defaultValue every caller
   */
  readonly guard?: AuthGuard | Token<AuthGuard>
  /**
   * The upper bounds of the buckets for request durations, in seconds, ascending.
   *
   * @defaultValue `[0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]`
   */
  readonly buckets?: readonly number[]
  /**
   * Counts the requests of each tenant. The first `max` tenants (1 to 10,000) have their own series. All other tenants
   * share one series, which is named by `rest` (default: `'other'`).
   *
   * @defaultValue none: no metric contains a tenant
   */
  readonly tenants?: MetricsTenants
  /**
   * A `prom-client` registry whose metrics are also served. If the framework has a metric with the same name, only the
   * registry's metric is served.
   *
   * @defaultValue none
   */
  readonly registry?: MetricsRegistry
}

/** The settings for counting the requests of tenants. */
export interface MetricsTenants {
  /** The maximum number of tenants with their own series: 1 to 10,000. */
  readonly max: number
  /** The name for all other tenants. Default: `'other'`. */
  readonly rest?: string
}

/** The `metrics` option, resolved. */
export interface MetricsSettings {
  readonly path: string
  /** `null` if every caller can read the metrics. */
  readonly guard: AuthGuard | Token<AuthGuard> | null
  /** In seconds, ascending. */
  readonly bounds: Float64Array
  /** `null` if tenants are not counted. */
  readonly tenants: { readonly max: number; readonly rest: string } | null
  readonly registry: MetricsRegistry | null
}

type Option = boolean | MetricsOptions | undefined

const TENANTS: OptionNames<MetricsTenants> = { max: true, rest: true }
const NAMES: OptionNames<MetricsOptions> = {
  path: true,
  guard: true,
  buckets: true,
  tenants: TENANTS,
  registry: true,
}
/** The bounds that the OpenTelemetry semantic conventions recommend for request durations. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const MOST_TENANTS = 10_000

/**
 * The `metrics` option. An unknown field causes an error, because with a misspelt `guard`, every caller could read the
 * metrics.
 */
export const metricsGroup: OptionGroup<Option, MetricsSettings | null> = {
  unknown: (metrics) => unknownOptions('metrics.', metrics, NAMES),
  check,
  resolve(metrics) {
    if (metrics === undefined || metrics === false) return null
    const {
      path = '/metrics',
      guard = null,
      registry = null,
      ...rest
    } = metrics === true ? {} : metrics
    const { buckets = BUCKETS, tenants } = rest
    return Object.freeze({
      path,
      guard,
      bounds: Float64Array.from(buckets),
      tenants: tenants === undefined ? null : Object.freeze({ rest: 'other', ...tenants }),
      registry,
    })
  },
}

function check(metrics: unknown): Problem[] {
  if (metrics === undefined || typeof metrics === 'boolean') return []
  if (typeof metrics !== 'object' || metrics === null || Array.isArray(metrics)) {
    const remedy = 'Pass true, or { path, guard, buckets, tenants, registry }.'
    return [invalid('metrics', `${shown(metrics)} is not an object of options.`, remedy)]
  }
  const { path, guard, buckets, tenants, registry } = metrics as Record<string, unknown>
  return [
    ...problemOf(
      'path',
      isPath(path),
      `${shown(path)} is not a path.`,
      "Pass a path such as '/metrics'.",
    ),
    ...problemOf(
      'guard',
      isGuard(guard),
      'It has no method canActivate.',
      'Pass an instance with canActivate(req), a class, or a token.',
    ),
    ...problemOf(
      'buckets',
      areBounds(buckets),
      `${shown(buckets)} are not bucket bounds.`,
      'Pass 1 to 100 bounds in seconds, above 0 and ascending: [0.1, 0.5, 1].',
    ),
    ...problemOf(
      'tenants',
      areTenants(tenants),
      `${shown(tenants)} is not an object with a valid max and, optionally, a name for the rest.`,
      `Pass { max: 50, rest: 'other' }, with a max from 1 to ${MOST_TENANTS}.`,
    ),
    ...problemOf(
      'registry',
      isRegistry(registry),
      'It is not a prom-client registry.',
      'Pass the registry itself: `register`, or `new Registry()`.',
    ),
  ]
}

function problemOf(name: string, isValid: boolean, cause: string, remedy: string): Problem[] {
  return isValid ? [] : [invalid(`metrics.${name}`, cause, remedy)]
}

function isPath(path: unknown): boolean {
  return path === undefined || (typeof path === 'string' && /^(?:\/[\w.~-]+)+$/.test(path))
}

function isGuard(guard: unknown): boolean {
  const { canActivate, description } = Object(guard)
  const isToken = ['function', 'string', 'symbol', 'undefined'].includes(typeof guard)
  return isToken || typeof canActivate === 'function' || typeof description === 'string'
}

function areBounds(buckets: unknown): boolean {
  if (buckets === undefined) return true
  if (!Array.isArray(buckets) || buckets.length === 0 || buckets.length > 100) return false
  return buckets.every(
    (bound, at) => Number.isFinite(bound) && bound > (at === 0 ? 0 : buckets[at - 1]),
  )
}

function areTenants(tenants: unknown): boolean {
  if (tenants === undefined) return true
  const { max, rest } = Object(tenants)
  const isName = rest === undefined || (typeof rest === 'string' && rest !== '')
  return Number.isInteger(max) && max >= 1 && max <= MOST_TENANTS && isName
}

function isRegistry(registry: unknown): boolean {
  if (registry === undefined) return true
  const { contentType, metrics, getMetricsAsArray } = Object(registry)
  return (
    typeof contentType === 'string' &&
    typeof metrics === 'function' &&
    typeof getMetricsAsArray === 'function'
  )
}
