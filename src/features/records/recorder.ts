import type { Request } from '../../contracts/handler.js'
import type { EndedRequest } from '../../contracts/observers.js'
import type { RanCall } from '../../contracts/outgoing-call.js'
import type { ObserverSetup, Plugin, RequestSecretTexts } from '../../contracts/plugin.js'
import type { RequestRecord } from '../../contracts/request-record.js'
import { Clock } from '../../di/token.js'
import { Draft } from './draft.js'
import { recordOf } from './record-of.js'

/** Dependencies of a recorder. */
export interface RecorderConfig {
  /** Called for each request that is over. */
  readonly onEnd: (draft: Draft, ended: EndedRequest) => void
  /** Returns the line of the program in a stack; `null` if statements need no places. */
  readonly placeIn: ((stack: string) => string | null) | null
}

/** Dependencies of a recorder that exist once its application starts. */
interface Started {
  readonly clock: Clock
  readonly secretsOf: ObserverSetup['secretsOf']
}

/** Records why requests are answered so. It is a plugin of one application. */
export class Recorder {
  readonly #drafts = new WeakMap<object, Draft>()
  readonly #config: RecorderConfig
  #started: Started | undefined

  constructor(config: RecorderConfig) {
    this.#config = config
  }

  /** The plugin that observes the requests. */
  readonly plugin: Plugin = {
    name: 'records',
    requests: ({ get, secretsOf }) => {
      this.#started = { clock: get(Clock), secretsOf }
      return {
        onStep: (req, step) => this.#open(req)?.noteStep(step, this.#now()),
        onDecision: (req, decision) => this.#open(req)?.noteDecision(decision, this.#now()),
        onStatement: (statement) => {
          const { req } = statement
          if (req !== undefined) this.#open(req)?.noteStatement(statement)
        },
        onCall: (call) => (result) => {
          // Not spread: the stack is made when it is read.
          const ran = Object.assign(Object.create(call), result) as RanCall
          if (call.req !== undefined) this.#open(call.req)?.noteCall(ran)
        },
        needsStacks: this.#config.placeIn !== null,
        onEnd: (ended) => this.#end(ended),
      }
    },
  }

  /** Returns the record of a request so far; `undefined` if the application has not received the request. */
  recordOf(req: Request): RequestRecord | undefined {
    const draft = this.#drafts.get(req)
    return draft === undefined ? undefined : this.write(draft)
  }

  /** Returns the facts about a request; `undefined` if the application has not received the request. */
  draftOf(req: Request): Draft | undefined {
    return this.#drafts.get(req)
  }

  /** Returns the draft of a request, a new one for its first event; `undefined` once the request is over. */
  #open(req: Request): Draft | undefined {
    const known = this.#drafts.get(req)
    if (known !== undefined) return known.ended === undefined ? known : undefined
    const made = new Draft(req, this.#now())
    this.#drafts.set(req, made)
    return made
  }

  #end(ended: EndedRequest): void {
    const { req } = ended
    // Node's parser could not read a request: there is no request to record.
    if (req === null) return
    const draft = this.#open(req)
    if (draft === undefined) return
    draft.finish(ended, this.#now())
    this.#config.onEnd(draft, ended)
  }

  /**
   * Writes the record of a request. It takes longer than all notes together, so only records with a reader are written.
   */
  write(draft: Draft): RequestRecord {
    const { clock, secretsOf } = this.#started as Started
    const { placeIn } = this.#config
    return recordOf(draft, { clock, secrets: secretsOf(draft.req), placeIn })
  }

  /** Returns the functions that hide the secrets of a request, of its body as it is now. */
  readonly secretsOf = (req: Request): RequestSecretTexts =>
    (this.#started as Started).secretsOf(req)

  #now(): number {
    return (this.#started as Started).clock.monotonic()
  }
}
