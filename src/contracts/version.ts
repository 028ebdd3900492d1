/** A header that specifies the version. */
export interface VersionHeader {
  /** The name of the header. */
  readonly header: string
}

/** The option `versions`. */
export interface VersionOptions {
  /**
   * Where requests specify a version: `'path'` is a segment after `prefix`, as in `/v1/orders`; `{ header:
   * 'X-API-Version' }` is a header; `'mediaType'` is a parameter of `Accept`, as in `application/json; version=1`.
   */
  readonly by: 'path' | 'mediaType' | VersionHeader
  /**
   * The version for requests that specify none.
   *
   * @defaultValue none: such a request is refused with 400; with `by: 'path'`, its path does not exist
   */
  readonly default?: string
  /**
   * The versions to be retired, by name. The options apply to all routes of the version, like `@Deprecated()`.
   *
   * @defaultValue none
   */
  readonly deprecated?: Readonly<Record<string, DeprecatedOptions>>
}

/** The option `versions`, resolved. */
export interface VersionSettings {
  readonly by: 'path' | 'mediaType' | 'header'
  /** The header that specifies the version, in its original spelling; `null` with `by: 'path'`. */
  readonly header: string | null
  readonly default: string | null
  /** How versions are retired, by name. */
  readonly deprecated: Readonly<Record<string, DeprecatedOptions>>
}

/** Options of `@Deprecated()`, and of a version in the option `versions`. */
export interface DeprecatedOptions {
  /**
   * When clients should stop using the route: an ISO date in UTC, or a date with time and time zone. The date can be in
   * the future.
   */
  readonly since: string
  /** The date from which the route can stop responding; not before `since`. Default: no date. */
  readonly sunset?: string
  /** The path of the successor, as clients see it. It can contain parameters of the route. Default: none. */
  readonly successor?: string
  /** Whether the route responds with 410 from `sunset` on. Default `false`: the route keeps working. */
  readonly end?: boolean
}
