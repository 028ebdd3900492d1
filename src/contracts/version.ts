/** A header that names the version. */
export interface VersionHeader {
  /** The name of the header. */
  readonly header: string
}

/** The option `versions`. */
export interface VersionOptions {
  /**
   * Where requests name a version: `'path'` is a segment after `prefix`, as in `/v1/orders`; `{ header: 'X-API-Version' }`
   * is a header; `'mediaType'` is a parameter of `Accept`, as in `application/json; version=1`.
   */
  readonly by: 'path' | 'mediaType' | VersionHeader
  /**
   * The version of requests that name none.
   *
   * @defaultValue none: such a request is refused with 400; with `by: 'path'`, its path does not exist
   */
  readonly default?: string
  /**
   * The versions that end, by name, as `@Deprecated()` of all their routes.
   *
   * @defaultValue none
   */
  readonly deprecated?: Readonly<Record<string, DeprecatedOptions>>
}

/** The option `versions`, resolved. */
export interface VersionSettings {
  readonly by: 'path' | 'mediaType' | 'header'
  /** The header that names the version, in its original spelling; `null` with `by: 'path'`. */
  readonly header: string | null
  readonly default: string | null
  /** How versions end, by name. */
  readonly deprecated: Readonly<Record<string, DeprecatedOptions>>
}

/** Options of `@Deprecated()`, and of a version in the option `versions`. */
export interface DeprecatedOptions {
  /** When clients should stop using the route: an ISO date, in UTC, or with a time and its zone. May be in the future. */
  readonly since: string
  /** When the route may stop responding; not before `since`. Default: no date is announced. */
  readonly sunset?: string
  /** The path of the successor, as clients see it. It may contain parameters of the route. Default: none. */
  readonly successor?: string
  /** Whether the route responds with 410 from `sunset` on. Default `false`: the route keeps working. */
  readonly end?: boolean
}
