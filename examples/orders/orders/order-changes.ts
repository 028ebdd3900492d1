import { EventEmitter, on } from 'node:events'
import { requireTenantId } from 'blazon'
import type { Order } from './orders-schemas.js'

/** Sends changed orders to the clients that follow the shop. With several processes, use a message broker instead. */
export class OrderChanges {
  // Each client that follows a shop is one listener.
  private readonly emitter = new EventEmitter().setMaxListeners(0)

  publish(order: Order): void {
    this.emitter.emit(eventOf(), order)
  }

  /** Yields each order of the shop that changes from now on, until the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<Order> {
    return firstOf(on(this.emitter, eventOf(), { signal }))
  }
}

/** The prefix is necessary for a shop called `error`: an emitter throws if an event `error` has no listener. */
function eventOf(): string {
  return `shop ${requireTenantId()}`
}

async function* firstOf(events: AsyncIterable<Order[]>): AsyncGenerator<Order> {
  for await (const [order] of events) if (order !== undefined) yield order
}
