import type { DualClassOrMethodDecorator } from '../../contracts/decorator.js'
import type { RouteOption } from '../../contracts/option.js'
import type { ContractOf } from '../../contracts/route-contract.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { defineOption } from '../../metadata/option.js'
import { pathProblem } from '../../model/path-problem.js'
import { pathParameters } from '../../model/paths.js'

/** Options of {@link Deprecated}. */
export interface DeprecatedOptions {
  /** When clients should stop using the route: an ISO date, in UTC, or with a time and its zone. May be in the future. */
  readonly since: string
  /** When the route may stop responding; not before `since`. Default: no date is announced. */
  readonly sunset?: string
  /** The path that replaces the route, as clients see it. It may have parameters of the route. Default: none. */
  readonly successor?: string
  /** Whether the route responds with 410 from `sunset` on. Default `false`: it responds as before. */
  readonly end?: boolean
}

const NAMES: OptionNames<DeprecatedOptions> = {
  since: true,
  sunset: true,
  successor: true,
  end: true,
}
const DATE = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/

const option: RouteOption<DeprecatedOptions | false, DeprecatedOptions | false, 'both'> =
  defineOption<DeprecatedOptions | false>('Deprecated', {
    check(options) {
      if (options === false) return undefined
      if (typeof options !== 'object' || options === null) return 'It is neither options nor false.'
      const [unknown] = unknownOptions('', options, NAMES)
      return unknown === undefined ? mistakeIn(options) : `'${unknown.subject}': ${unknown.cause}`
    },
  })

function mistakeIn({ since, sunset, successor, end }: DeprecatedOptions): string | undefined {
  const [from, until] = [timeOf(since), sunset === undefined ? undefined : timeOf(sunset)]
  if (from === null) return `\`since\` is ${String(since)}; ${GIVE_DATE}`
  if (until === null) return `\`sunset\` is ${String(sunset)}; ${GIVE_DATE}`
  if (until !== undefined && until < from) return '`sunset` is before `since`.'
  if (end !== undefined && typeof end !== 'boolean') return '`end` is not a boolean.'
  if (end === true && until === undefined) return '`end` has no effect without `sunset`.'
  if (successor === undefined || isPath(successor)) return undefined
  return `\`successor\` is ${String(successor)}; give a path, such as '/v2/orders'.`
}

const GIVE_DATE = "give an ISO date, such as '2026-06-30' or '2026-06-30T12:00:00Z'."

/** Milliseconds since 1970; `null` for another text, and for a day that no month has. */
function timeOf(date: unknown): number | null {
  const day = typeof date === 'string' ? DATE.exec(date)?.[1] : undefined
  const start = Date.parse(`${day}T00:00:00Z`)
  const time = Date.parse(String(date))
  const isDay = !Number.isNaN(start) && new Date(start).toISOString().startsWith(String(day))
  return isDay && !Number.isNaN(time) ? time : null
}

function isPath(path: unknown): boolean {
  return (
    typeof path === 'string' && /^\/(?!\/)[^\s<>"?#]*$/.test(path) && pathProblem(path) === null
  )
}

/**
 * Announces the end of a route. Its responses get `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to the successor,
 * and its operation is `deprecated` in the document and in the generated client. With the option `metrics`, its callers are
 * counted, and `blazon deprecations` lists them, so that you know whom the removal would affect.
 *
 * With `end`, the route responds with 410 from `sunset` on, by the clock of the application. On a class, it applies to all
 * routes; a method may have its own, or `@Deprecated(false)`.
 *
 * Sources: RFC 9745; RFC 8594; RFC 5829 (`successor-version`).
 *
 * @param options `since`, `sunset`, `successor` and `end`, or `false`.
 * @throws ConfigError at boot: `E_OPTION_INVALID` for a text that is no date, a `sunset` before `since`, `end` without
 * `sunset`, or a `successor` that is no path or has a parameter that the route does not have.
 * @see docs/deprecation.md
 * @example
 * class OrdersController {
 *   @Deprecated({ since: '2026-01-01', sunset: '2026-12-31', successor: '/v2/orders/:id', end: true })
 *   @Get('v1/orders/:id')
 *   find(req: Request) { return this.orders.find(req.params.id) }
 * }
 */
export function Deprecated(options: DeprecatedOptions | false): DualClassOrMethodDecorator {
  return option(options)
}

/** How a route ends. Times are milliseconds since 1970. */
export interface DeprecatedRoute {
  readonly since: number
  readonly sunset: number | null
  readonly successor: string | null
  /** Whether the route responds with 410 from `sunset` on. */
  readonly ends: boolean
}

/** Returns how a route ends; `null` for a route without `@Deprecated()`. */
export function deprecatedOf(route: Pick<RouteModel, 'option'>): DeprecatedRoute | null {
  const options = route.option(option)
  if (options === undefined || options === false) return null
  const { since, sunset, successor = null, end = false } = options
  // The check of the option has read both dates.
  return {
    since: timeOf(since) as number,
    sunset: sunset === undefined ? null : (timeOf(sunset) as number),
    successor,
    ends: end,
  }
}

/** Finds parameters of a successor that the route does not have. */
export function checkDeprecated(route: RouteModel): Problem[] {
  const names = pathParameters(deprecatedOf(route)?.successor ?? '')
  const unknown = names.filter((name) => !route.pathParameters.includes(name))
  if (unknown.length === 0) return []
  const cause = `Its \`successor\` has the parameter ${unknown[0]}, which ${route.path} does not have.`
  return [invalid(`${route.name} @Deprecated()`, cause, 'Name parameters of the route.')]
}

const header = (description: string) => ({ description, schema: { type: 'string' } })

/** Marks the operation, and adds its headers and the 410. */
export const deprecatedContract: ContractOf = (route) => {
  const found = deprecatedOf(route)
  if (found === null) return null
  return {
    deprecated: true,
    errors: found.ends ? [410] : [],
    headers: {
      Deprecation: header('Since when the operation is deprecated (RFC 9745).'),
      ...(found.sunset !== null && { Sunset: header('When it may end (RFC 8594).') }),
      ...(found.successor !== null && {
        Link: header('The successor: `rel="successor-version"`.'),
      }),
    },
  }
}
