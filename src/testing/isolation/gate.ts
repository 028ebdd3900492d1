import { settle } from '../settle.js'

/** Where requests can be made to wait: before the application sees them, before the handler, before its answer. */
export type GatePlace = 'entry' | 'handler' | 'response'

/** How requests that are sent together meet. */
export interface GatePlan {
  /** Where they wait for each other; `null`: nowhere. */
  readonly place: 'entry' | 'handler' | null
  /** Who goes first, then who. */
  readonly order: readonly string[]
  /** Whose answer is kept back. */
  readonly held: string
  /** For how many turns of the event loop. */
  readonly turns: number
}

/** Turns that somebody waits for the others; caches and flights keep some of them from ever coming. */
const PATIENCE = 30

interface Waiting {
  readonly name: string
  readonly go: () => void
}

/**
 * Makes requests meet. They are let go one right after the other, so that each runs to where it first waits before any
 * of them goes on: what one has put in a place that is everybody's, the other then finds there.
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

  /** What somebody waits for at a place; `undefined` when it may go on. */
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
      // A microtask later the last one waits, too: let go now, it would always be behind the others.
      if (this.#waiting.length >= order.length) return queueMicrotask(() => this.#open(order))
      void settle(PATIENCE).then(() => this.#waiting.includes(waiting) && this.#open(order))
    })
  }

  #open(order: readonly string[] = []): void {
    const waiting = this.#waiting
    this.#waiting = []
    waiting.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
    for (const { go } of waiting) go()
  }
}
