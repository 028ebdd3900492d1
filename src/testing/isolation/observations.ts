import type { DocumentedOperation } from '../contract/documented-operations.js'
import { describeCrossing, type IsolationLeak, type IsolationRow } from './isolation-report.js'
import type { WholeResponse } from './send-whole.js'

/** What one tenant has seen of one operation. */
interface Seen {
  readonly statuses: Map<number, number>
  /** Answers with something of its own that it had sent at another time. */
  own: number
  /** Answers with what it had just sent. */
  echoed: number
  /** Whether its own ids were taken. */
  isServed: boolean
  /** Whether ids of others were refused as unknown ones. */
  isKeptOut: boolean
}

/** A leak that is being seen. */
export type LeakFact = Omit<IsolationLeak, 'operation' | 'operationId' | 'handler' | 'times'>

/** What was seen of one operation. */
export class Observation {
  readonly documented: DocumentedOperation
  readonly #seen: ReadonlyMap<string, Seen>
  readonly #leaks: Map<string, IsolationLeak> = new Map()
  /** Why nothing of it could be asked; `undefined` when it could. */
  unasked: string | undefined
  #isStream = false

  constructor(documented: DocumentedOperation, names: readonly string[]) {
    this.documented = documented
    this.#seen = new Map(names.map((name) => [name, nothingSeen()]))
  }

  get leaks(): IsolationLeak[] {
    return [...this.#leaks.values()]
  }

  /** Notes an answer, and what of the tenant's own is in it. */
  answered(name: string, { status, isStream }: WholeResponse): void {
    const { statuses } = this.#of(name)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (isStream) this.#isStream = true
  }

  /** Notes that a tenant has seen something of its own. */
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
    return { operation, operationId, ...this.#judge() }
  }

  #judge(): Pick<IsolationRow, 'verdict' | 'evidence'> {
    const [leak] = this.leaks
    if (leak !== undefined) {
      const more = this.#leaks.size === 1 ? '' : `; and ${this.#leaks.size - 1} more`
      return { verdict: 'LEAK', evidence: describeCrossing(leak) + more }
    }
    if (this.unasked !== undefined) return { verdict: 'INCONCLUSIVE', evidence: this.unasked }
    const blank = [...this.#seen].filter(([, seen]) => !isControlled(seen))
    if (blank.length > 0) return { verdict: 'INCONCLUSIVE', evidence: this.#reasonOf(blank) }
    return { verdict: 'PASS', evidence: evidenceOf([...this.#seen.values()]) }
  }

  /** Why the answers to some tenants prove nothing. */
  #reasonOf(blank: readonly [string, Seen][]): string {
    const who = blank.length === this.#seen.size ? 'nobody' : undefined
    const names = blank.map(([name]) => name).join(' and ')
    const statuses = new Map(blank.flatMap(([, seen]) => [...seen.statuses]))
    const isNever = [...statuses.keys()].every((status) => status < 200 || status > 299)
    if (isNever) {
      const text = [...statuses.keys()].sort((a, b) => a - b).join(', ') || 'not asked'
      return `${who ?? `not ${names}`} was ever answered with 2xx: ${text}`
    }
    if (this.#isStream)
      return 'streams: only the beginning was read, and nothing in it was of a tenant'
    return `${who === undefined ? `${names} never` : 'nobody'} saw anything of its own`
  }

  #of(name: string): Seen {
    return this.#seen.get(name) as Seen
  }
}

function nothingSeen(): Seen {
  return { statuses: new Map(), own: 0, echoed: 0, isServed: false, isKeptOut: false }
}

/** The positive control: without it, silence would prove nothing. */
function isControlled({ own, echoed, isServed, isKeptOut }: Seen): boolean {
  return own + echoed > 0 || (isServed && isKeptOut)
}

function evidenceOf(seen: readonly Seen[]): string {
  const [least] = [...seen].sort((a, b) => a.own + a.echoed - b.own - b.echoed)
  if (least === undefined || least.own + least.echoed === 0) {
    return 'own ids are taken, and those of others refused as unknown ones are'
  }
  const what = seen.every(({ own }) => own > 0) ? 'its own data' : 'what it had sent itself'
  const also = seen.every(({ isKeptOut }) => isKeptOut) ? '; ids of others are as unknown ones' : ''
  return `each saw ${what}${also}`
}
