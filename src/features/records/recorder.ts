import type { EndedRequest } from '../../contracts/ended-request.js'
import type { Request } from '../../contracts/handler.js'
import type { ObserverSetup, Plugin } from '../../contracts/plugin.js'
import type { RecordedRequest } from '../../contracts/recorded-request.js'
import type { RequestRecord } from '../../contracts/request-record.js'
import { Clock } from '../../di/clock.js'
import { Draft } from './draft.js'
import { recordOf } from './record-of.js'
import { requestSent } from './request-sent.js'

/** What can be said about a request that is over. Each part is made when it is asked for, because most are not. */
export interface Recordable {
  record(): RequestRecord
  /** The request that the client has sent. */
  sent(): RecordedRequest
}

/** Called for each request that is over. */
export type OnRecord = (ended: EndedRequest, recordable: Recordable) => void

/** Follows the requests of one application. */
interface Started {
  readonly clock: Clock
  readonly secretsOf: ObserverSetup['secretsOf']
}

/** Records why requests are answered so. It is a plugin of one application. */
export class Recorder {
  readonly #drafts = new WeakMap<object, Draft>()
  readonly #onRecord: OnRecord | null
  #started: Started | undefined

  /** @param onRecord Called for each request that is over; `null` for a recorder that is only asked. */
  constructor(onRecord: OnRecord | null) {
    this.#onRecord = onRecord
  }

  /** The plugin that observes the requests. */
  readonly plugin: Plugin = {
    name: 'records',
    requests: ({ get, secretsOf }) => {
      this.#started = { clock: get(Clock), secretsOf }
      return {
        onStep: (req, step) => this.#open(req)?.noteStep(step, this.#now()),
        onDecision: (req, decision) => this.#open(req)?.noteDecision(decision, this.#now()),
        onEnd: (ended) => this.#end(ended),
      }
    },
  }

  /** Returns the record of a request as far as it is known; `undefined` if the application has not seen the request. */
  recordOf(req: Request): RequestRecord | undefined {
    const draft = this.#drafts.get(req)
    return draft === undefined ? undefined : this.#write(draft)
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
    // Node's parser could not read a request: there is nothing to say about one.
    if (req === null) return
    const draft = this.#open(req)
    if (draft === undefined) return
    draft.finish(ended, this.#now())
    this.#onRecord?.(ended, {
      record: () => this.#write(draft),
      sent: () => requestSent(req, (this.#started as Started).secretsOf(req)),
    })
  }

  #write(draft: Draft): RequestRecord {
    const { clock, secretsOf } = this.#started as Started
    return recordOf(draft, { clock, secrets: secretsOf(draft.req) })
  }

  #now(): number {
    return (this.#started as Started).clock.monotonic()
  }
}
