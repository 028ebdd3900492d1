import type { Size } from '../../contracts/limits.js'
import { type OptionGroup, type OptionNames, unknownNames } from '../../errors/option-group.js'
import { checkCount, checkSize, toBytes } from '../../http/units.js'

/** The `limits` option: limits for the size and nesting of requests. */
export interface LimitOptions {
  /**
   * The maximum size of a body, both before and after decompression. A larger body results in a 413 response. `@Limits`
   * sets another limit for a route.
   *
   * @defaultValue `'100kb'`
   * @see docs/decorators.md#limits-of-a-route
   */
  readonly body?: Size
  /**
   * The maximum nesting depth of a JSON body: a whole number. A deeper body results in a 400 response. `@Limits` sets
   * another limit for a route.
   *
   * @defaultValue `64`
   * @see docs/decorators.md#limits-of-a-route
   */
  readonly depth?: number
  /**
   * The maximum number of header lines in a request. A request with more lines results in a 431 response.
   *
   * @defaultValue `200`
   */
  readonly headers?: number
}

/** The `limits` option, resolved. */
export interface LimitSettings {
  readonly bodyBytes: number
  readonly depth: number
  readonly headers: number
}

type Option = LimitOptions | undefined

const NAMES: OptionNames<LimitOptions> = { body: true, depth: true, headers: true }
const BODY_BYTES = 100 * 1024
const DEPTH = 64
const HEADERS = 200

/** The `limits` option. */
export const limitGroup: OptionGroup<Option, LimitSettings> = {
  unknown: (limits) => unknownNames('limits.', limits, NAMES),
  check: (limits) => [
    ...checkSize('limits.body', limits?.body),
    ...checkCount('limits.depth', limits?.depth),
    ...checkCount('limits.headers', limits?.headers),
  ],
  resolve(limits) {
    const { body, depth = DEPTH, headers = HEADERS } = limits ?? {}
    const bodyBytes = body === undefined ? undefined : toBytes(body)
    return Object.freeze({ bodyBytes: bodyBytes ?? BODY_BYTES, depth, headers })
  },
}
