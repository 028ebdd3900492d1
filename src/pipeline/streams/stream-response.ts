import type { Clock, Timer } from '../../contracts/clock.js'
import type { Response } from '../../contracts/handler.js'
import { AppClosingError } from '../../errors/failure.js'
import type { BlazonRequest } from '../../http/request.js'
import { cutOff } from '../../http/send/end-early.js'
import { wireText } from '../../http/send/wire-text.js'
import { kAbortController } from '../../http/symbol-fields.js'
import type { OnError } from '../../step/step.js'
import { type Frames, HEARTBEAT, type PrepareItem } from './frames.js'
import type { OpenedStream, Stoppable } from './opened-stream.js'
import { type Beating, type Heartbeats, itemCheckOf, itemHiderOf } from './stream-items.js'

/** Ends a stream after an error: `end` receives the error as JSON. */
export type OnStreamError = (
  error: unknown,
  req: BlazonRequest,
  res: Response,
  end: (json: string) => void,
) => void

/** The configuration for sending items in one format. */
export interface SendConfig {
  readonly name: string
  readonly frames: Frames
  /** Sets the status and the headers. */
  readonly begin: (res: Response) => void
  readonly prepare: PrepareItem
  readonly maxAgeMs: number | null
  /** The heartbeats; `null` for a format without heartbeats. */
  readonly heartbeats: Heartbeats | null
  readonly clock: Clock
  /** Handles an error that occurs before the head is sent. */
  readonly onError: OnError
  readonly onStreamError: OnStreamError
  /** Receives an error that the generator throws after the response has ended. */
  readonly late: (error: unknown, req: BlazonRequest) => void
}

/**
 * Sends items with backpressure: after a write that fills the buffers, no item is sent until the buffers are empty, and
 * at most one item is requested.
 */
export class StreamResponse implements Beating, Stoppable, Waiting {
  readonly #opened: OpenedStream
  readonly #req: BlazonRequest
  readonly #res: Response
  readonly #config: SendConfig
  readonly #prepare: PrepareItem
  readonly #writes: JoinedWrites
  #hasBegun = false
  #isOver = false
  /** Whether data has been sent since the last beat. */
  #isFresh = true
  /** The promise that resolves when the buffers are empty. */
  #drained: Promise<void> | undefined
  /** Resolves the promise in `#drained`. */
  #resume: (() => void) | undefined
  #age: Timer | undefined

  constructor(opened: OpenedStream, req: BlazonRequest, config: SendConfig) {
    this.#opened = opened
    this.#req = req
    this.#res = req.res
    this.#config = config
    this.#prepare = prepareFor(req, config)
    this.#writes = new JoinedWrites(req.res, this)
  }

  /** Sends all items. The returned promise never rejects. */
  async send(): Promise<void> {
    this.#start()
    try {
      while (!this.#isOver) {
        // There is only one promise per item, which the generator creates. Each further promise takes a tenth of the
        // time for an item.
        const result = await this.#opened.ask()
        if (this.#opened.isEnd(result)) return this.#isOver ? undefined : this.#finish()
        if (this.#drained !== undefined) await this.#drained
        if (this.#isOver) return
        this.#write(result.value)
        if (this.#drained !== undefined) await this.#drained
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Sends a comment if nothing has been sent since the last call and the client is reading. */
  beat(): void {
    const isIdle = !this.#isFresh && this.#resume === undefined
    this.#isFresh = false
    if (isIdle) this.#writes.add(HEARTBEAT)
  }

  #start(): void {
    const { maxAgeMs, clock, heartbeats } = this.#config
    this.#opened.sendBy(this)
    heartbeats?.add(this)
    if (maxAgeMs === null) return
    this.#age = clock.setTimeout(() => {
      this.#req[kAbortController]?.abort(new Error('The stream reached its maxAge'))
    }, maxAgeMs)
  }

  #write(value: unknown): void {
    // The first item is serialized before the head is sent, so that an error results in an ordinary error response.
    const text = this.#config.frames.write(value, this.#prepare)
    // The response has already been ended elsewhere.
    if (!this.#writes.isWritable) {
      this.#opened.close()
      return this.stop()
    }
    this.#isFresh = true
    const isFirst = !this.#hasBegun
    // Begin the response before adding the text, because long text is written immediately.
    this.#begin()
    if (text !== '') this.#writes.add(text)
    if (!isFirst) return
    // Send the head now, before another item can fail.
    if (text === '') this.#res.flushHeaders()
    else this.#writes.flush()
  }

  #begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#config.begin(this.#res)
  }

  /** Waits until the buffers are empty. Even if the client reads quickly, each wait allows other requests to run. */
  wait(): void {
    this.#drained ??= new Promise((resolve) => {
      const resume = () => {
        this.#res.off('drain', resume)
        this.#resume = undefined
        setImmediate(() => {
          this.#drained = undefined
          resolve()
        })
      }
      this.#resume = resume
      this.#res.on('drain', resume)
    })
  }

