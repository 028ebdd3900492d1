import type { DocumentedOperation } from '../../app/contract/documented-by-route.js'
import { describeCrossing, type IsolationLeak, type IsolationRow } from './isolation-report.js'
import type { WholeResponse } from './send-whole.js'

/** The counts of the responses that one side received from one operation. */
interface Seen {
  readonly statuses: Map<number, number>
  /** The number of responses with data that this side had sent earlier. */
  own: number
  /** The number of responses in which all data of this side came from the request itself. */
  echoed: number
  /** Whether a request with IDs of this side succeeded. */
  isServed: boolean
  /** Whether IDs of other sides resulted in the same 4xx status as unknown IDs. */
  isKeptOut: boolean
}

/** The remedy for generated values that are invalid. */
export const REMEDY = 'set a value for the field with the option texts'

/** One occurrence of a leak. */
export type LeakFact = Omit<IsolationLeak, 'operation' | 'operationId' | 'handler' | 'times'>

/** The observations about one operation. */
export class Observation {
  readonly documented: DocumentedOperation
  readonly #seen: ReadonlyMap<string, Seen>
  readonly #leaks: Map<string, IsolationLeak> = new Map()
  /** The reason why no requests were sent to the operation; `undefined` if requests were sent. */
  notTested: string | undefined
  /**
   * The reasons why the requests to the operation contain fewer random strings than other requests; empty if there are
   * none.
   */
  limits: () => readonly string[] = () => []
  /** The errors with which the application rejected generated values; empty if it accepted them. */
  refusal = ''
  #isStream = false

  constructor(documented: DocumentedOperation, names: readonly string[]) {
    this.documented = documented
    this.#seen = new Map(names.map((name) => [name, nothingSeen()]))
  }

  /** The statuses of all responses. */
  get statuses(): ReadonlySet<number> {
    return new Set([...this.#seen.values()].flatMap(({ statuses }) => [...statuses.keys()]))
  }

  get leaks(): IsolationLeak[] {
    return [...this.#leaks.values()]
  }

  /** Records the status of a response. */
  answered(name: string, { status, isStream }: WholeResponse): void {
    const { statuses } = this.#of(name)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (isStream) this.#isStream = true
  }

  /** Records that a response contained the side's own data. */
  sawOwn(name: string, isEcho: boolean): void {
    const seen = this.#of(name)
    if (isEcho) seen.echoed++
    else seen.own++
  }

  served(name: string): void {
    this.#of(name).isServed = true
  }

  keptOut(name: string): void {
    this.#of(name).isKeptOut = true
  }

  leaked(fact: LeakFact): void {
    const { name: operation, operationId, handler } = this.documented
    const { kind, from, to, where, origin } = fact
    const key = JSON.stringify([kind, from, to, where.replace(/\[\d+\]/g, '[]'), origin])
    const known = this.#leaks.get(key)
    const leak = known ?? { ...fact, operation, operationId, handler, times: 0 }
    this.#leaks.set(key, { ...leak, times: leak.times + 1 })
  }

  toRow(): IsolationRow {
    const { name: operation, operationId } = this.documented
    return { operation, operationId, ...this.#checkExchange() }
  }

  #checkExchange(): Pick<IsolationRow, 'verdict' | 'evidence'> {
    const [leak] = this.leaks
    if (leak !== undefined) {
      const more = this.#leaks.size === 1 ? '' : `; and ${this.#leaks.size - 1} more`
      return { verdict: 'LEAK', evidence: describeCrossing(leak) + more }
    }
    if (this.notTested !== undefined) return { verdict: 'INCONCLUSIVE', evidence: this.notTested }
    const blank = [...this.#seen].filter(([, seen]) => !isControlled(seen))
    if (blank.length > 0) return { verdict: 'INCONCLUSIVE', evidence: this.#reasonOf(blank) }
    return { verdict: 'PASS', evidence: evidenceOf([...this.#seen.values()]) }
  }

  /** Returns the reason why the responses to these sides are not evidence. */
  #reasonOf(blank: readonly [string, Seen][]): string {
    const isEvery = blank.length === this.#seen.size
    const names = blank.map(([name]) => name).join(' and ')
    const statuses = new Map(blank.flatMap(([, seen]) => [...seen.statuses]))
    const isNever = [...statuses.keys()].every((status) => status < 200 || status > 299)
    if (isNever) {
      const text = [...statuses.keys()].sort((a, b) => a - b).join(', ') || 'no request was sent'
      const why = this.refusal === '' ? '' : ` (${this.refusal}); ${REMEDY}`
      return `${isEvery ? 'no tenant got a' : `${names} got no`} 2xx response: ${text}${why}`
    }
    if (this.#isStream)
      return 'a stream: only its beginning was read, and this part contained no data of a tenant'
    const limits = this.limits()
    const why = limits.length === 0 ? '' : `; ${limits.join('; ')}; ${REMEDY}`
    return `${isEvery ? 'no tenant saw its own data' : `${names} never saw its own data`}${why}`
  }

  #of(name: string): Seen {
    return this.#seen.get(name) as Seen
  }
}

function nothingSeen(): Seen {
  return { statuses: new Map(), own: 0, echoed: 0, isServed: false, isKeptOut: false }
}

/**
 * The positive control: the side received its own data, or its own IDs worked and IDs of other sides were refused like
 * unknown IDs. Without this control, the absence of leaks is not evidence.
 */
function isControlled({ own, echoed, isServed, isKeptOut }: Seen): boolean {
  return own + echoed > 0 || (isServed && isKeptOut)
}

function evidenceOf(seen: readonly Seen[]): string {
  const [least] = [...seen].sort((a, b) => a.own + a.echoed - b.own - b.echoed)
  if (least === undefined || least.own + least.echoed === 0) {
    return 'own IDs are accepted, and IDs of other tenants get the same status as unknown IDs'
  }
  const what = seen.every(({ own }) => own > 0) ? 'its own data' : 'the data it had just sent'
  const also = seen.every(({ isKeptOut }) => isKeptOut)
    ? '; IDs of other tenants get the same status as unknown IDs'
    : ''
  return `each tenant saw ${what}${also}`
}
