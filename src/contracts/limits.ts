/** A length of time: seconds, or a number with a unit (`'250ms'`, `'90s'`, `'15m'`, `'2h'`, `'1d'`). */
export type Duration = number | string

/** A size: bytes, or a number with a unit (`'512b'`, `'100kb'`, `'1mb'`); 1 kb is 1024 bytes. */
export type Size = number | string

/** The argument of `@Limits`. A field that is absent leaves the limit of the class, or else of the application. */
export interface RouteLimits {
  /** The maximum size of the body, compressed and decompressed, instead of `limits.body`. A larger body gets 413. */
  readonly body?: Size
  /** The deepest nesting of a JSON body, instead of `limits.depth`: a whole number. A deeper body gets 400. */
  readonly depth?: number
  /**
   * The longest time of the handler, its guard and validation, instead of `timeouts.handler`: a duration, or `false`
   * for no limit. After this time the response is 503, and `req.signal` aborts.
   */
  readonly timeout?: Duration | false
}

/** The limits of a route, in the units of the settings. A field is absent where the application decides. */
export interface RouteBounds {
  /** The maximum size of the body, in bytes. */
  readonly bodyBytes?: number
  /** The deepest nesting of a JSON body. */
  readonly depth?: number
  /** The time limit of the handler, in milliseconds; `null` for none. */
  readonly handlerMs?: number | null
}
