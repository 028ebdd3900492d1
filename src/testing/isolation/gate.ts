import { settle } from '../settle.js'

/**
 * The places where requests can wait: before the application receives them, before the handler, before the response.
 */
export type GatePlace = 'entry' | 'handler' | 'response'

/** How concurrent requests are made to overlap. */
export interface GatePlan {
  /** Where the requests wait for each other; `null` if they do not wait. */
  readonly place: 'entry' | 'handler' | null
  /** The names of the sides, in the order in which they continue. */
  readonly order: readonly string[]
  /** The name of the side whose response is delayed. */
  readonly held: string
  /** The number of turns of the event loop for that delay. */
  readonly turns: number
}

/**
 * The number of turns of the event loop for which a request waits for the other requests. The limit is needed, because
 * a request whose response comes from a cache or from another request never reaches the place.
 */
const MAX_TURNS = 30

interface Waiting {
  readonly name: string
  readonly go: () => void
}

/**
 * Makes concurrent requests overlap. The gate releases the requests in immediate succession: each request runs up to
 * its first `await` before any request continues. A value that one request has put into shared state is then visible to
 * the next request.
 */
export class Gate {
  #plan: GatePlan | null = null
  #waiting: Waiting[] = []

  arm(plan: GatePlan): void {
    this.#plan = plan
  }

  disarm(): void {
    this.#plan = null
    this.#open()
  }

  /** Returns the promise for which a side's request waits at a place; `undefined` if it does not need to wait. */
  pass(name: string, place: GatePlace): Promise<void> | undefined {
    const plan = this.#plan
    if (plan === null) return undefined
    if (place === 'response') return plan.held === name ? settle(plan.turns) : undefined
    if (place !== plan.place) return undefined
    return this.#wait(name, plan)
  }

  #wait(name: string, { order }: GatePlan): Promise<void> {
    return new Promise((go) => {
      const waiting = { name, go }
      this.#waiting.push(waiting)
      // Releasing is delayed by a microtask, until the last request is also waiting. Otherwise, that request would
      // always run after the other requests.
      if (this.#waiting.length >= order.length) return queueMicrotask(() => this.#open(order))
      void settle(MAX_TURNS).then(() => this.#waiting.includes(waiting) && this.#open(order))
    })
  }

  #open(order: readonly string[] = []): void {
    const waiting = this.#waiting
    this.#waiting = []
    waiting.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
    for (const { go } of waiting) go()
  }
}
