import type { Clock } from '../../contracts/clock.js'
import type { WebhookReplays } from '../../contracts/webhook.js'

/** More deliveries than any sender repeats; the oldest are forgotten first. */
const MOST = 10_000

/** Remembers deliveries in this process. Only verified ones come here, so a stranger cannot fill it. */
export class ReplayMemory implements WebhookReplays {
  readonly #clock: Clock
  readonly #expiries = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  claim(key: string, seconds: number): boolean {
    const now = this.#clock.now()
    const known = this.#expiries.get(key)
    if (known !== undefined && known >= now) return false
    this.#forget(now)
    this.#expiries.delete(key)
    this.#expiries.set(key, now + seconds * 1000)
    return true
  }

  release(key: string): void {
    this.#expiries.delete(key)
  }

  /** Forgets expired deliveries, from the oldest on, and the oldest if there are too many. */
  #forget(now: number): void {
    for (const [key, expiry] of this.#expiries) {
      if (expiry > now && this.#expiries.size < MOST) return
      this.#expiries.delete(key)
    }
  }
}
