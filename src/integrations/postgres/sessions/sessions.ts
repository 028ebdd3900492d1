import { AsyncLocalStorage } from 'node:async_hooks'
import {
  HttpError,
  isThenable,
  type Logger,
  type Request,
  type Response,
  type RunningStatement,
  requireTenantId,
  type Statements,
  TenantContext,
} from '../../../index.js'
import type { Driver, QueryResult, Statement } from '../driver.js'
import { Deadline } from '../drivers/deadline.js'
import { Activity } from './activity.js'
import { autocommit } from './autocommit.js'
import { ALL_TENANTS, currentOwner, isSameOwner, type Owner } from './owner.js'
import { LIST_PROTECTED, ProtectedTables } from './protected-tables.js'
import { RequestWork } from './request-work.js'
import {
  ownerSettingsOf,
  type Settings,
  type SettingsConfig,
  settingsOf,
} from './session-settings.js'
import { TenantSwitchError } from './tenant-switch-error.js'
import { type Block, type Change, type Task, Transaction } from './transaction.js'
import { refuseControl } from './transaction-control.js'
import { type StreamBlock, TransactionStream } from './transaction-stream.js'

/** A block, and the owner for which it runs. */
interface OwnedBlock {
  readonly block: Block
  readonly owner: Owner | null
  /** The request whose code has begun the block; `undefined` outside requests. */
  readonly request?: object | undefined
}

/** The input of `Sessions`. */
export interface SessionsConfig extends SettingsConfig {
  readonly logger: () => Logger
}

/** A handler that is about to be called. */
export interface Interception {
  readonly next: () => unknown
  readonly fail: (error: unknown) => void
  /** Whether the handler is decorated to run in a transaction. */
  readonly isTransactional: boolean
}

/**
 * Decides for every statement in which transaction, for which owner and on which connection it
 * runs. A statement joins the block of the program that is open, or the transaction of the request.
 * Otherwise it runs in its own transaction.
 */
export class Sessions {
  readonly #driver: Driver
  readonly #config: SessionsConfig
  /** The innermost block in which the current code runs. */
  readonly #blocks = new AsyncLocalStorage<OwnedBlock>()
  /**
   * The work of each request. The key is the origin of the tenant scope of the request, so that
   * code finds the work wherever it has that scope, even when another async context was lost.
   */
  readonly #works = new WeakMap<object, RequestWork>()
  /** The work of the current request when requests have no tenant scope. */
  readonly #untenanted = new AsyncLocalStorage<RequestWork>()
  #usesTenants = false
  /** `null` if nobody observes statements. */
  #observed: Statements | null = null
  /** Whether an observer or the driver is told of each statement. */
  #isWatched: boolean
  #protected: ProtectedTables | undefined

  constructor(driver: Driver, config: SessionsConfig) {
    this.#driver = driver
    this.#config = config
    this.#isWatched = driver.expect !== undefined
  }

  /**
   * @param usesTenants Whether code outside every tenant scope runs for `nobody`.
   * @param statements Gets the statements of the program.
   */
  start(usesTenants: boolean, statements: Statements): void {
    this.#usesTenants = usesTenants
    this.#observed = statements.areObserved ? statements : null
    this.#isWatched ||= statements.areObserved
  }

