import { AsyncResource } from 'node:async_hooks'
import type { Clock } from '../../contracts/clock.js'
import type { TenantStore } from '../../contracts/tenant.js'
import { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'
import { isThenable } from '../../step/thenable.js'

/** What the store has said of an id. */
export type Verdict = 'active' | 'suspended' | 'unknown'

/** How long it is believed, in milliseconds. */
export interface DirectoryTimes {
  readonly positiveMs: number
  readonly negativeMs: number
}

interface Entry {
  readonly verdict: Verdict
  /** By the monotonic clock. */
  readonly until: number
}

/** Entries of either kind. Ids are at most 256 characters, so both together stay under ten megabytes. */
const MAX_ENTRIES = 10_000
/** Nobody else ends a request that waits before it has a route. */
const PATIENCE_MS = 5000

/**
 * Asks the application's store about ids, and remembers what it said for a while. Ids that do not exist are kept apart:
 * whoever makes them up can push out nothing but other made-up ones.
 */
export class TenantDirectory {
  readonly #store: TenantStore
  readonly #times: DirectoryTimes
  readonly #clock: Clock
  /** What the store opens while it answers must not keep the context of the request that asked first. */
  readonly #scope = new AsyncResource('BlazonTenants')
  readonly #known = new Map<string, Entry>()
  readonly #unknown = new Map<string, Entry>()
  readonly #asking = new Map<string, Promise<Verdict>>()

  constructor(store: TenantStore, times: DirectoryTimes, clock: Clock) {
    this.#store = store
    this.#times = times
    this.#clock = clock
  }

  /** At once if it is remembered. Rejects with a 503 when the store fails: what cannot be confirmed is not served. */
  find(id: string): Verdict | Promise<Verdict> {
    const entry = this.#known.get(id) ?? this.#unknown.get(id)
    if (entry !== undefined && entry.until > this.#clock.monotonic()) return entry.verdict
    const under = this.#asking.get(id)
    if (under !== undefined) return under
    const asked = this.#ask(id).finally(() => this.#asking.delete(id))
    this.#asking.set(id, asked)
    return asked
  }

  #ask(id: string): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown) => reject(unavailable(cause))
      const answer = (info: unknown) => {
        timer.cancel()
        try {
          resolve(this.#remember(id, verdictOf(info, id)))
        } catch (error) {
          reject(error)
        }
      }
      const timer = this.#clock.setTimeout(
        () => fail(new Error(`\`tenant.store\` did not answer within ${PATIENCE_MS} ms`)),
        PATIENCE_MS,
      )
      const failed = (cause: unknown) => {
        timer.cancel()
        fail(cause)
      }
      this.#scope.runInAsyncScope(() => {
        try {
          const found = this.#store.find(id)
          if (isThenable(found)) found.then(answer, failed)
          else answer(found)
        } catch (error) {
          failed(error)
        }
      })
    })
  }

  #remember(id: string, verdict: Verdict): Verdict {
    const isKnown = verdict !== 'unknown'
    const [entries, others] = isKnown ? [this.#known, this.#unknown] : [this.#unknown, this.#known]
    others.delete(id)
    entries.delete(id)
    const ms = isKnown ? this.#times.positiveMs : this.#times.negativeMs
    if (ms <= 0) return verdict
    entries.set(id, { verdict, until: this.#clock.monotonic() + ms })
    if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value as string)
    return verdict
  }
}

/** A store that compares loosely knows `ACME` as `acme`: whoever is asked for must be whoever is found. */
function verdictOf(info: unknown, id: string): Verdict {
  if (info === null || info === undefined) return 'unknown'
  const { id: found, status } = info as { id?: unknown; status?: unknown }
  if (typeof found !== 'string') {
    throw new TypeError('`tenant.store` returned a value without an `id`.')
  }
  if (found !== id) return 'unknown'
  return status === undefined || status === 'active' ? 'active' : 'suspended'
}

function unavailable(cause: unknown): HttpError {
  if (HttpError.is(cause)) return cause
  return refuse('SERVICE_UNAVAILABLE', '`tenant.store` failed', { cause, stack: true })
}
