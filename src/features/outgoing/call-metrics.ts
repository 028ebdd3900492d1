import type { Metric } from '../../contracts/metrics.js'
import type { Call } from './call.js'

/** The hosts that a program calls are few. More than these share one name, so that the number of series is bounded. */
const MOST_HOSTS = 100
const OTHERS = 'other'
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|QUERY)$/

/** Counts calls by host, method and class of the status. */
export class CallCounts {
  readonly #counts = new Map<string, { readonly labels: Record<string, string>; value: number }>()
  readonly #hosts = new Set<string>()

  /** @param status `null` for a call that has failed. */
  add({ url, method, isPublic }: Call, status: number | null): void {
    const labels = {
      host: isPublic ? 'public' : this.#hostOf(url),
      method: METHODS.test(method) ? method : OTHERS,
      status: status === null ? 'error' : `${Math.floor(status / 100)}xx`,
    }
    const key = Object.values(labels).join(' ')
    const known = this.#counts.get(key) ?? { labels, value: 0 }
    known.value += 1
    this.#counts.set(key, known)
  }

  #hostOf({ host }: URL): string {
    if (this.#hosts.has(host)) return host
    if (this.#hosts.size >= MOST_HOSTS) return OTHERS
    this.#hosts.add(host)
    return host
  }

  /** The metrics of calls. */
  metrics(openCircuits: () => readonly string[]): Metric[] {
    return [
      {
        name: 'outgoing_calls_total',
        help: 'Calls to other hosts, by host, method and class of the status.',
        type: 'counter',
        read: () => [...this.#counts.values()],
      },
      {
        name: 'outgoing_open_circuits',
        help: 'Hosts to which calls are refused, because they have failed.',
        type: 'gauge',
        read: () => openCircuits().length,
      },
    ]
  }
}
