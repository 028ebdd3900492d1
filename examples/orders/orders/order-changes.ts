import { EventEmitter, on } from 'node:events'
import { requireTenantId } from 'blazon'
import type { Order } from './orders-schemas.js'

/** Tells who follows the orders of a shop that one has changed. Between several processes, a broker would do this. */
export class OrderChanges {
  // Each client that follows a shop is one listener.
  private readonly emitter = new EventEmitter().setMaxListeners(0)

  publish(order: Order): void {
    this.emitter.emit(eventOf(), order)
  }

  /** The orders of the shop that change from now on, until the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<Order> {
    return firstOf(on(this.emitter, eventOf(), { signal }))
  }
}

/** Not the bare name of the shop: an emitter throws for an event `error` without a listener. */
function eventOf(): string {
  return `shop ${requireTenantId()}`
}

async function* firstOf(events: AsyncIterable<Order[]>): AsyncGenerator<Order> {
  for await (const [order] of events) if (order !== undefined) yield order
}
