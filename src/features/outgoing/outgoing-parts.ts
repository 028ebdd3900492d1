import type { Clock } from '../../contracts/clock.js'
import type { Request as ServerRequest } from '../../contracts/handler.js'
import type { Duration } from '../../contracts/limits.js'
import type { Logger } from '../../contracts/logger.js'
import type { AnswerCall, EndCall, NewCall } from '../../contracts/outgoing-call.js'
import type { Metric } from '../../contracts/reports.js'
import type { OutgoingSettings } from './outgoing-options.js'
import type { LookUp } from './public-hosts.js'

/** The options of one call: all options of `fetch`, and three more. */
export interface OutgoingInit extends RequestInit {
  /** How long the call may take: a duration. It never takes longer than its request. Default: as long as the request. */
  readonly timeout?: Duration
  /**
   * Whether the URL comes from a stranger. Then only public addresses are called, on the ports of `ports`, and each redirect is
   * checked as well. Default `false`.
   */
  readonly public?: boolean
  /** The ports that a URL with `public: true` may have. Default: 80 and 443. */
  readonly ports?: readonly number[]
}

/** The parts of an application that exist before its instances. */
export interface OutgoingParts {
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn'>
  readonly settings: OutgoingSettings
  /** The headers of this application's credentials and of the tenant, in lower case. */
  readonly credentials: readonly string[]
  /** Answers calls in place of other hosts; `null` outside of tests. */
  readonly answer: AnswerCall | null
  /** Looks up the addresses of strangers' URLs. Default: Node's look-up. */
  readonly lookUp?: LookUp
}

/** The parts of an application that exist once its requests can be handled. */
export interface OutgoingLinks {
  /** Calls the observers of a call that begins; `null` without observers. Never throws. */
  readonly onCall: ((call: NewCall) => EndCall | null) | null
  readonly needs: { readonly stacks: boolean; readonly bodies: boolean }
  /** Milliseconds until the handler timeout ends a request; `null` for no limit. */
  readonly restOf: (req: ServerRequest) => number | null
  readonly addMetric: (metric: Metric) => void
}
