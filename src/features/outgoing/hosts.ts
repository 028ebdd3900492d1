import type { Metric, MetricSample } from '../../contracts/reports.js'
import type { Call } from './call.js'

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

/** A program calls few hosts. Additional hosts share one name, so that the number of series is bounded. */
const MOST_NAMES = 100
const OTHERS = 'other'
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|QUERY)$/

/** Counts calls by host, method and class of the status. */
export class CallCounts {
  readonly #counts = new Map<string, MetricSample>()
  readonly #names = new Set<string>()

  /** @param status `null` for a call that has failed. */
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

  /** The metric of calls. */
  readonly metric: Metric = {
    name: 'outgoing_calls_total',
    help: 'Calls to other hosts, by host, method and status class.',
    type: 'counter',
    read: () => [...this.#counts.values()],
  }
}
