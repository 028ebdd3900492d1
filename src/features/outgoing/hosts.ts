import type { Clock } from '../../contracts/clock.js'
import type { Metric } from '../../contracts/reports.js'
import { type Call, isRepeatable } from './call.js'

/**
 * The share of the calls to a host that may be retried. A minimum is always allowed, because a share of few calls is
 * 0.
 */
const MOST_REPEATED = 0.1
const FEW = 10
/** The time window of the counters. Retries of a bad minute do not affect the next one. */
const WINDOW_MS = 60_000
const FAILURES = 5
const OPEN_MS = 10_000
/** Strangers' URLs have any number of hosts. */
const MOST_HOSTS = 1000

/** The state of another host, according to calls. */
export class Host {
  #since = Number.NEGATIVE_INFINITY
  #calls = 0
  #repeated = 0
  /** The number of failed calls since the last success. */
  #failures = 0
  #openUntil = 0

  /** Records a call of the program. */
  count(now: number): void {
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now
      this.#calls = this.#repeated = 0
    }
    this.#calls += 1
  }

  /** Whether a call may be retried now. If so, counts the retry. */
  takeRepetition(): boolean {
    const isLeft = this.#repeated < Math.max(FEW, Math.floor(this.#calls * MOST_REPEATED))
    if (isLeft) this.#repeated += 1
    return isLeft
  }

  /** Milliseconds for which calls are refused; 0 if they are not. */
  refusedMs(now: number): number {
    return this.#failures < FAILURES ? 0 : Math.max(0, this.#openUntil - now)
  }

  /** As `refusedMs`, for a call that is sent at 0: of a host that has failed, it alone tries whether the host works. */
  enter(now: number): number {
    const ms = this.refusedMs(now)
    if (ms === 0) this.#openUntil = now + OPEN_MS
    return ms
  }

  /** Records the result of a call: whether the host has failed; `null` if unknown. */
  note(hasFailed: boolean | null, now: number): void {
    if (hasFailed === null) return
    this.#failures = hasFailed ? this.#failures + 1 : 0
    this.#openUntil = now + OPEN_MS
  }
}

/** The states of all hosts that an application has called. */
export class Hosts {
  readonly #hosts = new Map<string, Host>()

  /** Returns the state of a host. Of very many hosts, the first is forgotten. */
  of(name: string): Host {
    const host = this.#hosts.get(name) ?? new Host()
    const [oldest] = this.#hosts.size < MOST_HOSTS ? [] : this.#hosts.keys()
    if (oldest !== undefined && !this.#hosts.has(name)) this.#hosts.delete(oldest)
    this.#hosts.set(name, host)
    return host
  }

  /** Lists the hosts to which calls are refused. */
  open(now: number): string[] {
    return [...this.#hosts].flatMap(([name, host]) => (host.refusedMs(now) > 0 ? [name] : []))
  }
}

/** The result of sending a call once. */
export type Attempt =
  | { readonly response: Response; readonly error?: undefined }
  | { readonly response?: undefined; readonly error: unknown }

/** Whether the host did not work; `null` if that is not known. */
export function hasFailed(
  { limit: { signal } }: Call,
  { response, error }: Attempt,
): boolean | null {
  if (response !== undefined) return response.status >= 500
  if (isRefusal(error)) return null
  // A client that has left, or a program that wants no answer any more, is no failure of the host. The end of the time is one.
  const { name, code } = Object(signal.reason)
  const isLate = name === 'TimeoutError' || code === 'HANDLER_TIMEOUT'
  return !signal.aborted || isLate ? true : null
}

/** An error of this function itself, such as a URL that is not public. */
function isRefusal(error: unknown): boolean {
  return typeof Object(error).status === 'number'
}

/** A call is sent three times at most. */
const MOST_ATTEMPTS = 3
const FIRST_WAIT_MS = 200
/** They are about the moment. A 500 is about the call. */
const PASSING = new Set([429, 502, 503, 504])

/** Returns how long to wait before a call is sent again, in milliseconds; `null` if it is not. */
export function waitBefore(call: Call, { response, error }: Attempt, clock: Clock): number | null {
  if (call.attempts >= MOST_ATTEMPTS || call.limit.signal.aborted || !isRepeatable(call))
    return null
  if (response === undefined ? isRefusal(error) : !PASSING.has(response.status)) return null
  // A random part, so that calls that failed together are not retried together.
  const random = Math.random() * FIRST_WAIT_MS * 2 ** (call.attempts - 1)
  const ms = random + retryAfterMs(response?.headers.get('retry-after') ?? '', clock)
  return clock.monotonic() + ms < call.limit.endsAt ? ms : null
}

/** `Retry-After` as seconds or as a date (RFC 9110, 10.2.3); 0 if it is missing or invalid. */
function retryAfterMs(value: string, clock: Clock): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000
  return Math.max(0, Date.parse(value) - clock.now() || 0)
}

/** A program calls few hosts. Additional hosts share one name, so that the number of series is bounded. */
const MOST_NAMES = 100
const OTHERS = 'other'
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|QUERY)$/

/** Counts calls by host, method and class of the status. */
export class CallCounts {
  readonly #counts = new Map<string, { readonly labels: Record<string, string>; value: number }>()
  readonly #names = new Set<string>()

  /** @param status `null` for a call that has failed. */
  add({ url, method, isPublic }: Call, status: number | null): void {
    const labels = {
      host: isPublic ? 'public' : this.#nameOf(url.host),
      method: METHODS.test(method) ? method : OTHERS,
      status: status === null ? 'error' : `${Math.floor(status / 100)}xx`,
    }
    const key = `${labels.host} ${labels.method} ${labels.status}`
    const count = this.#counts.get(key) ?? { labels, value: 0 }
    count.value += 1
    this.#counts.set(key, count)
  }

  #nameOf(host: string): string {
    if (!this.#names.has(host) && this.#names.size >= MOST_NAMES) return OTHERS
    this.#names.add(host)
    return host
  }

  /** The metric of calls. */
  readonly metric: Metric = {
    name: 'outgoing_calls_total',
    help: 'Calls to other hosts, by host, method and status class.',
    type: 'counter',
    read: () => [...this.#counts.values()],
  }
}
