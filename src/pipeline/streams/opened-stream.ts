import type { Response } from '../../contracts/handler.js'
import type { BlazonRequest } from '../../http/request.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import { isThenable } from '../../step/thenable.js'

/** The request of a stream, and what its generator needs. */
export interface StreamTarget {
  readonly req: BlazonRequest
  readonly res: Response
  /** `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** Gets an error of the generator that comes after the end of the response. */
  readonly late: (error: unknown) => void
}

type Result = IteratorResult<unknown, unknown>

/**
 * Asks for the first item of a handler's iterable. Until it is there, no byte of the response is sent, so an error is an
 * ordinary one.
 */
export async function openStream(
  iterable: AsyncIterable<unknown>,
  target: StreamTarget,
): Promise<OpenedStream> {
  const opened = new OpenedStream(iterable, target)
  await opened.begin()
  return opened
}

/**
 * The items of a handler, of which the first is known already. `req.signal` decides when they end: it aborts when the
 * client leaves, at the handler timeout, at `maxAge`, and when the application closes. The generator then ends, also if
 * no code reads it any more.
 */
export class OpenedStream implements AsyncIterableIterator<unknown> {
  readonly #source: AsyncIterator<unknown>
  readonly #target: StreamTarget
  #first: Result | undefined
  #isDone = false
  /** Whether the generator has not answered yet. One that fails then has ended. */
  #isAsked = false
  #onStop: (() => void) | undefined

  constructor(iterable: AsyncIterable<unknown>, target: StreamTarget) {
    const { req, res } = target
    this.#target = target
    this.#source = iterable[Symbol.asyncIterator]()
    const stop = () => this.#stop()
    req.signal.addEventListener('abort', stop)
    // The signal does not abort if another response than this stream was sent completely.
    res.once('close', stop)
    if (req.signal.aborted || res.closed) stop()
  }

  /** Whether the generator has ended, or has to. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Waits for the first item. */
  async begin(): Promise<void> {
    this.#first = await this.next()
  }

  /** Returns the next item; first the one that is known. */
  async next(): Promise<Result> {
    try {
      const result = await this.ask()
      this.isEnd(result)
      return result
    } catch (error) {
      this.closeAfter()
      throw error
    }
  }

  /** As {@link next}, with the generator's own promise. The caller passes its result to {@link isEnd}. */
  ask(): Promise<Result> {
    const first = this.#first
    if (first !== undefined) {
      this.#first = undefined
      return Promise.resolve(first)
    }
    this.#isAsked = true
    // Without scopes there is no function for each item.
    if (this.#target.scopes === null) return this.#source.next()
    return this.#run(() => this.#source.next())
  }

  /** Whether a result of {@link ask} is the end. */
  isEnd({ done }: Result): boolean {
    this.#isAsked = false
    if (done === true) this.#isDone = true
    return done === true
  }

  /** Ends the generator: its `finally` runs. */
  async return(value?: unknown): Promise<Result> {
    this.#first = undefined
    this.close()
    return { done: true, value }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Calls a function when the stream has to end before its generator does. */
  whenStopped(onStop: () => void): void {
    this.#onStop = onStop
  }

  /** Ends the generator after an error: its own, or one about its item. */
  closeAfter(): void {
    if (this.#isAsked) this.#isDone = true
    else this.close()
  }

  /** Ends the generator, without waiting for its `finally`. */
  close(): void {
    if (this.#isDone) return
    this.#isDone = true
    const { late } = this.#target
    try {
      const ended = this.#run(() => this.#source.return?.())
      if (isThenable(ended)) Promise.resolve(ended).catch(late)
    } catch (error) {
      late(error)
    }
  }

  #stop(): void {
    this.close()
    this.#onStop?.()
    this.#onStop = undefined
  }

  /** A generator continues in the async context of the code that asks for an item. */
  #run<T>(ask: () => T): T {
    const { scopes, req } = this.#target
    return scopes === null ? ask() : scopes.keep(req, ask)
  }
}
