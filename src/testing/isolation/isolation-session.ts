import type { DocumentedOperation } from '../../app/contract/documented-by-route.js'
import { headersOf, type WireRequest } from '../fuzz/wire-request.js'
import { settle } from '../settle.js'
import { type Canaries, isUnusualId } from './canaries.js'
import type { Gate, GatePlan } from './gate.js'
import { commandOf, type Side } from './isolation-side.js'
import type { LeakFact, Observation } from './observations.js'
import { type CacheWrite, cacheTraces, type Trace } from './recorded-stores.js'
import { idsIn, type Records } from './records.js'
import type { MadeRequest, RequestMaker, RequestPlan } from './request-maker.js'
import { type Find, refusalIn, searchResponse } from './search-response.js'
import { NO_RESPONSE, sendWhole, type WholeResponse } from './send-whole.js'

/** An operation that the session calls, with its request maker and observations. */
export interface TestedOperation {
  readonly maker: RequestMaker
  readonly observation: Observation
  /** The method: `GET`. */
  readonly method: string
}

/** One request to send: its operation, its side and its values. */
export interface PlannedRequest {
  readonly tested: TestedOperation
  readonly side: Side
  readonly plan: Omit<RequestPlan, 'sender'>
  /** The phase of the test, for the report. */
  readonly phase: string
}

/** A request that was sent, and its response. */
export interface Exchanged {
  readonly made: MadeRequest
  readonly response: WholeResponse
}

/** The parts that are the same for a whole run. */
export interface SessionConfig {
  readonly sides: readonly Side[]
  readonly canaries: Canaries
  readonly records: Records
  readonly gate: Gate
  /** Whether a request reaches this operation, and not another operation with a matching path. */
  readonly leadsTo: (request: WireRequest, operation: DocumentedOperation) => boolean
  /** Returns the log entries since the last call. */
  readonly newLogs: () => Trace[]
  /** Returns the cache entries that were written since the last call. */
  readonly newEntries: () => CacheWrite[]
  /** Empties the cache, so that the next request finds no entry. */
  readonly clearCache: () => Promise<void>
}

/** How two concurrent requests overlap. */
export interface Overlap {
  readonly gate: GatePlan
  /** The number of turns of the event loop between the first and the second request. */
  readonly stagger: number
}

/** Safe methods, whose responses can come from a cache. */
const SAFE = ['GET', 'QUERY', 'HEAD', 'OPTIONS']
/** Refusals that do not depend on the values of a body. */
const ACCESS = [401, 403, 404, 429]

/** Sends requests, and searches responses, logs and cache entries for data of other sides. */
export class IsolationSession {
  readonly config: SessionConfig
  requests = 0
  /** The latest request of each side, for the curl command of a leak. */
  readonly #last: Map<string, MadeRequest> = new Map()

  constructor(config: SessionConfig) {
    this.config = config
  }

  /** Sends one request. If the application rejects its values, sends it again with fewer canaries. */
  async send(planned: PlannedRequest): Promise<Exchanged> {
    const exchanged = await this.#exchange(planned)
    this.#searchTraces(planned)
    return exchanged
  }

  /** Sends several requests at the same time. */
  async sendTogether(planned: readonly PlannedRequest[], overlap: Overlap): Promise<void> {
    const { gate } = this.config
    gate.arm(overlap.gate)
    const exchanges: Promise<Exchanged>[] = []
    for (const each of planned) {
      exchanges.push(this.#exchange(each))
      if (overlap.stagger > 0) await settle(overlap.stagger)
    }
    await Promise.all(exchanges)
    gate.disarm()
    this.#searchTraces(planned[0] as PlannedRequest)
  }

  async #exchange(planned: PlannedRequest): Promise<Exchanged> {
    const { tested, side, plan } = planned
    for (;;) {
      const made = tested.maker.make({ ...plan, sender: side.name })
      const response = await this.#sendMade(made, planned)
      const { errors } = tested.maker.documented
      const isRefused = [400, 422, errors.validationStatus].includes(response.status)
      if (isRefused) tested.observation.refusal ||= refusalIn(response)
      const isKnown = response.status < 400 || ACCESS.includes(response.status)
      if (!isKnown && tested.maker.yieldsValues()) continue
      if (isRefused && tested.maker.yields()) continue
      if (response.status >= 200 && response.status < 300) tested.maker.settle()
      return { made, response }
    }
  }

  /** Sends an earlier request again. */
  async repeat(made: MadeRequest, planned: PlannedRequest): Promise<WholeResponse> {
    const response = await this.#sendMade(made, planned)
    this.#searchTraces(planned)
    return response
  }

