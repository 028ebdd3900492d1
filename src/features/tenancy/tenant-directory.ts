import { AsyncResource } from 'node:async_hooks'
import type { MaybePromise } from '../../contracts/cache.js'
import type { TenantStore } from '../../contracts/tenant.js'
import { type Clock, InjectionToken } from '../../di/token.js'
import { HttpError, ServiceUnavailableError } from '../../errors/http-error.js'
import { isThenable } from '../../step/step.js'
import type { TenantSourceSettings } from './tenant-rules.js'

/**
 * Returns the state of a tenant, as `tenant.store` reports it. Without a store, every tenant is active.
 *
 * @throws HttpError 503 if the store fails.
 */
export type TenantStates = (id: string) => MaybePromise<'active' | 'suspended' | 'unknown'>

/**
 * The token for the function that returns the state of a tenant. Use it for work outside requests. Requests of a
 * suspended tenant are refused before they reach a route.
 *
 * @example
 * const stateOf = inject(TenantStates)
 * if ((await stateOf('acme')) === 'active') await sendReport()
 */
export const TenantStates: InjectionToken<TenantStates> = new InjectionToken<TenantStates>(
  'TenantStates',
)

/** Creates the function that returns the state of a tenant. */
export function tenantStates(settings: TenantSourceSettings | null, clock: Clock): TenantStates {
  if (settings?.store == null) return () => 'active'
  const directory = new TenantDirectory(settings.store, settings, clock)
  return (id): MaybePromise<Verdict> => directory.find(id)
}

/** The state of an ID, according to the store. */
export type Verdict = 'active' | 'suspended' | 'unknown'

/** How long a state is cached, in milliseconds. */
export interface DirectoryTimes {
  readonly positiveMs: number
  readonly negativeMs: number
}

interface Entry {
  readonly verdict: Verdict
  /** Milliseconds on the monotonic clock. */
  readonly until: number
}

/**
 * The maximum number of existing IDs, and the maximum number of unknown IDs, in the cache. IDs have at most 256
 * characters, so all entries together use less than 10 MB.
 */
const MAX_ENTRIES = 10_000
/**
 * The maximum time to wait for the store, in milliseconds. A request has no deadline before it has a route, so the wait
 * needs its own limit.
 */
const MAX_WAIT_MS = 5000

/**
 * Looks up IDs in the application's store and caches the results. Unknown IDs have their own map. So a client that
 * sends invented IDs can evict only other unknown IDs.
 */
export class TenantDirectory {
  readonly #store: TenantStore
  readonly #times: DirectoryTimes
  readonly #clock: Clock
  /**
   * Connections that the store opens during a lookup must not retain the async context of the request that caused the
   * lookup.
   */
  readonly #scope = new AsyncResource('BlazonTenants')
  readonly #known = new Map<string, Entry>()
  readonly #unknown = new Map<string, Entry>()
  readonly #lookups = new Map<string, Promise<Verdict>>()

  constructor(store: TenantStore, times: DirectoryTimes, clock: Clock) {
    this.#store = store
    this.#times = times
    this.#clock = clock
  }

  /**
   * Returns the state of an ID. Returns synchronously if the state is cached. Rejects with a 503 error if the store
   * fails, because a tenant that cannot be confirmed is not served.
   */
  find(id: string): Verdict | Promise<Verdict> {
    const entry = this.#known.get(id) ?? this.#unknown.get(id)
    if (entry !== undefined && entry.until > this.#clock.monotonic()) return entry.verdict
    const running = this.#lookups.get(id)
    if (running !== undefined) return running
    const lookup = this.#lookUp(id).finally(() => this.#lookups.delete(id))
    this.#lookups.set(id, lookup)
    return lookup
  }

  #lookUp(id: string): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      let isLate = false
      const fail = (cause: unknown) => reject(unavailable(cause))
      const onFound = (info: unknown) => {
        // A late result is ignored, because a newer query may have completed in the meantime.
        if (isLate) return
        timer.cancel()
        try {
          resolve(this.#remember(id, verdictOf(info, id)))
        } catch (error) {
          reject(error)
        }
      }
      const timer = this.#clock.setTimeout(() => {
        isLate = true
        fail(new Error(`\`tenant.store\` did not respond within ${MAX_WAIT_MS} ms`))
      }, MAX_WAIT_MS)
      const failed = (cause: unknown) => {
        timer.cancel()
        fail(cause)
      }
      this.#scope.runInAsyncScope(() => {
        try {
          const found = this.#store.find(id)
          if (isThenable(found)) found.then(onFound, failed)
          else onFound(found)
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

/**
 * Returns the state that the store reports. A case-insensitive store may find `acme` for `ACME`. If the two IDs are not
 * equal, the ID counts as unknown.
 */
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
  return new ServiceUnavailableError('`tenant.store` failed', { cause })
}
