/** A length of time: seconds, or a number with a unit (`'250ms'`, `'90s'`, `'15m'`, `'2h'`, `'1d'`). */
export type Duration = number | string

/** A size: bytes, or a number with a unit (`'512b'`, `'100kb'`, `'1mb'`); 1 kb is 1024 bytes. */
export type Size = number | string

/**
 * The argument of `@Limits`. If a field is absent, the limit of the class applies, otherwise the limit of the
 * application.
 */
export interface RouteLimits {
  /**
   * The maximum size of the body, compressed and decompressed, instead of `limits.body`. A larger body results in a 413
   * response.
   */
  readonly body?: Size
  /**
   * The maximum nesting depth of a JSON body, instead of `limits.depth`: a whole number. A deeper body results in a 400
   * response.
   */
  readonly depth?: number
  /**
   * The maximum total time of guard, validation and handler, instead of `timeouts.handler`: a duration, or `false` for
   * no limit. After this time, the client receives a 503 response, and `req.signal` aborts.
   */
  readonly timeout?: Duration | false
}

/** The limits of a route, in the units of the settings. A field is absent if the application's limit applies. */
export interface RouteBounds {
  /** The maximum size of the body, in bytes. */
  readonly bodyBytes?: number
  /** The maximum nesting depth of a JSON body. */
  readonly depth?: number
  /** The time limit of the handler, in milliseconds; `null` for none. */
  readonly handlerMs?: number | null
}