  /** The owner for which the current code runs. */
  get owner(): Owner | null {
    return currentOwner(this.#usesTenants)
  }

  /** Runs a statement in the transaction to which it belongs. */
  query(statement: Statement): Promise<QueryResult> {
    if (!this.#isWatched) return this.#queryAsOwner(statement)
    return this.#observe(statement, () => this.#queryAsOwner(statement))
  }

  /**
   * Runs a statement of the package itself on a table that belongs to no tenant, in the transaction
   * of the request if there is one.
   */
  queryOwnTable(statement: Statement): Promise<QueryResult> {
    const isTenanted = this.#usesTenants || TenantContext.current()?.id !== undefined
    const owner = isTenanted ? ALL_TENANTS : null
    if (!this.#isWatched) return this.#queryFor(owner, statement)
    return this.#observe(statement, () => this.#queryFor(owner, statement))
  }

  #observe(statement: Statement, run: () => Promise<QueryResult>): Promise<QueryResult> {
    this.#driver.expect?.(statement)
    if (this.#observed === null) return run()
    // Not spread: the text of a template is computed by a getter of its class.
    const { text, values = [] } = statement
    const running = this.#observed.begin({ system: 'postgresql', text, values })
    return running === null ? run() : report(running, run)
  }

  async #queryAsOwner(statement: Statement): Promise<QueryResult> {
    refuseControl(statement.text)
    const { owner } = this
    if (owner?.kind === 'nobody') await this.#assertPublic(statement)
    return await this.#queryFor(owner, statement)
  }

  async #queryFor(owner: Owner | null, statement: Statement): Promise<QueryResult> {
    const outer = this.#outer(owner)
    if (outer === null) {
      const settings = owner === null ? null : this.#settings(owner)
      return await autocommit(this.#driver, statement, settings)
    }
    // A block that is open is used in this tick, so that statements of one tick are sent together.
    const { block, owner: other } = outer instanceof Promise ? await outer : outer
    if (isSameOwner(other, owner)) return await block.query(statement)
    return await block.nest((part) => part.query(statement), this.#change(other, owner))
  }

  /**
   * Runs a block in one transaction: nested in the one that is open here, or a new one.
   *
   * @param owner For whom the block runs. The caller has already entered the scope of this owner.
   */
  async block<T>(owner: Owner | null, run: () => Promise<T>): Promise<T> {
    // The first block of a handler that asks for a transaction is the transaction of the request.
    // Such a handler may still run after the commit, for example while it streams.
    if (this.#block === undefined && this.#work()?.takeHandler()) return run()
    const outer = await this.#outer(owner)
    if (outer === null) return this.#transact(owner, run)
    const change = isSameOwner(outer.owner, owner) ? undefined : this.#change(outer.owner, owner)
    return outer.block.nest((block) => this.#runIn({ block, owner }, run), change)
  }

  /** Runs a generator in one transaction, from its first item to its end. */
  stream<T>(open: () => AsyncIterable<T>): AsyncIterableIterator<T> {
    const { owner } = this
    // The reader may have another async context.
    const inScope = TenantContext.bind(<R>(fn: () => R): R => fn())
    const begin = () => inScope(() => this.#beginStream(owner, inScope))
    return new TransactionStream({ open, begin, idleMs: this.#config.idleInTransactionMs })
  }

  async #beginStream(owner: Owner | null, inScope: <R>(fn: () => R) => R): Promise<StreamBlock> {
    const outer = this.#block
    if (outer !== undefined) {
      if (!isSameOwner(outer.owner, owner)) throw new TenantSwitchError(outer.owner, owner)
      // The outer block decides. A part of its own would let the reader's statements wait for the stream.
      return { run: (fn) => this.#blocks.run(outer, fn), commit: nothing, rollback: nothing }
    }
    const block = await this.#takeOver(owner)
    const owned = { block, owner, request: currentRequest() }
    return {
      run: (fn) => inScope(() => this.#blocks.run(owned, fn)),
      commit: async () => {
        await block.commit()
        await this.#finish(block)
      },
      rollback: () => block.rollback(),
    }
  }

  /** The transaction of the request, which then is committed at the end of the stream; else a new one. */
  #takeOver(owner: Owner | null): Promise<Transaction> {
    const work = this.#work()
    // The stream is the transaction for which the handler has asked.
    work?.takeHandler()
    if (work === undefined || work.isCommitted) return this.#begin(owner)
    if (!isSameOwner(work.owner, owner)) throw new TenantSwitchError(work.owner, owner)
    return work.handOver()
  }

  /** Runs a function after the commit of the current transaction; immediately if there is none. */
  async afterCommit(fn: Task): Promise<void> {
    // The commit may run in the async context of other code. Keep the tenant scope of this code,
    // and leave its block, which has ended by then.
    const task = TenantContext.bind(() => this.#blocks.exit(fn))
    const inner = this.#block
    if (inner !== undefined) return inner.block.afterCommit(task)
    const work = this.#work()
    if (work === undefined || work.isCommitted) await task()
    else (await work.transaction()).afterCommit(task)
  }

  /** Runs a handler. Its queries share one transaction. */
  intercept(req: Request, res: Response, { next, fail, isTransactional }: Interception): unknown {
    const scope = TenantContext.current()
    const { owner } = this
    const begin = () => this.#begin(owner)
    const finish = (transaction: Transaction) => this.#finish(transaction)
    const config = { owner, begin, finish, isTransactional }
    const work = new RequestWork(config, { req, res, fail })
    if (scope === undefined) return this.#untenanted.run(work, () => trackEnd(work, res, next))
    this.#works.set(scope.origin, work)
    return trackEnd(work, res, next)
  }

  #runIn<T>(owned: OwnedBlock, run: () => Promise<T>): Promise<T> {
    return this.#blocks.run({ ...owned, request: currentRequest() }, run)
  }

  /**
   * The open block of the current code. When code in a block makes an in-process request, that
   * request does not join the block.
   */
  get #block(): OwnedBlock | undefined {
    const block = this.#blocks.getStore()
    if (block === undefined) return undefined
    const request = currentRequest()
    return request === undefined || request === block.request ? block : undefined
  }

  #settings(owner: Owner | null): Settings {
    return settingsOf(owner, this.#config)
  }

  async #begin(owner: Owner | null): Promise<Transaction> {
    // Load the names before connecting: code that holds the last connection could not get another
    // one for this query.
    if (owner?.kind === 'nobody') this.#protected ??= await this.#loadProtected()
    const activity = new Activity(this.#config.idleInTransactionMs)
    return new Transaction(await this.#driver.connect(), this.#settings(owner), activity)
  }

  async #transact<T>(owner: Owner | null, run: () => Promise<T>): Promise<T> {
    const block = await this.#begin(owner)
    try {
      const value = await this.#runIn({ block, owner }, run)
      await block.commit()
      await this.#finish(block)
      return value
    } catch (error) {
      await block.rollback()
      throw error
    }
  }

  /** Runs the afterCommit() functions. The transaction is saved, so a failure is only logged. */
  async #finish(transaction: Transaction): Promise<void> {
    for (const task of transaction.takeTasks()) {
      try {
        await this.#limit(task)
      } catch (err) {
        this.#log(err)
      }
    }
  }

  #log(err: unknown): void {
    try {
      this.#config.logger().error({ err }, 'A function given to afterCommit() failed')
    } catch {
      // The commit has succeeded, so a logger that throws must not fail the request.
    }
  }

  /**
   * Applies the statement timeout to an afterCommit() function: the response waits for the
   * function, and nothing else limits that wait.
   */
  #limit(task: Task): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const ms = this.#config.statementMs
      const deadline = new Deadline(ms, () => reject(new Error(`It has not ended in ${ms} ms.`)))
      void Promise.resolve()
        .then(task)
        .finally(() => deadline.cancel())
        .then(resolve, reject)
    })
  }

  #change(from: Owner | null, to: Owner | null): Change {
    return {
      enter: ownerSettingsOf(to, this.#config),
      leave: ownerSettingsOf(from, this.#config),
    }
  }

  /**
   * Finds the block or the request transaction that a statement joins; `null` if the statement runs
   * on its own.
   */
  #outer(owner: Owner | null): OwnedBlock | Promise<OwnedBlock> | null {
    const inner = this.#block
    if (inner !== undefined) return this.#assertFits(inner, owner)
    const work = this.#work()
    if (work === undefined || work.isCommitted) return null
    this.#assertFits(work, owner)
    return this.#ownedBy(work)
  }

  async #ownedBy(work: RequestWork): Promise<OwnedBlock> {
    return { block: await work.transaction(), owner: work.owner }
  }

  /**
   * Inside a transaction, statements may run for the same owner or for all tenants, but not for
   * another tenant.
   */
  #assertFits<T extends Pick<OwnedBlock, 'owner'>>(outer: T, owner: Owner | null): T {
    if (owner?.kind === 'all' || isSameOwner(outer.owner, owner)) return outer
    throw new TenantSwitchError(outer.owner, owner)
  }

