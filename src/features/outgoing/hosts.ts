import type { Metric, MetricSample } from '../../contracts/reports.js'
import type { Call } from './call.js'

/**
 * The maximum share of the calls to a host that are retried. A few retries are always allowed, because for a small
 * number of calls, this share is less than one call.
 */
const MOST_REPEATED = 0.1
const FEW = 10
/** The time window of the counters. Retries in one window do not affect the next window. */
const WINDOW_MS = 60_000
const FAILURES = 5
const OPEN_MS = 10_000
/** The maximum number of hosts whose state is stored. URLs from untrusted parties can have any number of hosts. */
const MOST_HOSTS = 1000

/** The state of another host, according to the results of calls. */
export class Host {
  #since = Number.NEGATIVE_INFINITY
  #calls = 0
  #repeated = 0
  /** The number of failed calls since the last success. */
  #failures = 0
  #openUntil = 0

  /** Counts a call that the application made. */
  count(now: number): void {
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now
      this.#calls = this.#repeated = 0
    }
    this.#calls += 1
  }

  /** Whether a call can be retried now. If so, counts the retry. */
  takeRepetition(): boolean {
    const isLeft = this.#repeated < Math.max(FEW, Math.floor(this.#calls * MOST_REPEATED))
    if (isLeft) this.#repeated += 1
    return isLeft
  }

  /** Returns for how many milliseconds calls are still refused; 0 if calls are allowed. */
  refusedMs(now: number): number {
    return this.#failures < FAILURES ? 0 : Math.max(0, this.#openUntil - now)
  }

  /**
   * Like `refusedMs`, but the call is sent if the result is 0. For a failed host, this call alone tests whether the
   * host works again, and further calls are refused in the meantime.
   */
  enter(now: number): number {
    const ms = this.refusedMs(now)
    if (ms === 0) this.#openUntil = now + OPEN_MS
    return ms
  }

  /** Records whether the host failed in a call. `null` means that this is unknown, and is ignored. */
  note(hasFailed: boolean | null, now: number): void {
    if (hasFailed === null) return
    this.#failures = hasFailed ? this.#failures + 1 : 0
    this.#openUntil = now + OPEN_MS
  }
}

/** The states of all hosts that an application has called. */
export class Hosts {
  readonly #hosts = new Map<string, Host>()

  /** Returns the state of a host. If there are too many hosts, the oldest state is deleted. */
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

/**
 * The maximum number of hosts with their own series. Most applications call only a few hosts. All further hosts share
 * one name, so that the number of series is limited.
 */
const MOST_NAMES = 100
const OTHERS = 'other'
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|QUERY)$/

/** Counts calls by host, method and status class. */
export class CallCounts {
  readonly #counts = new Map<string, MetricSample>()
  readonly #names = new Set<string>()

  /** @param status The response status; `null` for a call that failed without a response. */
  add({ url, method, isPublic }: Call, status: number | null): void {
    const labels = {
      host: isPublic ? 'public' : this.#nameOf(url.host),
      method: METHODS.test(method) ? method : OTHERS,
      status: status === null ? 'error' : `${Math.floor(status / 100)}xx`,
    }
    const key = `${labels.host} ${labels.method} ${labels.status}`
    const value = (this.#counts.get(key)?.value ?? 0) + 1
    this.#counts.set(key, { labels, value })
  }

  #nameOf(host: string): string {
    if (!this.#names.has(host) && this.#names.size >= MOST_NAMES) return OTHERS
    this.#names.add(host)
    return host
  }

  /** The metric that counts calls. */
  readonly metric: Metric = {
    name: 'outgoing_calls_total',
    help: 'Calls to other hosts, by host, method and status class.',
    type: 'counter',
    read: () => [...this.#counts.values()],
  }
}
