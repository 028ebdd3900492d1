import type { AuthGuard } from '../../contracts/guard.js'
import type { Token } from '../../contracts/provider.js'
import type { HealthCheck } from '../../contracts/reports.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'

/** The `health` option: three routes for load balancers and orchestrators. */
export interface HealthOptions {
  /**
   * The guard, or the token of a guard, that decides which callers receive the reasons in `/readyz` responses. All
   * other callers receive only the status. The guard has one second to decide. The request itself is never refused.
   *
   * @defaultValue no caller
   */
  readonly guard?: AuthGuard | Token<AuthGuard>
  /**
   * Your own checks, by name: `{ mail: ({ get }) => get(Mailer).verify() }`. A check must throw or reject if the
   * service cannot be used. With `{ check, required: false }`, the application stays ready without the service.
   *
   * @defaultValue only the checks of plugins
   */
  readonly checks?: Readonly<Record<string, HealthCheck>>
  /**
   * Other paths: `{ live: '/healthz', ready: '/ready', startup: '/started' }`. The `prefix` option does not apply to
   * them.
   *
   * @defaultValue the paths `/livez`, `/readyz` and `/startupz`
   */
  readonly paths?: HealthPaths
}

/** The paths of the health routes. */
export interface HealthPaths {
  /** The path that reports whether the process is running. Default: `/livez`. */
  readonly live?: string
  /** The path that reports whether the application accepts requests. Default: `/readyz`. */
  readonly ready?: string
  /** The path that reports whether the application has started. Default: `/startupz`. */
  readonly startup?: string
}

/** The `health` option, resolved. */
export interface HealthSettings {
  /** `null` if no caller receives reasons. */
  readonly guard: AuthGuard | Token<AuthGuard> | null
  readonly checks: Readonly<Record<string, HealthCheck>>
  readonly paths: Readonly<Required<HealthPaths>>
}

type Option = boolean | HealthOptions | undefined

const PATHS: Readonly<Required<HealthPaths>> = Object.freeze({
  live: '/livez',
  ready: '/readyz',
  startup: '/startupz',
})
const NAMES: OptionNames<HealthOptions> = {
  guard: true,
  checks: { '*': { check: true, required: true } },
  paths: { live: true, ready: true, startup: true },
}

/**
 * The `health` option. An unknown field causes an error, because with a misspelt field, an unhealthy application could
 * be reported as healthy.
 */
export const healthGroup: OptionGroup<Option, HealthSettings | null> = {
  unknown: (health) => unknownOptions('health.', health, NAMES),
  check,
  resolve(health) {
    if (health === undefined || health === false) return null
    const { guard = null, checks = {}, paths = {} } = health === true ? {} : health
    return Object.freeze({
      guard,
      checks: Object.freeze({ ...checks }),
      paths: Object.freeze({ ...PATHS, ...paths }),
    })
  },
}

function check(health: unknown): Problem[] {
  if (health === undefined || typeof health === 'boolean') return []
  if (typeof health !== 'object' || health === null || Array.isArray(health)) {
    const remedy = 'Pass true, or { guard, checks, paths }.'
    return [invalid('health', `${shown(health)} is not an object of options.`, remedy)]
  }
  const { guard, checks, paths } = health as HealthOptions
  return [...checkGuard(guard), ...checkChecks(checks), ...checkPaths(paths)]
}

function checkGuard(guard: unknown): Problem[] {
  const { canActivate, description } = (guard ?? {}) as Record<string, unknown>
  const isToken = ['function', 'string', 'symbol', 'undefined'].includes(typeof guard)
  if (isToken || typeof canActivate === 'function' || typeof description === 'string') return []
  const remedy = 'Pass an instance with canActivate(req), a class, or a token.'
  return [invalid('health.guard', 'It has no method canActivate.', remedy)]
}

function checkChecks(checks: unknown): Problem[] {
  if (checks === undefined) return []
  const remedy = 'Pass { name: () => …, other: { check: () => …, required: false } }.'
  if (typeof checks !== 'object' || checks === null || Array.isArray(checks)) {
    return [invalid('health.checks', `${shown(checks)} is not a set of checks.`, remedy)]
  }
  return Object.entries(checks)
    .filter(([, given]) => !isCheck(given))
    .map(([name]) =>
      invalid(
        `health.checks.${name}`,
        'It is neither a function nor { check, required }, where check is a function and required a boolean.',
        remedy,
      ),
    )
}

function isCheck(given: unknown): boolean {
  if (typeof given === 'function') return true
  const { check: ask, required } = (given ?? {}) as Record<string, unknown>
  return typeof ask === 'function' && ['boolean', 'undefined'].includes(typeof required)
}

function checkPaths(paths: unknown): Problem[] {
  if (paths === undefined) return []
  if (typeof paths !== 'object' || paths === null || Array.isArray(paths)) {
    return [
      invalid(
        'health.paths',
        `${shown(paths)} is not a set of paths.`,
        "Pass { live: '/healthz' }.",
      ),
    ]
  }
  const all = { ...PATHS, ...paths } as Record<string, unknown>
  const wrong = Object.entries(all).filter(([, path]) => !isLiteral(path))
  if (wrong.length > 0) {
    return wrong.map(([name, path]) => {
      const cause = `${shown(path)} is not a valid path. Each segment must consist of '/' and then letters, digits, '.', '_', '~' or '-'.`
      return invalid(`health.paths.${name}`, cause, "Pass a path such as '/healthz'.")
    })
  }
  const shapes = Object.values(all).map((path) => String(path).toLowerCase())
  if (new Set(shapes).size === shapes.length) return []
  return [
    invalid('health.paths', 'Two routes have the same path.', 'Use a separate path for each.'),
  ]
}

function isLiteral(path: unknown): boolean {
  return typeof path === 'string' && /^(?:\/[\w.~-]+)+$/.test(path)
}