  async #sendMade(made: MadeRequest, planned: PlannedRequest): Promise<WholeResponse> {
    const { side, tested } = planned
    // A generated ID such as `latest` in `/notes/latest` would reach an operation other than `/notes/{id}`.
    if (!this.config.leadsTo(made.wire, tested.maker.documented)) return NO_RESPONSE
    const sent = this.#recordKnown(made, planned)
    this.#last.set(side.name, made)
    this.requests++
    const response = await sendWhole(made.wire, side)
    tested.observation.answered(side.name, response)
    const isClean = this.#search(response, sent, planned)
    // A response with data of another side must not add IDs of the other side to the records of this side.
    if (isClean) this.config.records.store(side.name, templateOf(tested), response)
    if (isClean && !isSafe(tested)) this.#learnIds(response, made, planned)
    return response
  }

  /**
   * Records the random IDs of the records that a request has created. IDs that the client has chosen are not evidence.
   */
  #learnIds(
    response: WholeResponse,
    { wire }: MadeRequest,
    { side, tested }: PlannedRequest,
  ): void {
    if (!isSuccess(response.status)) return
    const sent = decoded(`${wire.target}\n${wire.body ?? ''}`)
    const { name: origin } = tested.maker.documented
    const ids = idsIn(response).filter((id) => isUnusualId(id) && !sent.includes(id))
    const own = ids.filter((id) =>
      this.config.canaries.learn(id, { owner: side.name, origin, isId: true }),
    )
    if (own.length > 0) tested.observation.sawOwn(side.name, true)
  }

  /**
   * Records which canaries of other sides are in a request, because responses are allowed to return these canaries to
   * the sender from then on. Returns the keys of all canaries in the request.
   */
  #recordKnown({ wire }: MadeRequest, { side, tested }: PlannedRequest): ReadonlySet<string> {
    const headers = Object.values(headersOf(wire, side.headers))
    const text = [wire.target, ...headers, wire.body ?? ''].join('\n')
    const found = this.config.canaries.find(decoded(text))
    for (const { key, owner, isId = false } of found) {
      // A request that only reads stores no ID, so a later response must not contain the ID.
      if (owner !== side.name && !(isId && isSafe(tested))) side.knownCanaries.add(key)
    }
    return new Set(found.map(({ key }) => key))
  }

  /** Searches a response and reports data of other sides. Returns true if it found none. */
  #search(response: WholeResponse, sent: ReadonlySet<string>, planned: PlannedRequest): boolean {
    const { side, tested } = planned
    const finds = searchResponse(response, this.config.canaries)
    const own = finds.filter(({ owner }) => owner === side.name)
    const isEcho = own.every(({ key }) => sent.has(key))
    if (own.length > 0) tested.observation.sawOwn(side.name, isEcho)
    const foreign = finds.filter(
      ({ key, owner }) => owner !== side.name && !side.knownCanaries.has(key) && !sent.has(key),
    )
    const places = new Map([...foreign].reverse().map((find) => [placeOf(find), find]))
    for (const { owner: from, origin, where } of places.values()) {
      this.report(planned, { kind: 'response', from, where, origin })
    }
    return foreign.length === 0
  }

  /** Searches the logs and cache entries that were written during the requests. */
  #searchTraces(planned: PlannedRequest): void {
    const { newLogs, newEntries, canaries, sides } = this.config
    const nameOf = (id: string) => sides.find((side) => side.id === id)?.name
    const traces = [...newLogs(), ...cacheTraces(newEntries(), nameOf)]
    for (const { kind, owner, text, where } of traces) {
      const side = sides.find(({ name }) => name === owner)
      if (side === undefined) continue
      for (const found of canaries.find(text)) {
        // The log of a request is allowed to contain the ID that the request specifies.
        if (found.owner === owner || found.isId || side.knownCanaries.has(found.key)) continue
        const { owner: from, origin } = found
        this.report({ ...planned, side }, { kind, from, where, origin })
      }
    }
  }

  /** Records a leak, with the curl command of `made`, or of the latest request of the side. */
  report(
    { tested, side, phase }: Pick<PlannedRequest, 'tested' | 'side' | 'phase'>,
    fact: Pick<LeakFact, 'kind' | 'from' | 'where' | 'origin'>,
    made: MadeRequest | undefined = this.#last.get(side.name),
  ): void {
    const curl = made === undefined ? '' : commandOf(made.wire, side)
    tested.observation.leaked({ ...fact, to: side.name, phase, curl })
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** Whether an operation only reads data. */
export function isSafe({ method }: TestedOperation): boolean {
  return SAFE.includes(method)
}

/** Leaks that differ only in the index of a list item count as one leak. */
function placeOf({ owner, origin, where }: Find): string {
  return `${owner} ${origin} ${where.replace(/\[\d+\]/g, '[]')}`
}

function templateOf({ maker }: TestedOperation): string {
  return maker.documented.name.split(' ', 2)[1] ?? ''
}

/** Adds the decoded form of percent-encoded strings, so that it is also searched. */
function decoded(text: string): string {
  try {
    return `${text}\n${decodeURIComponent(text)}`
  } catch {
    return text
  }
}