  #finish(): void {
    this.#over()
    this.#begin()
    const last = this.#writes.take() + this.#config.frames.end
    if (last === '') this.#res.end()
    else this.#res.end(last)
  }

  /**
   * Ends the stream early, for example after the signal has aborted. A stream that must not appear complete is cut off.
   */
  stop(): void {
    if (this.#isOver) return
    const isWaiting = this.#resume !== undefined
    this.#over()
    const res = this.#res
    if (res.closed || res.destroyed) return
    this.#writes.flush()
    const isClosing = this.#req.signal.reason instanceof AppClosingError
    const isReadable = this.#config.frames.error !== null && (isClosing || !isWaiting)
    // If the client is not reading, an orderly end would keep the connection open.
    if (!isReadable) return isWaiting ? void res.destroy() : cutOff(res)
    this.#begin()
    res.end()
  }

  #fail(error: unknown): void {
    const { frames, name, onError, onStreamError, late } = this.#config
    this.#opened.closeAfter()
    if (this.#isOver) return late(error, this.#req)
    this.#over()
    const res = this.#res
    if (!this.#hasBegun) return onError(named(error, name), this.#req, res)
    this.#writes.flush()
    onStreamError(named(error, name), this.#req, res, (json) => {
      if (frames.error === null) cutOff(res)
      else res.end(frames.error(json))
    })
  }

  #over(): void {
    this.#isOver = true
    this.#config.heartbeats?.delete(this)
    this.#age?.cancel()
    this.#resume?.()
  }
}

/**
 * Returns the function that limits and checks items. Hidden fields are rare, and only requests in tests have a check.
 */
function prepareFor(req: BlazonRequest, { prepare }: SendConfig): PrepareItem {
  const check = itemCheckOf(req)
  const hide = itemHiderOf(req)
  if (check === undefined && hide === undefined) return prepare
  return (item) => {
    const prepared = prepare === null ? item : prepare(item)
    const shown = hide === undefined ? prepared : hide(prepared)
    check?.(shown)
    return shown
  }
}

/** Adds the route to an error about an item. */
function named(error: unknown, name: string): unknown {
  const isOurs = error instanceof TypeError && error.message.startsWith('It yielded')
  return isOurs ? new TypeError(`${name}: ${error.message}`, { cause: error }) : error
}

/** A response that uses `compression`. */
interface Compressed {
  flush?(): void
}

/**
 * An object to call when the client does not accept more data. This is an interface instead of a function type, so that
 * a stream needs no closure.
 */
interface Waiting {
  wait(): void
}

/**
 * Writes strings that follow each other immediately as one chunk. One write per row of 50 bytes would take three times
 * as many instructions as all other work for the row. No string is delayed until a later string arrives:
 * `process.nextTick` runs as soon as the generator waits for anything other than settled promises, and the collected
 * text is then written.
 */
class JoinedWrites {
  readonly #res: Response
  readonly #sender: Waiting
  /** The length at which collected text is written without waiting for more text. */
  readonly #most: number
  #text = ''
  #isScheduled = false

  constructor(res: Response, sender: Waiting) {
    this.#res = res
    this.#sender = sender
    this.#most = res.writableHighWaterMark
  }

  /**
   * Whether the response can still be written to. Node emits an error for a write after the end, which would end the
   * process.
   */
  get isWritable(): boolean {
    return !this.#res.writableEnded && !this.#res.destroyed
  }

  /** Adds text, which is written in the current turn of the event loop. */
  add(text: string): void {
    this.#text += text
    if (this.#text.length >= this.#most) return this.flush()
    if (this.#isScheduled) return
    this.#isScheduled = true
    process.nextTick(flushScheduled, this)
  }

  flush(): void {
    const text = this.take()
    if (text === '' || !this.isWritable) return
    const isTaken = this.#res.write(wireText(text))
    const { flush } = this.#res as Compressed
    if (flush !== undefined) flush.call(this.#res)
    if (!isTaken) this.#sender.wait()
  }

  /** Returns the added text that has not been written yet. The caller must write it. */
  take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  /** @internal Called by the scheduled function, which all streams share, so that no closures are needed. */
  flushScheduled(): void {
    this.#isScheduled = false
    this.flush()
  }
}

function flushScheduled(writes: JoinedWrites): void {
  writes.flushScheduled()
}
