import type { MaybePromise } from './cache.js'

/** An item of work outside of requests, such as a job. */
export interface WorkItem {
  /** The id, unique in its list. The same as `id` of the {@link Work} that runs it: so its statements are found. */
  readonly id: string
  /** The kind of work, such as the name of a job. */
  readonly name: string
  /** The state, in a word: `'waiting'`. */
  readonly state: string
  /** Whether a person should look at it. */
  readonly isFailed: boolean
  /** The tenant for which it runs; `null` for none. */
  readonly tenant: string | null
  /** When it was made, in milliseconds since 1970. */
  readonly at: number
  /** Other facts by their names. An empty text leaves its name out. No secrets. */
  readonly facts: Readonly<Record<string, string>>
  /** The names of the actions that are possible now. */
  readonly actions: readonly string[]
}

/** Work outside of requests that a plugin lists for the dashboard of `blazon dev`. */
export interface PluginWork {
  /** The heading of the list: `'Jobs'`. */
  readonly title: string
  /**
   * Returns the newest items, the newest first.
   *
   * @param limit How many at most.
   */
  readonly list: (limit: number) => MaybePromise<readonly WorkItem[]>
  /**
   * The actions on an item that a person may call, by name: `{ retry: (id) => … }`. A function returns the result as a
   * sentence. Default: none.
   */
  readonly actions?: Readonly<Record<string, (id: string) => MaybePromise<string>>>
}