  #work(): RequestWork | undefined {
    const scope = TenantContext.current()
    return scope === undefined ? this.#untenanted.getStore() : this.#works.get(scope.origin)
  }

  async #assertPublic({ text }: Statement): Promise<void> {
    this.#protected ??= await this.#loadProtected()
    const table = this.#protected.find(text)
    if (table === null) return
    const scope = TenantContext.current()
    // The request names a tenant, and the program is too early: this throws the error for it.
    if (scope?.claim !== undefined) requireTenantId()
    const message =
      scope === undefined
        ? `The rows of ${table} belong to tenants, and this code runs without a tenant. Use runWithTenant(id, fn), or db.withoutTenant(reason, fn) for the rows of all tenants`
        : 'A tenant is required'
    throw new HttpError(400, message, { code: 'TENANT_REQUIRED' })
  }

  async #loadProtected(): Promise<ProtectedTables> {
    const { rows } = await autocommit(this.#driver, { text: LIST_PROTECTED }, null)
    return new ProtectedTables(rows.map(({ name }) => String(name)))
  }
}

async function nothing(): Promise<void> {}

/** Runs a statement, and reports its result or its error. */
async function report(
  running: RunningStatement,
  run: () => Promise<QueryResult>,
): Promise<QueryResult> {
  try {
    const result = await run()
    running.end(result)
    return result
  } catch (error) {
    running.fail(error)
    throw error
  }
}

/** Calls a handler and notifies its work when the handler has ended. */
function trackEnd(work: RequestWork, res: Response, next: () => unknown): unknown {
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
  // The query of a query builder is not a promise, but can be awaited.
  if (!isThenable(value)) return leave(value)
  return Promise.resolve(value).then(leave, (error) => {
    work.fail()
    throw error
  })
}

/** The current request, identified by the origin of its scope; `undefined` outside requests. */
function currentRequest(): object | undefined {
  const scope = TenantContext.current()
  return scope?.host === undefined ? undefined : scope.origin
}
