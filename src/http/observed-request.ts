import type { Clock } from '../contracts/clock.js'
import type { Request, Response } from '../contracts/handler.js'
import type { EndedRequest, NoteDecision, ResponseCause } from '../contracts/observers.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { RequestOutcome } from '../contracts/steps.js'
import type { TenantScope } from '../contracts/tenant.js'
import { kObserved, kTenantScope } from './symbol-fields.js'

/** A response whose request is observed. */
export interface ObservedResponse extends Response {
  [kObserved]?: ObservedRequest
}

/** The facts about a request. They are collected while it runs, and become public when it has ended. */
export class ObservedRequest implements EndedRequest {
  readonly req: Request | null
  readonly res: Response | null
  route: RouteModel | null = null
  status: number | null = null
  outcome: RequestOutcome = 'aborted'
  /** The time of the monotonic clock at which the request began. */
  readonly beganAt: number
  durationMs = 0
  bytes = 0
  cause: ResponseCause = 'head'
  isQuiet = false
  /** The status with which Node's parser refused the rest of the request. */
  refusedWith: number | null = null
  /** The facts of an outer application that observes the same response; `undefined` if there is none. */
  outer: ObservedRequest | undefined = undefined
  /** The original `emit`: the response's own method or the method of its class; `undefined` until it is replaced. */
  emit: Response['emit'] | undefined = undefined
  /** Whether {@link emit} was set on the response itself before it was replaced. */
  hasHostEmit = false
  isOver = false
  /**
   * Whether the observers of the request's end are currently being called. During these calls, {@link durationMs} is
   * the duration of the whole request.
   */
  isEnding = false
  /** Receives decisions about the request; `undefined` without an observer, and after the end of the request. */
  note: NoteDecision | undefined = undefined
  /** Receives the number of sent bytes once, at the end of the request. */
  onOver: ((observed: ObservedRequest, bytes: number) => void) | null = null

  #startedAt: number | undefined = undefined
  readonly #clock: Clock

  /**
   * @param req The request; `null` if Node's parser could not read it.
   * @param res The response; `null` if there is none.
   * @param clock The clock, whose current time is the start of the request.
   */
  constructor(req: Request | null, res: Response | null, clock: Clock) {
    this.req = req
    this.res = res
    this.#clock = clock
    this.beganAt = clock.monotonic()
  }

  /**
   * The value is computed when it is first read, because few observers need it. The clock truncates fractions, so the
   * result is rounded up.
   */
  get startedAt(): number {
    this.#startedAt ??= Math.ceil(this.#clock.now() - this.#elapsedMs)
    return this.#startedAt
  }

  get #elapsedMs(): number {
    return this.isEnding ? this.durationMs : this.#clock.monotonic() - this.beganAt
  }

  get tenant(): string | undefined {
    return this.#scope?.id
  }

  get claimedTenant(): string | undefined {
    return this.tenant === undefined ? this.#scope?.claim : undefined
  }

  get #scope(): TenantScope | undefined {
    return (this.req as { [kTenantScope]?: TenantScope } | null)?.[kTenantScope]
  }
}

/**
 * Returns the function that records a decision about a request, for `onDecision` of observers, `app.explain` of
 * `TestApp` and the `blazon dev` dashboard. Returns `undefined` if there is no observer. Call the result with `?.`, so
 * that the decision object is not created without an observer. Guards, plugin steps, middlewares and handlers can
 * record decisions. A decision must not contain credentials.
 *
 * @example
 * noteOf(req)?.({ by: 'countries', verdict: 'refused', reason: `not available in ${country}` })
 */
export function noteOf(req: object): NoteDecision | undefined {
  const { res } = req as { readonly res?: ObservedResponse }
  return res?.[kObserved]?.note
}
