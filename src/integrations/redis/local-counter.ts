import type { StoreContext } from '../../contracts/cache.js'
import type { Clock } from '../../contracts/clock.js'
import type { RateLimitCount, RateLimitResult, RateLimitStore } from '../../contracts/rate-limit.js'

/** Most keys that are counted at once; the one that was first counted is forgotten for the next. */
const MOST_KEYS = 10_000

interface Window {
  used: number
  readonly endsAt: number
}

/** Counts in this process, for as long as nobody else can. */
export class LocalCounter implements RateLimitStore {
  readonly #windows = new Map<string, Window>()
  #clock: Clock | undefined

  open({ clock }: StoreContext): void {
    this.#clock = clock
  }

  consume({ key, limit, windowMs }: RateLimitCount): RateLimitResult {
    const now = (this.#clock as Clock).monotonic()
    let window = this.#windows.get(key)
    if (window === undefined || window.endsAt <= now) {
      window = { used: 0, endsAt: now + windowMs }
      this.#windows.delete(key)
      this.#windows.set(key, window)
      this.#bound()
    }
    const isAllowed = ++window.used <= limit
    const remaining = Math.max(0, limit - window.used)
    return { isAllowed, remaining, resetMs: Math.ceil(window.endsAt - now) }
  }

  #bound(): void {
    if (this.#windows.size <= MOST_KEYS) return
    const [oldest] = this.#windows.keys()
    this.#windows.delete(oldest as string)
  }
}
