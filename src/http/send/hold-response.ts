import {
  type OutgoingHttpHeaders,
  type ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import type { Response } from '../../contracts/handler.js'
import { hasLostConnection } from '../close-with-connection.js'
import { keepsFirstResponse } from './end-early.js'

/** The methods that begin or continue a response. */
const SENDERS = ['writeHead', 'flushHeaders', 'write', 'end'] as const
/** The methods that change the head, which is final once the response has begun. */
const HEAD_WRITERS = ['setHeader', 'appendHeader', 'removeHeader'] as const

type Method = (...args: unknown[]) => unknown
type Methods = Record<string, Method>
type Held = readonly [name: (typeof SENDERS)[number], args: unknown[]]

/** The content of a held response. */
export interface HeldContent {
  /** The headers that were set by name or passed to `writeHead`, with names in lower case. */
  readonly headers: OutgoingHttpHeaders
  /** The whole body; `null` while the response has not ended. */
  readonly body: string | Uint8Array | null
}

/** The work for which a response waits. */
export interface Hold {
  /**
   * Receives the status of the response and a function that returns its content so far. It is called once, when the
   * response begins. The response is sent when the returned promise is fulfilled, and not sent if the promise is
   * rejected.
   */
  readonly before: (status: number, content: () => HeldContent) => Promise<void>
  /**
   * Sends another response instead. Receives the reason for the rejection, or the error that sending the response
   * threw.
   */
  readonly refused: (error: unknown) => void
}

/**
 * Holds a response back until other work is done, such as the commit of a transaction. The handler cannot detect the
 * delay: `headersSent` and `writableEnded` are `true` as usual. The handler's calls are recorded, and later repeated in
 * the same order.
 *
 * @param res The response, which must not have begun.
 * @param hold The work to wait for, and the reaction to its failure.
 * @example
 * const commit: StepFactory = (next) => (req, res) => {
 *   holdResponse(res, { before: () => db.commit(), refused: (error) => app.fail(error, req, res) })
 *   return next(req, res)
 * }
 */
export function holdResponse(res: Response, hold: Hold): void {
  new HeldResponse(res, hold)
}

class HeldResponse {
  readonly #res: Response
  readonly #hold: Hold
  /** The previous methods of the response. Middlewares may have replaced some of them. */
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
    const original = Object.getOwnPropertyDescriptor(this.#res, name)
    this.#originals.set(name, original)
    this.#ours[name] = method
    if (original === undefined) (this.#res as unknown as Methods)[name] = method
    else Object.defineProperty(this.#res, name, { ...PLAIN, value: method })
  }

  #take(call: Held): unknown {
    const [name, args] = call
    const isFirst = this.#state === 'waiting'
    if (name === 'writeHead' && !isFirst) refuseHead()
    // A call after the end is too late. Node would also ignore it.
    if (!this.hasEnded) {
      checkSendable(this.#res, { name, args }, isFirst)
      this.#calls.push(call)
    }
    if (isFirst) this.#begin(name === 'writeHead' ? Number(args[0]) : this.#res.statusCode)
    // `false` makes a writer wait for `drain`, which `#send` emits. `compression` replaces `on` and adds such listeners
    // to its own stream, which would never emit `drain`. In this case, the writer must continue immediately.
    return name === 'write' ? Object.hasOwn(this.#res, 'on') : this.#res
  }

  get hasEnded(): boolean {
    return this.#calls.at(-1)?.[0] === 'end'
  }

  #begin(status: number): void {
    this.#state = 'begun'
    const { statusCode, statusMessage } = this.#res
    this.#head = { statusCode, statusMessage }
    // If the request was ended before its handler finished, the handler can continue in a callback, where an error
    // would not be caught.
    if (!keepsFirstResponse(this.#res))
      for (const name of HEAD_WRITERS) this.#replace(name, refuseHead)
    Object.defineProperties(Object.assign(this.#res, { [HELD]: this }), BEGUN)
    this.#hold
      .before(status, () => this.#content())
      .then(
        () => this.#send(),
        (error) => this.#refuse(error),
      )
      // This promise is not awaited, and its rejection must not end the process.
      .catch(() => this.#res.destroy())
  }

  #content(): HeldContent {
    const headers = { ...this.#res.getHeaders(), ...headersIn(this.#calls) }
    const chunks = this.#calls.flatMap(([name, args]) => {
      const isSent =
        (name === 'write' || name === 'end') && args[0] && typeof args[0] !== 'function'
      return isSent ? [chunkOf(args)] : []
    })
    const [first = ''] = chunks
    const isText = chunks.length < 2 && typeof first === 'string'
    const body = isText ? first : Buffer.concat(chunks.map((each) => Buffer.from(each as Buffer)))
    return { headers, body: this.hasEnded ? body : null }
  }

  #refuse(error: unknown): void {
    const overlay = this.#restore()
    if (!this.#res.destroyed) this.#hold.refused(error)
    if (this.#res.headersSent) Object.assign(this.#res, overlay)
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

  /**
   * Restores the original methods. Returns the methods that a handler or a middleware set in the meantime. These
   * methods have already received the calls.
   */
  #restore(): Methods {
    const res = this.#res as unknown as Methods
    const overlay: Methods = {}
    this.#state = 'over'
    Object.assign(res, { [HELD]: undefined })
    for (const [name, original] of this.#originals) {
      if (res[name] !== this.#ours[name]) overlay[name] = res[name] as Method
      // The property is replaced instead of deleted, because deleting it would make V8 access the object slowly just
      // before Node sends the response.
      if (original === undefined) res[name] = inherited(this.#res, name) as Method
      else Object.defineProperty(res, name, original)
    }
    return overlay
  }
}

/** The headers of `writeHead`, by lower-case name. */
function headersIn(calls: readonly Held[]): OutgoingHttpHeaders {
  const [, args = []] = calls.find(([name]) => name === 'writeHead') ?? []
  const given = args.find((each) => typeof each === 'object' && each !== null) ?? {}
  const pairs = Array.isArray(given) ? pairsOf(given) : Object.entries(given)
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]))
}

/** Bytes are copied, because the handler can reuse its buffer. */
function chunkOf([chunk, encoding]: readonly unknown[]): string | Uint8Array {
  if (typeof chunk !== 'string') return Buffer.from(chunk as Uint8Array)
  const isUtf8 = typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)
  return isUtf8 ? chunk : Buffer.from(chunk, encoding as BufferEncoding)
}

/** The property with the state of a held response that has begun. */
const HELD = Symbol('held')
const PLAIN = { writable: true, configurable: true } as const

/**
 * The getters for the state of a held response. They stay on the response after it is released. All responses share
 * them, because V8 would create a new hidden class for each pair of getters.
 */
const BEGUN: PropertyDescriptorMap = {
  headersSent: {
    configurable: true,
    get(this: Response) {
      return heldOf(this) !== undefined || inherited(this, 'headersSent')
    },
  },
  writableEnded: {
    configurable: true,
    get(this: Response) {
      return heldOf(this)?.hasEnded ?? inherited(this, 'writableEnded')
    },
  },
}

function heldOf(res: Response): HeldResponse | undefined {
  return (res as { [HELD]?: HeldResponse })[HELD]
}

function inherited(res: Response, name: string): unknown {
  return Reflect.get(Object.getPrototypeOf(res), name, res)
}

/** Throws the error that Node throws after a head has been sent. */
function refuseHead(): never {
  throw Object.assign(new Error('The response has begun: its headers can no longer be changed'), {
    code: 'ERR_HTTP_HEADERS_SENT',
  })
}

/** A call that sends data: a method of a response, and its arguments. */
interface Sendable {
  readonly name: 'writeHead' | 'flushHeaders' | 'write' | 'end'
  readonly args: readonly unknown[]
}

/**
 * Throws the error that Node would throw later, when a held response is sent. By then, the handler has returned and
 * cannot catch the error, and its transaction has been committed although the response cannot be sent.
 *
 * @param isFirst Whether this call sends the head.
 * @throws TypeError, RangeError like Node's method of the same name.
 */
function checkSendable(res: ServerResponse, { name, args }: Sendable, isFirst: boolean): void {
  if (name === 'writeHead') checkHead(args)
  else if (isFirst) checkStatus(res.statusCode, res.statusMessage)
  if (name === 'write' || (name === 'end' && Boolean(args[0]))) checkChunk(args[0])
}

function checkHead([status, ...rest]: readonly unknown[]): void {
  checkStatus(status, typeof rest[0] === 'string' ? rest.shift() : undefined)
  const [headers] = rest
  const list = Array.isArray(headers) ? pairsOf(headers) : Object.entries(headers ?? {})
  for (const [name, value] of list) {
    validateHeaderName(name)
    for (const each of Array.isArray(value) ? value : [value]) validateHeaderValue(name, each)
  }
}

/** Node accepts both `[name, value, …]` and `[[name, value], …]`. */
function pairsOf(list: readonly unknown[]): [name: string, value: string][] {
  if (Array.isArray(list[0])) return list as [string, string][]
  if (list.length % 2 !== 0)
    throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'A header has no value')
  return list.flatMap((name, i) =>
    i % 2 === 0 ? [[name as string, list[i + 1] as string] as [string, string]] : [],
  )
}

function checkStatus(status: unknown, reason: unknown): void {
  const code = Number(status) | 0
  if (code < 100 || code > 999) {
    throw coded(
      RangeError,
      'ERR_HTTP_INVALID_STATUS_CODE',
      `Invalid status code: ${String(status)}`,
    )
  }
  if (reason) validateHeaderValue('Reason-Phrase', String(reason))
}

function checkChunk(chunk: unknown): void {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array || typeof chunk === 'function')
    return
  if (chunk === null)
    throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream')
  throw coded(
    TypeError,
    'ERR_INVALID_ARG_TYPE',
    `A response body must be text or bytes, not ${typeof chunk}`,
  )
}

function coded(Kind: ErrorConstructor, code: string, message: string): Error {
  return Object.assign(new Kind(message), { code })
}
