import type { DeprecatedOptions } from './deprecation.js'

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
  /** The header that names the version, as it was written; `null` with `by: 'path'`. */
  readonly header: string | null
  readonly default: string | null
  /** How versions end, by name. */
  readonly deprecated: Readonly<Record<string, DeprecatedOptions>>
}
