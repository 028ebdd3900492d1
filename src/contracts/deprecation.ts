/** Options of `@Deprecated()`, and of a version in the option `versions`. */
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
