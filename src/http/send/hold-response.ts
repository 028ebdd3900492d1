import type { Response } from '../../contracts/handler.js'
import { hasLostConnection } from '../close-with-connection.js'
import { checkSendable } from './check-sendable.js'
import { keepsFirstAnswer } from './keep-first-response.js'

/** What begins or goes on with an answer. */
const SENDERS = ['writeHead', 'flushHeaders', 'write', 'end'] as const
/** What changes a head, which is settled once the answer has begun. */
const HEAD_WRITERS = ['setHeader', 'appendHeader', 'removeHeader'] as const

type Method = (...args: unknown[]) => unknown
type Methods = Record<string, Method>
type Held = readonly [name: (typeof SENDERS)[number], args: unknown[]]

/** What an answer waits for. */
export interface Hold {
  /**
   * Called once, when the answer begins, with its status: it is sent as soon as the promise is fulfilled, and never where it is rejected.
   */
  readonly before: (status: number) => Promise<void>
  /** Makes another answer of what `before` was rejected with. */
  readonly refused: (error: unknown) => void
}

/**
 * Keeps an answer from being sent before something is done. Whoever answers notices nothing: it has been sent as far as `headersSent` and
 * `writableEnded` say, and what it is made of is kept until it goes out in the same order.
 */
export function holdAnswer(res: Response, hold: Hold): void {
  new HeldAnswer(res, hold)
}

class HeldAnswer {
  readonly #res: Response
  readonly #hold: Hold
  /** As they were found: those of others who have replaced them before, too. */
  readonly #originals = new Map<string, PropertyDescriptor | undefined>()
  readonly #ours: Methods = {}
  readonly #calls: Held[] = []
  #state: 'waiting' | 'begun' | 'over' = 'waiting'
  #head = { statusCode: 0, statusMessage: '' }

  constructor(res: Response, hold: Hold) {
    this.#res = res
    this.#hold = hold
    for (const name of SENDERS) {
      const original = (res as unknown as Methods)[name] as Method
      this.#replace(name, (...args) =>
        this.#state === 'over' ? original.apply(res, args) : this.#take([name, args]),
      )
    }
  }

  #replace(name: string, method: Method): void {
    this.#originals.set(name, Object.getOwnPropertyDescriptor(this.#res, name))
    this.#ours[name] = method
    Object.defineProperty(this.#res, name, { value: method, writable: true, configurable: true })
  }

  #take(call: Held): unknown {
    const [name, args] = call
    const isFirst = this.#state === 'waiting'
    if (name === 'writeHead' && !isFirst) refuseHead()
    // What comes after the end was said too late, as Node itself would find.
    if (!this.#hasEnded) {
      checkSendable(this.#res, { name, args }, isFirst)
      this.#calls.push(call)
    }
    if (isFirst) this.#begin(name === 'writeHead' ? Number(args[0]) : this.#res.statusCode)
    // Whoever writes waits for `drain`, unless it is listened to where nobody but its maker can emit it, as with `compression`.
    return name === 'write' ? Object.hasOwn(this.#res, 'on') : this.#res
  }

  get #hasEnded(): boolean {
    return this.#calls.at(-1)?.[0] === 'end'
  }

  #begin(status: number): void {
    this.#state = 'begun'
    const { statusCode, statusMessage } = this.#res
    this.#head = { statusCode, statusMessage }
    // A handler whose request was ended for it may go on to answer from a callback, where nobody would catch what is thrown.
    if (!keepsFirstAnswer(this.#res))
      for (const name of HEAD_WRITERS) this.#replace(name, refuseHead)
    this.#shadow('headersSent', () => true)
    this.#shadow('writableEnded', () => this.#hasEnded)
    this.#hold
      .before(status)
      .then(
        () => this.#send(),
        (error) => this.#refuse(error),
      )
      // Nobody waits for this, and what cannot be answered must not end the process.
      .catch(() => this.#res.destroy())
  }

  #refuse(error: unknown): void {
    const overlay = this.#restore()
    if (!this.#res.destroyed) this.#hold.refused(error)
    if (this.#res.headersSent) Object.assign(this.#res, overlay)
  }

  #shadow(name: string, get: () => boolean): void {
    Object.defineProperty(this.#res, name, { get, configurable: true })
  }

  #send(): void {
    const res = this.#res
    const overlay = this.#restore()
    if (res.destroyed || hasLostConnection(res)) return void res.destroy()
    Object.assign(res, this.#head)
    try {
      for (const [name, args] of this.#calls) (res as unknown as Methods)[name]?.(...args)
    } catch (error) {
      return this.#hold.refused(error)
    }
    Object.assign(res, overlay)
    const hasWritten = this.#calls.some(([name]) => name === 'write')
    if (hasWritten && !res.writableEnded && !res.writableNeedDrain) res.emit('drain')
  }

  /** Takes everything back; answers with what somebody else has put over it meanwhile, which has seen the calls already. */
  #restore(): Methods {
    const res = this.#res as unknown as Methods
    const overlay: Methods = {}
    this.#state = 'over'
    for (const name of ['headersSent', 'writableEnded']) delete res[name]
    for (const [name, original] of this.#originals) {
      if (res[name] !== this.#ours[name]) overlay[name] = res[name] as Method
      if (original === undefined) delete res[name]
      else Object.defineProperty(res, name, original)
    }
    return overlay
  }
}

/** As Node does where a head has been sent. */
function refuseHead(): never {
  throw Object.assign(new Error('The answer has begun: its headers can no longer be changed'), {
    code: 'ERR_HTTP_HEADERS_SENT',
  })
}
