import type { RouteOption } from '../../contracts/extensions.js'
import type { ContractOf } from '../../contracts/route-contract.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { DeprecatedOptions } from '../../contracts/version.js'
import { invalid, type Problem } from '../../errors/config-error.js'
import { defineOption } from '../../metadata/option.js'
import { deprecationMistake, timeOf } from '../../model/deprecation.js'
import { pathParameters } from '../../model/paths.js'

/**
 * Marks a route as deprecated. Its responses have the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a
 * `Link` to the successor, and its operation is `deprecated` in the document and in the generated client. With the
 * `metrics` option, the callers of the route are counted. `blazon deprecations` lists them, so that you know which
 * callers its removal would affect.
 *
 * With `end`, the route responds with 410 from `sunset` on, according to the application's clock. On a class, the
 * decorator applies to all routes. A method can override it with its own `@Deprecated`, or with `@Deprecated(false)`.
 * The `versions.deprecated` option marks a version of the API as deprecated.
 *
 * Sources: RFC 9745; RFC 8594; RFC 5829 (`successor-version`).
 *
 * @param options `since`, `sunset`, `successor` and `end`, or `false`.
 * @throws ConfigError at boot: `E_OPTION_INVALID` for a string that is not a date, a `sunset` before `since`, `end`
 * without `sunset`, or a `successor` that is not a path or has a parameter that the route does not have.
 * @see docs/deprecation.md
 * @example
 * class OrdersController {
 *   @Deprecated({ since: '2026-01-01', sunset: '2026-12-31', successor: '/v2/orders/:id', end: true })
 *   @Get('v1/orders/:id')
 *   find(req: Request) { return this.orders.find(req.params.id) }
 * }
 */
export const Deprecated: RouteOption<DeprecatedOptions | false, DeprecatedOptions | false, 'both'> =
  defineOption<DeprecatedOptions | false>('Deprecated', {
    check: (options) => (options === false ? undefined : deprecationMistake(options)),
  })

/** The deprecation of a route. Times are in milliseconds since 1970. */
export interface DeprecatedRoute {
  readonly since: number
  readonly sunset: number | null
  readonly successor: string | null
  /** Whether the route responds with 410 from `sunset` on. */
  readonly ends: boolean
}

/** Returns the deprecation of a route; `null` if neither the route nor its version is deprecated. */
export function deprecatedOf(
  route: Pick<RouteModel, 'option' | 'versionEnd'>,
): DeprecatedRoute | null {
  const options = route.option(Deprecated) ?? route.versionEnd
  if (options === null || options === false) return null
  const { since, sunset, successor = null, end = false } = options
  // The check of the option has already parsed both dates.
  return {
    since: timeOf(since) as number,
    sunset: sunset === undefined ? null : (timeOf(sunset) as number),
    successor,
    ends: end,
  }
}

/** Reports successor parameters that the route does not have. */
export function checkDeprecated(route: RouteModel): Problem[] {
  const names = pathParameters(deprecatedOf(route)?.successor ?? '')
  const unknown = names.filter((name) => !route.pathParameters.includes(name))
  if (unknown.length === 0) return []
  const cause = `Its \`successor\` has the parameter ${unknown[0]}, which ${route.path} does not have.`
  return [invalid(`${route.name} @Deprecated()`, cause, 'Use only parameters of the route.')]
}

const header = (description: string) => ({ description, schema: { type: 'string' } })

/** Marks the operation as deprecated, and adds the deprecation headers and the 410 response. */
export const deprecatedContract: ContractOf = (route) => {
  const found = deprecatedOf(route)
  if (found === null) return null
  return {
    deprecated: true,
    errors: found.ends ? [410] : [],
    headers: {
      Deprecation: header('The date of the deprecation (RFC 9745).'),
      ...(found.sunset !== null && {
        Sunset: header('The date after which the operation can be removed (RFC 8594).'),
      }),
      ...(found.successor !== null && {
        Link: header('A link to the successor: `rel="successor-version"`.'),
      }),
    },
  }
}
