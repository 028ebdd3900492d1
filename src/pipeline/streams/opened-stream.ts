import type { BlazonRequest } from '../../http/request.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import { isThenable } from '../../step/step.js'

/** The parts that the generators of an application share. */
export interface StreamSurroundings {
  /** The request scopes; `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** Receives an error that the generator throws after the response has ended. */
  readonly late: (error: unknown, req: BlazonRequest) => void
}

/** The sender of a stream. It is stopped if the stream has to end before its generator does. */
export interface Stoppable {
  stop(): void
}

type Result = IteratorResult<unknown, unknown>

/**
 * Requests the first item of a handler's iterable. Nothing is sent before the first item is available, so an earlier
 * error results in an ordinary error response.
 */
export async function openStream(
  iterable: AsyncIterable<unknown>,
  req: BlazonRequest,
  surroundings: StreamSurroundings,
): Promise<OpenedStream> {
  const opened = new OpenedStream(iterable, req, surroundings)
  await opened.begin()
  return opened
}

/**
 * The items of a handler's iterable. The first item has already been read. The stream ends when `req.signal` aborts:
 * when the client disconnects, at the handler timeout, at `maxAge`, and when the application closes. The generator then
 * ends, even if no code is reading it.
 */
export class OpenedStream implements AsyncIterableIterator<unknown> {
  readonly #source: AsyncIterator<unknown>
  readonly #req: BlazonRequest
  readonly #surroundings: StreamSurroundings
  #first: Result | undefined
  #isDone = false
  /**
   * Whether an item has been requested and has not arrived yet. If the generator fails meanwhile, it has ended by
   * itself.
   */
  #isAsked = false
  #sender: Stoppable | undefined

  constructor(
    iterable: AsyncIterable<unknown>,
    req: BlazonRequest,
    surroundings: StreamSurroundings,
  ) {
    const { res } = req
    this.#req = req
    this.#surroundings = surroundings
    this.#source = iterable[Symbol.asyncIterator]()
    const stop = () => this.#stop()
    req.signal.addEventListener('abort', stop)
    // The signal does not abort if another response was sent completely instead of this stream. `once` would allocate
    // two more objects for each open stream.
    res.on('close', stop)
    if (req.signal.aborted || res.closed) stop()
  }

  /** Whether the generator has ended, or must end. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Waits for the first item. */
  async begin(): Promise<void> {
    this.#first = await this.next()
  }

  /** Returns the next item, beginning with the item that was already read. */
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

  /**
   * Like {@link next}, but returns the generator's own promise. The caller must pass the promise's result to {@link
   * isEnd}.
   */
  ask(): Promise<Result> {
    const first = this.#first
    if (first !== undefined) {
      this.#first = undefined
      return Promise.resolve(first)
    }
    this.#isAsked = true
    // Without scopes, no function is created for each item.
    if (this.#surroundings.scopes === null) return this.#source.next()
    return this.#run(() => this.#source.next())
  }

  /** Whether a result of {@link ask} means the end of the items. */
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

  /** Sets the sender to stop if the stream has to end before its generator does. */
  sendBy(sender: Stoppable): void {
    this.#sender = sender
  }

  /** Ends the generator after an error in the generator itself, or an error about one of its items. */
  closeAfter(): void {
    if (this.#isAsked) this.#isDone = true
    else this.close()
  }

  /** Ends the generator, without waiting for its `finally`. */
  close(): void {
    if (this.#isDone) return
    this.#isDone = true
    const late = (error: unknown) => this.#surroundings.late(error, this.#req)
    try {
      const ended = this.#run(() => this.#source.return?.())
      if (isThenable(ended)) Promise.resolve(ended).catch(late)
    } catch (error) {
      late(error)
    }
  }

  #stop(): void {
    this.close()
    this.#sender?.stop()
    this.#sender = undefined
  }

  /**
   * Calls the generator in the request's scope, because a generator continues in the async context of the code that
   * calls it.
   */
  #run<T>(ask: () => T): T {
    const { scopes } = this.#surroundings
    return scopes === null ? ask() : scopes.keep(this.#req, ask)
  }
}
