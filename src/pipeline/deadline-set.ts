import type { Response } from '../contracts/handler.js'
import type { RouteBounds } from '../contracts/limits.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { BlazonRequest } from '../http/request.js'
import { type DeadlineConfig, Deadlines } from './deadlines.js'

/**
 * The time limits of an application: one {@link Deadlines} for each length, because the requests of a queue expire in
 * the order in which they started. An application has few lengths: its own, and the lengths of `@Limits`.
 */
export class DeadlineSet {
  readonly #byMs = new Map<number, Deadlines>()
  readonly #defaultMs: number | null
  readonly #config: DeadlineConfig

  /**
   * @param defaultMs How long a handler may run without `@Limits`; `null` for no limit.
   * @param config The clock and the error handlers.
   */
  constructor(defaultMs: number | null, config: DeadlineConfig) {
    this.#defaultMs = defaultMs
    this.#config = config
  }

  /** Returns the time limit of a route. It is called at boot. `null` if the handler has no time limit. */
  of(bounds: RouteBounds | null): Deadlines | null {
    const ms = handlerMsOf(bounds, this.#defaultMs)
    if (ms === null) return null
    const deadlines = this.#byMs.get(ms) ?? new Deadlines(ms, this.#config)
    this.#byMs.set(ms, deadlines)
    return deadlines
  }

  /** Starts the time limit of an error middleware: the limit of the route which the request has reached, if any. */
  startForErrors(req: BlazonRequest, res: Response): void {
    this.#ofRequest(req)?.startUntilClosed(req, res)
  }

  /** Ends the time limit of an error middleware that has let the request continue. */
  stopForErrors(req: BlazonRequest): void {
    this.#ofRequest(req)?.stop(req)
  }

  /** Milliseconds that a request has left; `null` for no limit. */
  restOf(req: BlazonRequest): number | null {
    return this.#ofRequest(req)?.restOf(req) ?? null
  }

  /** Stops all timers. Requests under way have no time limit any more. */
  close(): void {
    for (const deadlines of this.#byMs.values()) deadlines.close()
  }

  /** `req.route` of a request in an Express router has no bounds. */
  #ofRequest({ route }: BlazonRequest): Deadlines | null {
    return this.of((route as Partial<RouteModel> | undefined)?.limits ?? null)
  }
}

/** The time limit of a route, in milliseconds; `null` for no limit. */
export function handlerMsOf(bounds: RouteBounds | null, defaultMs: number | null): number | null {
  return bounds?.handlerMs === undefined ? defaultMs : bounds.handlerMs
}
