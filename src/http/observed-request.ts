import type { Clock } from '../contracts/clock.js'
import type { Request, Response } from '../contracts/handler.js'
import type { EndedRequest, NoteDecision, ResponseCause } from '../contracts/observers.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { RequestOutcome } from '../contracts/steps.js'
import type { TenantScope } from '../contracts/tenant.js'
import { kObserved, kTenantScope } from './symbol-fields.js'

/** The fields of a response whose request is observed. */
export interface ObservedResponse extends Response {
  [kObserved]?: ObservedRequest
}

/** The facts of a request, collected while it runs. They become public when the request has ended. */
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
  /** The status with which Node's parser has refused the rest of the request. */
  refusedWith: number | null = null
  /** The facts of an outer application, which observes the same response; `undefined` if there is none. */
  outer: ObservedRequest | undefined = undefined
  /** The previous `emit` of the response, its own or its class' method; `undefined` until it is replaced. */
  emit: Response['emit'] | undefined = undefined
  /** Whether other code had set {@link emit} on the response itself. */
  hasHostEmit = false
  isOver = false
  /**
   * Whether the observers of the end are being called, so that {@link durationMs} is the time since the request began.
   */
  isEnding = false
  /** Receives decisions about the request; `undefined` without an observer, and after the end of the request. */
  note: NoteDecision | undefined = undefined
  /** Called once at the end of the request, with the number of sent bytes. */
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

  /** Computed when it is first read, because few observers read it. The clock truncates fractions, so this adds one. */
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
 * `TestApp` and the dashboard of `blazon dev`. `undefined` without an observer: with `?.`, the decision object is then
 * not even created. Guards, plugin steps, middlewares and handlers may call it. A decision must not contain
 * credentials.
 *
 * @example
 * noteOf(req)?.({ by: 'countries', verdict: 'refused', reason: `not available in ${country}` })
 */
export function noteOf(req: object): NoteDecision | undefined {
  const { res } = req as { readonly res?: ObservedResponse }
  return res?.[kObserved]?.note
}
