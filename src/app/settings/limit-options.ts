import type { Size } from '../../contracts/units.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { type Names, type OptionGroup, unknownNames } from '../../errors/option-group.js'
import { toBytes } from '../../http/units.js'

/** The `limits` option: limits for the size and the nesting of requests. */
export interface LimitOptions {
  /**
   * The largest JSON body, compressed and decompressed: a size. A larger body gets 413.
   *
   * @defaultValue `'100kb'`
   */
  readonly body?: Size
  /**
   * The deepest nesting of a JSON body: a whole number. A deeper body gets 400.
   *
   * @defaultValue `64`
   */
  readonly depth?: number
  /**
   * The highest number of header lines in a request. More get 431.
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

const NAMES: Names<LimitOptions> = { body: true, depth: true, headers: true }
const BODY_BYTES = 100 * 1024
const DEPTH = 64
const HEADERS = 200

/** The `limits` option. */
export const limitGroup: OptionGroup<Option, LimitSettings> = {
  unknown: (limits) => unknownNames('limits.', limits, NAMES),
  check: (limits) => [
    ...checkSize(limits?.body),
    ...checkCount('limits.depth', limits?.depth),
    ...checkCount('limits.headers', limits?.headers),
  ],
  resolve(limits) {
    const { body, depth = DEPTH, headers = HEADERS } = limits ?? {}
    const bodyBytes = body === undefined ? undefined : toBytes(body)
    return Object.freeze({ bodyBytes: bodyBytes ?? BODY_BYTES, depth, headers })
  },
}

function checkSize(value: Size | undefined): Problem[] {
  if (value === undefined || toBytes(value) !== undefined) return []
  return [invalid('limits.body', `${value} is not a size.`, "Give bytes, or '100kb', '1mb'.")]
}

function checkCount(name: string, value: number | undefined): Problem[] {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return []
  return [invalid(name, `${value} is not a count.`, 'Give a whole number above 0.')]
}
