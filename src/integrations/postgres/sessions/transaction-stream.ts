import { HttpError } from '../../../index.js'
import { Deadline } from '../drivers/deadline.js'

/** The transaction in which a stream runs. */
export interface StreamBlock {
  /** Runs code whose statements belong to the transaction. */
  readonly run: <T>(fn: () => T) => T
  readonly commit: () => Promise<void>
  /** Rolls back. Never rejects. Has no effect once the transaction has ended. */
  readonly rollback: () => Promise<void>
}

/** The configuration of {@link TransactionStream}. */
export interface StreamParts<T> {
  readonly open: () => AsyncIterable<T>
  readonly begin: () => Promise<StreamBlock>
  /** How long the transaction waits for a reader that requests no items, in milliseconds. */
  readonly idleMs: number
}

const DONE = Object.freeze({ done: true, value: undefined }) as IteratorReturnResult<undefined>

/**
 * The items of a generator that runs in one transaction. The transaction is committed when the generator has ended,
 * before the reader receives the end. In all other cases, it is rolled back: if the generator is paused at a `yield`,
 * after its `finally` block; otherwise immediately. A running generator cannot be interrupted, but it does not keep its
 * connection.
 */
export class TransactionStream<T> implements AsyncIterableIterator<T> {
  readonly #parts: StreamParts<T>
  #begun: Promise<StreamBlock> | undefined
  #source: AsyncIterator<T> | undefined
  /** The number of requested items that have not arrived yet. */
  #asked = 0
  #end: Promise<void> | undefined
  #idle: Deadline | undefined
  /** The error for a reader that is too slow. */
  #lateError: Error | undefined

  constructor(parts: StreamParts<T>) {
    this.#parts = parts
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.#end !== undefined) return this.#late()
    this.#asked++
    try {
      return await this.#ask()
    } catch (error) {
      // After the end, a statement's error only means that the transaction no longer exists.
      if (this.#end !== undefined) return DONE
      this.#asked = 0
      await this.#abandon().catch(() => {})
      throw error
    } finally {
      this.#asked = Math.max(0, this.#asked - 1)
    }
  }

  /** Ends the generator and rolls back. Rejects with an error thrown by the generator's `finally`. */
  async return(): Promise<IteratorResult<T>> {
    await this.#abandon()
    return DONE
  }

  /** Ends the generator, rolls back, and rejects with the error. */
  async throw(error: unknown): Promise<never> {
    await this.#abandon()
    throw error
  }

  async #ask(): Promise<IteratorResult<T>> {
    this.#begun ??= this.#parts.begin()
    const { run, commit } = await this.#begun
    if (this.#end !== undefined) return DONE
    const result = await run(() => {
      this.#source ??= this.#parts.open()[Symbol.asyncIterator]()
      return this.#source.next()
    })
    if (this.#end !== undefined) return DONE
    if (result.done !== true) {
      if (this.#asked === 1) this.#waitForReader()
      return result
    }
    this.#idle?.cancel()
    this.#end = commit()
    await this.#end.catch((error) => {
      this.#end = undefined
      throw error
    })
    return DONE
  }

  /** Limits the wait for a reader, because a slow reader must not keep a connection from others. */
  #waitForReader(): void {
    if (this.#idle !== undefined) return this.#idle.restart()
    const { idleMs } = this.#parts
    this.#idle = new Deadline(idleMs, () => {
      // The generator is running. The time limit begins again when it yields an item.
      if (this.#asked > 0) return
      this.#lateError = tooLate(idleMs)
      this.#abandon().catch(() => {})
    })
  }

  #late(): IteratorResult<T> {
    const error = this.#lateError
    this.#lateError = undefined
    if (error === undefined) return DONE
    throw error
  }

  #abandon(): Promise<void> {
    this.#idle?.cancel()
    this.#end ??= this.#rollBack()
    return this.#end
  }

  async #rollBack(): Promise<void> {
    const block = await this.#begun?.catch(() => undefined)
    if (block === undefined) return
    const { run, rollback } = block
    const end = () => run(() => this.#source?.return?.())
    if (this.#asked > 0) {
      await rollback()
      await end()
      return
    }
    // The generator is paused at a `yield`, so its `finally` block is the last part of the transaction.
    const deadline = new Deadline(this.#parts.idleMs, () => void rollback())
    try {
      await end()
    } finally {
      deadline.cancel()
      await rollback()
    }
  }
}

function tooLate(ms: number): HttpError {
  const cause = new Error(
    `The reader of a stream with a transaction has not read an item for ${ms} ms, so the transaction was rolled back and its connection was released (timeouts.idleInTransaction). Send small items, or read page by page without a transaction.`,
  )
  return new HttpError(503, 'The stream was read too slowly.', { code: 'DATABASE_TIMEOUT', cause })
}
