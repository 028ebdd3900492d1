import type { Clock, Timer } from '../../contracts/clock.js'
import type { BlazonRequest } from '../../http/request.js'

/** Returns an item without the fields that the caller may not see. */
export type HideInItem = (item: unknown) => unknown

const hiders = new WeakMap<BlazonRequest, HideInItem>()

/** Sets the function that removes fields that the caller may not see from the items of a request. */
export function hideInItemsOf(req: BlazonRequest, hide: HideInItem): void {
  hiders.set(req, hide)
}

/** Returns the function for the items of a request; `undefined` if the caller may see all fields. */
export function itemHiderOf(req: BlazonRequest): HideInItem | undefined {
  return hiders.get(req)
}

/** Checks a serialized item; throws to end the stream. */
type CheckItem = (item: unknown) => void

/** The item checks of requests in tests. No other code adds checks. */
const checks = new WeakMap<BlazonRequest, CheckItem>()

/** Checks the items of a request after fields outside their schema have been removed. */
export function checkItemsOf(req: BlazonRequest, check: CheckItem): void {
  checks.set(req, check)
}

/** Returns the check of a request; `undefined` outside tests. */
export function itemCheckOf(req: BlazonRequest): CheckItem | undefined {
  return checks.get(req)
}

/** A stream that may need a heartbeat. */
export interface Beating {
  /** Called twice within the maximum pause between two data chunks. */
  beat(): void
}

/**
 * One timer for all streams with the same heartbeat, because 10,000 timers would take more memory than their streams.
 */
export class Heartbeats {
  readonly #streams = new Set<Beating>()
  readonly #clock: Clock
  readonly #ms: number
  #timer: Timer | undefined

  /** @param ms The maximum pause of a stream. */
  constructor(ms: number, clock: Clock) {
    this.#ms = ms
    this.#clock = clock
  }

  add(stream: Beating): void {
    this.#streams.add(stream)
    this.#timer ??= this.#clock.setInterval(() => this.#beat(), this.#ms / 2)
  }

  delete(stream: Beating): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #beat(): void {
    for (const stream of this.#streams) stream.beat()
  }
}
