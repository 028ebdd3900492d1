import type { Clock, Timer } from '../../contracts/clock.js'
import type { BlazonRequest } from '../../http/request.js'

/** Returns an item without the fields that the caller is not allowed to see. */
export type HideInItem = (item: unknown) => unknown

const hiders = new WeakMap<BlazonRequest, HideInItem>()

/** Sets the function that removes hidden fields from a request's items. */
export function hideInItemsOf(req: BlazonRequest, hide: HideInItem): void {
  hiders.set(req, hide)
}

/**
 * Returns the function that removes hidden fields from a request's items; `undefined` if the caller is allowed to see
 * all fields.
 */
export function itemHiderOf(req: BlazonRequest): HideInItem | undefined {
  return hiders.get(req)
}

/** Checks an item before it is serialized. Throws to end the stream. */
type CheckItem = (item: unknown) => void

/** The item checks of requests. Only tests add checks. */
const checks = new WeakMap<BlazonRequest, CheckItem>()

/** Sets the check for a request's items. The check runs after fields that are not in the schema have been removed. */
export function checkItemsOf(req: BlazonRequest, check: CheckItem): void {
  checks.set(req, check)
}

/** Returns the check for a request's items; `undefined` outside tests. */
export function itemCheckOf(req: BlazonRequest): CheckItem | undefined {
  return checks.get(req)
}

/** A stream that needs heartbeats. */
export interface Beating {
  /** {@link Heartbeats} calls this twice within the maximum pause between two data chunks. */
  beat(): void
}

/**
 * Sends the heartbeats of all streams with the same interval. They share one timer, because 10,000 timers would use
 * more memory than the streams themselves.
 */
export class Heartbeats {
  readonly #streams = new Set<Beating>()
  readonly #clock: Clock
  readonly #ms: number
  #timer: Timer | undefined

  /** @param ms The maximum pause between two data chunks, in milliseconds. */
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
