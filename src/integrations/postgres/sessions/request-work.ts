import { kHasFailed, kIsExpired } from '../../../http/own-fields.js'
import type { BlazonRequest } from '../../../http/request.js'
import { holdResponse } from '../../../http/send/hold-response.js'
import type { Response } from '../../../index.js'
import type { Owner } from './owner.js'
import type { Transaction } from './transaction.js'

/** A request at its handler. */
export interface RequestParts {
  readonly req: BlazonRequest
  readonly res: Response
  readonly fail: (error: unknown) => void
}

/** What the work of a request is made of. */
export interface WorkConfig {
  readonly owner: Owner | null
  readonly begin: () => Promise<Transaction>
  /** Called when a transaction is saved. */
  readonly finish: (transaction: Transaction) => Promise<void>
  /** Whether the handler itself asks for a transaction. */
  readonly isTransactional: boolean
}

const UNDONE =
  'The request has failed and its transaction was rolled back. This statement of the same request came after that. Await every query.'

/**
 * What one request does in the database: nothing, or one transaction, begun by its first query and committed before the first byte of its answer. Where
 * the request comes to an error, an answer of 500 or more, its handler timeout, or the end of its client, it is rolled back.
 */
export class RequestWork {
  readonly owner: Owner | null
  readonly #config: WorkConfig
  /** Let go of at the end: what a request has started may live longer, and know of it. */
  #parts: RequestParts | null
  #transaction: Promise<Transaction> | undefined
  #awaitsHandler: boolean
  #isHeld = false
  #end: 'open' | 'kept' | 'undone' = 'open'

  constructor(config: WorkConfig, parts: RequestParts) {
    this.owner = config.owner
    this.#config = config
    this.#parts = parts
    this.#awaitsHandler = config.isTransactional
  }

  /** Whether the block that begins now is the handler: the first one of a handler that asks for one. */
  takeHandler(): boolean {
    const isHandler = this.#awaitsHandler
    this.#awaitsHandler = false
    return isHandler
  }

  /** Whether the answer has begun: a statement that comes now is a transaction of its own. */
  get isKept(): boolean {
    if (this.#end !== 'open' || this.#transaction !== undefined) return this.#end === 'kept'
    // Without a transaction nothing holds the answer, and nothing hears of it.
    const { req, res } = this.#parts as RequestParts
    return res.headersSent && !req[kHasFailed] && !req[kIsExpired]
  }

  /**
   * The transaction of the request.
   *
   * @throws Error where the request has failed.
   */
  transaction(): Promise<Transaction> {
    if (this.#hasFailed) throw new Error(UNDONE)
    this.#transaction ??= this.#open()
    return this.#transaction
  }

  get #hasFailed(): boolean {
    if (this.#parts === null) return this.#end === 'undone'
    const { req, res } = this.#parts
    return req[kHasFailed] || req[kIsExpired] || res.closed
  }

  /** The handler has come to its end without an answer that is still to come. */
  leave(): void {
    if (this.#transaction === undefined) this.#finish('kept')
  }

  /** The handler has thrown. */
  fail(): void {
    if (this.#transaction === undefined) this.#finish('undone')
  }

  #open(): Promise<Transaction> {
    const begun = this.#config.begin()
    // Whoever could not have a connection may ask once more.
    begun.catch(() => {
      this.#transaction = undefined
    })
    this.#hold()
    return begun
  }

  #hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    const { res, fail } = this.#parts as RequestParts
    holdResponse(res, { before: (status) => this.#settle(status), refused: fail })
    res.once('close', () => void this.#settle(500))
  }

  async #settle(status: number): Promise<void> {
    if (this.#end !== 'open') return
    const { req } = this.#parts as RequestParts
    const isKept = status < 500 && !req[kHasFailed] && !req[kIsExpired]
    this.#finish(isKept ? 'kept' : 'undone')
    const transaction = await this.#transaction?.catch(() => undefined)
    if (!isKept) return transaction?.rollback()
    if (transaction === undefined) return
    await transaction.commit().catch((error) => {
      this.#finish('undone')
      throw error
    })
    await this.#config.finish(transaction)
  }

  #finish(end: 'kept' | 'undone'): void {
    this.#end = end
    this.#parts = null
  }
}
