import type { Request, Response } from '../../../index.js'
import { hasFailed, holdResponse, isThenable } from '../../../plugin/index.js'
import type { Owner } from './owner.js'
import type { Transaction } from './transaction.js'
import type { Isolation } from './transaction-options.js'

/** How the response waits for the transaction. */
export interface WorkHold {
  readonly before: (status: number) => Promise<void>
  readonly refused: (error: unknown) => void
}

/** A request whose handler is about to run. */
export interface RequestParts {
  readonly req: Request
  readonly res: Response
  readonly fail: (error: unknown) => void
  /** Delays the response until the transaction has ended. Default: `holdResponse`. */
  readonly hold?: (hold: WorkHold) => void
}

/** The configuration of `RequestWork`. */
export interface WorkConfig {
  readonly owner: Owner | null
  readonly begin: () => Promise<Transaction>
  /** Runs after the transaction has been committed. */
  readonly finish: (transaction: Transaction) => Promise<void>
  /** Whether the handler has `@Transactional()`. */
  readonly isTransactional: boolean
  /** The isolation level of the transaction. Default: the level of the database. */
  readonly isolation?: Isolation | undefined
  /**
   * The origin of the request's tenant scope, if the handler can run again. With it, code from an earlier attempt does
   * not find the work of a later attempt.
   */
  readonly retriedOrigin?: object | undefined
}

const ROLLED_BACK =
  'The request of this statement has failed, and its transaction was rolled back before the statement was sent. Await every query.'

/**
 * The database work of a request, which has at most one transaction. The request's first query begins the transaction.
 * It is committed before the first byte of the response. It is rolled back if the request fails, if the status is 500
 * or above, after the handler timeout, and if the client disconnects.
 */
export class RequestWork {
  readonly owner: Owner | null
  readonly isolation: Isolation | undefined
  readonly retriedOrigin: object | undefined
  readonly #config: WorkConfig
  /**
   * The parts are cleared at the end, because code that the request has started may outlive the request and still refer
   * to this object.
   */
  #parts: RequestParts | null
  #transaction: Promise<Transaction> | undefined
  #awaitsHandler: boolean
  #isHeld = false
  #end: 'open' | 'committed' | 'rolledBack' = 'open'

  constructor(config: WorkConfig, parts: RequestParts) {
    this.owner = config.owner
    this.isolation = config.isolation
    this.retriedOrigin = config.retriedOrigin
    this.#config = config
    this.#parts = parts
    this.#awaitsHandler = config.isTransactional
  }

  /**
   * Whether the block that is beginning is the handler itself. Returns `true` once, for the first block of a handler
   * with a transaction.
   */
  takeHandler(): boolean {
    const isHandler = this.#awaitsHandler
    this.#awaitsHandler = false
    return isHandler
  }

  /**
   * Whether the work is committed: the response has begun, a stream has taken over the transaction, or the handler has
   * ended without a query. Later statements run in their own transactions.
   */
  get isCommitted(): boolean {
    if (this.#end !== 'open' || this.#transaction !== undefined) return this.#end === 'committed'
    // Without a transaction, the response is not delayed, so no hook reports its start.
    const { req, res } = this.#parts as RequestParts
    return res.headersSent && !hasFailed(req)
  }

  /**
   * Returns the request's transaction. The first call begins it.
   *
   * @throws Error if the request has failed.
   */
  transaction(): Promise<Transaction> {
    if (this.#hasFailed) throw new Error(ROLLED_BACK)
    this.#transaction ??= this.#open()
    return this.#transaction
  }

  get #hasFailed(): boolean {
    if (this.#parts === null) return this.#end === 'rolledBack'
    const { req, res } = this.#parts
    return hasFailed(req) || res.closed
  }

  /**
   * Passes the transaction to a stream, which will end it. Later statements of the request run in separate
   * transactions. If there is no transaction, a new one begins.
   *
   * @throws Error if the request has failed.
   */
  handOver(): Promise<Transaction> {
    if (this.#hasFailed) throw new Error(ROLLED_BACK)
    const begun = this.#transaction ?? this.#config.begin()
    this.#finish('committed')
    return begun
  }

  /** Must be called when the handler has ended and no response is pending. */
  leave(): void {
    if (this.#transaction === undefined) this.#finish('committed')
  }

  /** Must be called when the handler has thrown. */
  fail(): void {
    if (this.#transaction === undefined) this.#finish('rolledBack')
  }

  #open(): Promise<Transaction> {
    const begun = this.#config.begin()
    // If no connection was available, a later query can try again.
    begun.catch(() => {
      this.#transaction = undefined
    })
    this.#hold()
    return begun
  }

  #hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    const { res, fail, hold } = this.#parts as RequestParts
    const held: WorkHold = { before: (status) => this.#settle(status), refused: fail }
    if (hold === undefined) holdResponse(res, held)
    else hold(held)
    res.once('close', () => void this.#settle(500))
  }

  async #settle(status: number): Promise<void> {
    if (this.#end !== 'open') return
    const { req } = this.#parts as RequestParts
    const isCommitted = status < 500 && !hasFailed(req)
    this.#finish(isCommitted ? 'committed' : 'rolledBack')
    const transaction = await this.#transaction?.catch(() => undefined)
    if (!isCommitted) return transaction?.rollback()
    if (transaction === undefined) return
    try {
      await transaction.commit()
    } catch (error) {
      this.#finish('rolledBack')
      throw error
    }
    await this.#config.finish(transaction)
  }

  #finish(end: 'committed' | 'rolledBack'): void {
    this.#end = end
    this.#parts = null
  }
}

/** Calls a handler, and notifies its work when the handler has ended. */
export function trackEnd(work: RequestWork, res: Response, next: () => unknown): unknown {
  let value: unknown
  try {
    value = next()
  } catch (error) {
    work.fail()
    throw error
  }
  const leave = (settled: unknown) => {
    const isPending = settled === undefined || settled === res
    if (isPending && !res.writableEnded && !res.closed) res.once('close', () => work.leave())
    else work.leave()
    return settled
  }
  // A query builder's query is not a promise, but can be awaited.
  if (!isThenable(value)) return leave(value)
  return Promise.resolve(value).then(leave, (error) => {
    work.fail()
    throw error
  })
}
