/** A value of a {@link Decision}: JSON data. */
export type DecisionValue =
  | string
  | number
  | boolean
  | null
  | readonly DecisionValue[]
  | { readonly [name: string]: DecisionValue }

/**
 * A decision of a part of an application about a request. It has no credential, no cookie, no token, and no value that
 * is secret by its schema.
 */
export interface Decision {
  /**
   * Who has decided. The framework uses `guard`, `tenant`, `can`, `policy`, `limit`, `capacity`, `cache`, `validation` and
   * `error`; a plugin uses its name. A line of `Log` is noted by `log`, with its level as the verdict.
   */
  readonly by: string
  /**
   * The decision, in one or two words: `admitted`, `refused`, `anonymous`, `hit`, `miss`. The framework uses `refused`
   * for each decision that ends a request with an error.
   */
  readonly verdict: string
  /** Why, as one sentence or a part of one: `expired token`. Left out where the verdict needs no reason. */
  readonly reason?: string
  /** Further facts, such as the key of a cache. Default: none. */
  readonly facts?: { readonly [name: string]: DecisionValue }
}

/** Takes a decision about one request. Never throws. */
export type NoteDecision = (decision: Decision) => void
