import type { DocumentedOperation } from '../contract/documented-operations.js'
import { headersOf } from '../fuzz/send-request.js'
import type { WireRequest } from '../fuzz/wire-request.js'
import { settle } from '../settle.js'
import { cacheTraces } from './cache-traces.js'
import type { Canaries } from './canaries.js'
import type { Gate, GatePlan } from './gate.js'
import { commandOf, type Side } from './isolation-side.js'
import type { LeakFact, Observation } from './observations.js'
import type { CacheWrite } from './overheard-stores.js'
import type { Records } from './records.js'
import type { MadeRequest, RequestMaker, RequestPlan } from './request-maker.js'
import { type Find, searchResponse } from './search-response.js'
import { NO_ANSWER, sendWhole, type WholeResponse } from './send-whole.js'
import type { Trace } from './trace.js'

/** An operation that requests can be made of. */
export interface Asked {
  readonly maker: RequestMaker
  readonly observation: Observation
  /** `GET` */
  readonly method: string
}

/** What one side is to ask. */
export interface Question {
  readonly asked: Asked
  readonly side: Side
  readonly plan: Omit<RequestPlan, 'sender'>
  /** What is being done, for people. */
  readonly phase: string
}

/** A request that was sent, and its answer. */
export interface Exchanged {
  readonly made: MadeRequest
  readonly answer: WholeResponse
}

/** What is the same for a whole proof. */
export interface SessionConfig {
  readonly sides: readonly Side[]
  readonly canaries: Canaries
  readonly records: Records
  readonly gate: Gate
  /** Whether a request is answered by an operation, and not by another that takes the same path. */
  readonly leadsTo: (request: WireRequest, operation: DocumentedOperation) => boolean
  /** What was logged since it was last asked. */
  readonly newLogs: () => Trace[]
  /** What was cached since it was last asked. */
  readonly newEntries: () => CacheWrite[]
  /** Forgets what is cached, so that the next request finds nothing. */
  readonly clearCache: () => Promise<void>
}

/** A way in which two requests meet. */
export interface Meeting {
  readonly gate: GatePlan
  /** Turns of the event loop by which the second is sent later. */
  readonly stagger: number
}

/** Asks questions, and looks for what is somebody else's in everything that comes of them. */
export class IsolationSession {
  readonly config: SessionConfig
  requests = 0
  /** The request of each side that is under way, or was last. */
  readonly #last: Map<string, MadeRequest> = new Map()

  constructor(config: SessionConfig) {
    this.config = config
  }

  /** Sends one request; one that is refused for its canaries is sent again with fewer. */
  async ask(question: Question): Promise<Exchanged> {
    const exchanged = await this.#exchange(question)
    this.#searchTraces(question)
    return exchanged
  }

  /** Sends requests that are under way at the same time. */
  async askTogether(questions: readonly Question[], meeting: Meeting): Promise<void> {
    const { gate } = this.config
    gate.arm(meeting.gate)
    const answers: Promise<Exchanged>[] = []
    for (const question of questions) {
      answers.push(this.#exchange(question))
      if (meeting.stagger > 0) await settle(meeting.stagger)
    }
    await Promise.all(answers)
    gate.disarm()
    this.#searchTraces(questions[0] as Question)
  }

  async #exchange(question: Question): Promise<Exchanged> {
    const { asked, side, plan } = question
    for (;;) {
      const made = asked.maker.make({ ...plan, sender: side.name })
      const answer = await this.#send(made, question)
      const isRefused = answer.status === 400 || answer.status === 422
      if (isRefused && asked.maker.yields()) continue
      if (answer.status >= 200 && answer.status < 300) asked.maker.settle()
      return { made, answer }
    }
  }

  /** Sends a request as it was made before. */
  async repeat(made: MadeRequest, question: Question): Promise<WholeResponse> {
    const answer = await this.#send(made, question)
    this.#searchTraces(question)
    return answer
  }

  async #send(made: MadeRequest, question: Question): Promise<WholeResponse> {
    const { side, asked } = question
    // `/notes/latest` is not what `/notes/{id}` is about.
    if (!this.config.leadsTo(made.wire, asked.maker.documented)) return NO_ANSWER
    const sent = this.#tell(made, side)
    this.#last.set(side.name, made)
    this.requests++
    const answer = await sendWhole(made.wire, side)
    asked.observation.answered(side.name, answer)
    const isClean = this.#search(answer, sent, question)
    // What it should never have heard of is not its own.
    if (isClean) this.config.records.learn(side.name, templateOf(asked), answer)
    return answer
  }

  /** What of others is in a request its sender knows from now on; answers with everything that is in it. */
  #tell({ wire }: MadeRequest, side: Side): ReadonlySet<string> {
    const headers = Object.values(headersOf(wire, side.headers))
    const text = [wire.target, ...headers, wire.body ?? ''].join('\n')
    const found = this.config.canaries.find(decoded(text))
    for (const { key, owner } of found) if (owner !== side.name) side.told.add(key)
    return new Set(found.map(({ key }) => key))
  }

  /** Whether nothing of others is in an answer. */
  #search(answer: WholeResponse, sent: ReadonlySet<string>, question: Question): boolean {
    const { side, asked } = question
    const finds = searchResponse(answer, this.config.canaries)
    const own = finds.filter(({ owner }) => owner === side.name)
    const isEcho = own.every(({ key }) => sent.has(key))
    if (own.length > 0) asked.observation.sawOwn(side.name, isEcho)
    const foreign = finds.filter(({ key, owner }) => owner !== side.name && !side.told.has(key))
    const places = new Map([...foreign].reverse().map((find) => [placeOf(find), find]))
    for (const { owner: from, origin, where } of places.values()) {
      this.report(question, { kind: 'answer', from, where, origin })
    }
    return foreign.length === 0
  }

  /** Looks at what was written down while requests were answered. */
  #searchTraces(question: Question): void {
    const { newLogs, newEntries, canaries, sides } = this.config
    const nameOf = (id: string) => sides.find((side) => side.id === id)?.name
    const traces = [...newLogs(), ...cacheTraces(newEntries(), nameOf)]
    for (const { kind, owner, text, where } of traces) {
      const side = sides.find(({ name }) => name === owner)
      if (side === undefined) continue
      for (const found of canaries.find(text)) {
        if (found.owner === owner || side.told.has(found.key)) continue
        const { owner: from, origin } = found
        this.report({ ...question, side }, { kind, from, where, origin })
      }
    }
  }

  /** Notes that something of one side has reached another, by its last request unless by another. */
  report(
    { asked, side, phase }: Pick<Question, 'asked' | 'side' | 'phase'>,
    fact: Pick<LeakFact, 'kind' | 'from' | 'where' | 'origin'>,
    made: MadeRequest | undefined = this.#last.get(side.name),
  ): void {
    const curl = made === undefined ? '' : commandOf(made.wire, side)
    asked.observation.leaked({ ...fact, to: side.name, phase, curl })
  }
}

/** A list of leaks is one leak. */
function placeOf({ owner, origin, where }: Find): string {
  return `${owner} ${origin} ${where.replace(/\[\d+\]/g, '[]')}`
}

function templateOf({ maker }: Asked): string {
  return maker.documented.name.split(' ', 2)[1] ?? ''
}

/** Texts in a URL are found as people know them, too. */
function decoded(text: string): string {
  try {
    return `${text}\n${decodeURIComponent(text)}`
  } catch {
    return text
  }
}
