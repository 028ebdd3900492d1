import { AsyncLocalStorage } from 'node:async_hooks'
import {
  HttpError,
  type Logger,
  type Request,
  type Response,
  requireTenantId,
  TenantContext,
} from '../../../index.js'
import type { Statements } from '../../../plugin/index.js'
import type { Driver, QueryResult, Statement } from '../driver.js'
import { isConflict } from '../postgres-error.js'
import { isRead, OwnTypes } from '../values/own-types.js'
import { Activity } from './activity.js'
import { autocommit } from './autocommit.js'
import { ALL_TENANTS, currentOwner, isSameOwner, type Owner, TenantSwitchError } from './owner.js'
import { type RequestParts, RequestWork, trackEnd } from './request-work.js'
import { pauseBefore, runRetried } from './retries.js'
import { runTasks } from './run-tasks.js'
import { LIST_PROTECTED, ProtectedTables, refuseControl, reported } from './statements.js'
import { type Block, type Change, type Task, Transaction } from './transaction.js'
import { assertIsolation, type Isolation, type TransactionOptions } from './transaction-options.js'
import {
  beginAs,
  ownerSettingsOf,
  type Send,
  type Settings,
  type SettingsConfig,
  settingsOf,
} from './transaction-start.js'
import { type StreamBlock, TransactionStream } from './transaction-stream.js'

interface OwnedBlock {
  readonly block: Block
  readonly owner: Owner | null
  readonly isolation: Isolation | undefined
  /** The request whose code began the block; `undefined` outside of requests. */
  readonly request?: object | undefined
}

/** The configuration of `Sessions`. */
export interface SessionsConfig extends SettingsConfig {
  readonly logger: () => Logger
}

/** A handler that is about to be called. */
export interface Interception {
  readonly next: () => unknown
  readonly fail: (error: unknown) => void
  /** The options of `@Transactional()` on the handler; `null` without the decorator. */
  readonly options: TransactionOptions | null
}

/**
 * Determines the transaction, the owner and the connection of every statement. A statement joins the application's open
 * block or the request's transaction. Otherwise, it runs in its own transaction.
 */
export class Sessions {
  readonly #driver: Driver
  readonly #config: SessionsConfig
  /** The innermost block in which the current code runs. */
  readonly #blocks = new AsyncLocalStorage<OwnedBlock>()
  /**
   * The work of each request. The key is the origin of the request's tenant scope, so that code in that scope finds the
   * work even if another async context was lost.
   */
  readonly #works = new WeakMap<object, RequestWork>()
  /** The work of the current request, if requests have no tenant scope or the handler has retries. */
  readonly #current = new AsyncLocalStorage<RequestWork>()
  #usesTenants = false
  /** The listener for statements; `null` if there is no observer. */
  #observed: Statements | null = null
  /** Whether statements are reported to an observer or to the driver. */
  #isWatched: boolean
  #protected: ProtectedTables | undefined
  readonly #types = new OwnTypes()

  constructor(driver: Driver, config: SessionsConfig) {
    this.#driver = driver
    this.#config = config
    this.#isWatched = driver.expect !== undefined
  }

  /**
   * @param usesTenants Whether code outside of tenant scopes runs for `nobody`.
   * @param statements Receives the application's statements.
   */
  start(usesTenants: boolean, statements: Statements): void {
    this.#usesTenants = usesTenants
    this.#observed = statements.areObserved ? statements : null
    this.#isWatched ||= statements.areObserved
  }

  /** Ends all async contexts. Before Node 24, each promise of the process copies every context that is not disabled. */
  close(): void {
    this.#blocks.disable()
    this.#current.disable()
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
   * Runs a statement of the package itself on a table that belongs to no tenant. Uses the current transaction if there
   * is one.
   */
  queryOwnTable(statement: Statement): Promise<QueryResult> {
    const isTenanted = this.#usesTenants || TenantContext.current()?.id !== undefined
    const owner = isTenanted ? ALL_TENANTS : null
    if (!this.#isWatched) return this.#queryFor(owner, statement)
    return this.#observe(statement, () => this.#queryFor(owner, statement))
  }

  /**
   * Runs statements of the package itself as the login, in the current transaction. If there is none, they share a new
   * transaction.
   */
  async asLogin<T>(fn: (send: Send) => Promise<T>): Promise<T> {
    const outer = await this.#outer(ALL_TENANTS)
    if (outer === null)
      return await this.#transact(null, (block) => fn((each) => block.query(each)))
    const change = outer.owner === null ? undefined : this.#change(outer.owner, null)
    return await outer.block.nest((part) => fn((each) => part.query(each)), change)
  }

  #observe(statement: Statement, run: () => Promise<QueryResult>): Promise<QueryResult> {
    this.#driver.expect?.(statement)
    if (this.#observed === null) return run()
    // The statement is not spread, because the text of a template is computed by a getter of its class.
    const { text, values = [] } = statement
    const running = this.#observed.begin({ system: 'postgresql', text, values })
    return running === null ? run() : reported(running, run)
  }

  async #queryAsOwner(statement: Statement): Promise<QueryResult> {
    refuseControl(statement.text)
    const { owner } = this
    if (owner?.kind === 'nobody') await this.#assertPublic(statement)
    const result = await this.#queryFor(owner, statement)
    if (isRead(result, statement)) return result
    return await this.#types.read(result, statement, (own) => this.#queryFor(owner, own))
  }

  async #queryFor(owner: Owner | null, statement: Statement): Promise<QueryResult> {
    const outer = this.#outer(owner)
    if (outer === null) {
      const settings = owner === null ? null : this.#settings(owner)
      return await autocommit(this.#driver, statement, settings)
    }
    // An open block is used in the same tick, so that statements from one tick are sent together.
    const { block, owner: other } = outer instanceof Promise ? await outer : outer
    if (isSameOwner(other, owner)) return await block.query(statement)
    return await block.nest((part) => part.query(statement), this.#change(other, owner))
  }

  /**
   * Runs a block in one transaction: nested in the open transaction, or a new one.
   *
   * @param owner The owner for which the block runs. The caller has already entered this owner's scope.
   */
  async block<T>(
    owner: Owner | null,
    run: () => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    // The first block of a handler with `@Transactional()` is the request's transaction itself. As a nested block, it
    // would delay the commit until the handler has ended, but a handler can run longer, for example while it streams.
    if (this.#block === undefined && this.#work()?.takeHandler()) return run()
    const outer = await this.#outer(owner)
    if (outer === null) return this.#transact(owner, run, options)
    const { isolation } = outer
    assertIsolation(isolation, options.isolation)
    const change = isSameOwner(outer.owner, owner) ? undefined : this.#change(outer.owner, owner)
    return outer.block.nest((block) => this.#runIn({ block, owner, isolation }, run), change)
  }

  /** Runs a generator in one transaction, from its first item to its end. */
  stream<T>(
    open: () => AsyncIterable<T>,
    options: TransactionOptions = {},
  ): AsyncIterableIterator<T> {
    const { owner } = this
    // The reader may have a different async context.
    const inScope = TenantContext.bind(<R>(fn: () => R): R => fn())
    const begin = () => inScope(() => this.#beginStream({ owner, options }, inScope))
    return new TransactionStream({ open, begin, idleMs: this.#config.idleInTransactionMs })
  }

  async #beginStream(
    { owner, options }: { readonly owner: Owner | null; readonly options: TransactionOptions },
    inScope: <R>(fn: () => R) => R,
  ): Promise<StreamBlock> {
    const outer = this.#block
    if (outer !== undefined) {
      assertIsolation(outer.isolation, options.isolation)
      if (!isSameOwner(outer.owner, owner)) throw new TenantSwitchError(outer.owner, owner)
      // The outer block ends the transaction. If the stream had its own part, the reader's statements would wait for
      // the stream.
      return { run: (fn) => this.#blocks.run(outer, fn), commit: nothing, rollback: nothing }
    }
    const { isolation } = options
    const block = await this.#takeOver(owner, isolation)
    const owned = { block, owner, isolation, request: currentRequest() }
    return {
      run: (fn) => inScope(() => this.#blocks.run(owned, fn)),
      commit: async () => {
        await block.commit()
        await this.#finish(block)
      },
      rollback: () => block.rollback(),
    }
  }

  /**
   * Returns the request's transaction, which will be committed at the end of the stream, or otherwise a new
   * transaction.
   */
  #takeOver(owner: Owner | null, isolation: Isolation | undefined): Promise<Transaction> {
    const work = this.#work()
    // The stream uses the handler's transaction.
    work?.takeHandler()
    if (work === undefined || work.isCommitted) return this.#begin(owner, isolation)
    assertIsolation(work.isolation, isolation)
    if (!isSameOwner(work.owner, owner)) throw new TenantSwitchError(work.owner, owner)
    return work.handOver()
  }

  /** Runs a function after the commit of the current transaction, or immediately if there is none. */
  async afterCommit(fn: Task): Promise<void> {
    // The commit may run in a different async context. The function keeps the current tenant scope but leaves the
    // current block, which will have ended by then.
    const task = TenantContext.bind(() => this.#blocks.exit(fn))
    const inner = this.#block
    if (inner !== undefined) return inner.block.afterCommit(task)
    const work = this.#work()
    if (work === undefined || work.isCommitted) await task()
    else (await work.transaction()).afterCommit(task)
  }

  /** Runs a handler. Its queries share one transaction. */
  intercept(req: Request, res: Response, interception: Interception): unknown {
    const { fail, options } = interception
    const retries = options?.retries ?? 0
    if (retries === 0) return this.#attempt({ req, res, fail }, interception)
    const run = (parts: RequestParts) => this.#attempt(parts, interception)
    return runRetried({ req, res, fail, retries }, TenantContext.bind(run))
  }

  #attempt(parts: RequestParts, { next, options }: Interception): unknown {
    const scope = TenantContext.current()
    const { owner } = this
    const isolation = options?.isolation
    const begin = () => this.#begin(owner, isolation)
    const finish = (transaction: Transaction) => this.#finish(transaction)
    const retriedOrigin = parts.hold === undefined ? undefined : scope?.origin
    const isTransactional = options !== null
    const config = { owner, begin, finish, isTransactional, isolation, retriedOrigin }
    const work = new RequestWork(config, parts)
    const run = () => trackEnd(work, parts.res, next)
    if (scope !== undefined) this.#works.set(scope.origin, work)
    return scope === undefined || retriedOrigin !== undefined ? this.#current.run(work, run) : run()
  }

  #runIn<T>(owned: OwnedBlock, run: () => Promise<T>): Promise<T> {
    return this.#blocks.run({ ...owned, request: currentRequest() }, run)
  }

  /**
   * Returns the open block of the current code. If code in a block makes an in-process request, that request does not
   * join the block.
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

  async #begin(owner: Owner | null, isolation: Isolation | undefined): Promise<Transaction> {
    // The names of the protected tables are loaded before connecting, because code that holds the last connection could
    // not get another one for this query.
    if (owner?.kind === 'nobody') this.#protected ??= await this.#loadProtected()
    const activity = new Activity(this.#config.idleInTransactionMs)
    const own = this.#settings(owner)
    const settings = isolation === undefined ? own : { ...own, begin: beginAs(isolation) }
    return new Transaction(await this.#driver.connect(), settings, activity)
  }

  async #transact<T>(
    owner: Owner | null,
    run: (block: Block) => Promise<T>,
    { isolation, retries = 0 }: TransactionOptions = {},
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const block = await this.#begin(owner, isolation)
      try {
        const value = await this.#runIn({ block, owner, isolation }, () => run(block))
        await block.commit()
        await this.#finish(block)
        return value
      } catch (error) {
        await block.rollback()
        if (attempt > retries || !isConflict(error)) throw error
        await pauseBefore(attempt)
      }
    }
  }

  async #finish(transaction: Transaction): Promise<void> {
    const { logger, statementMs } = this.#config
    await runTasks(transaction.takeTasks(), { logger, limitMs: statementMs })
  }

  #change(from: Owner | null, to: Owner | null): Change {
    return {
      enter: ownerSettingsOf(to, this.#config),
      leave: ownerSettingsOf(from, this.#config),
    }
  }

  /**
   * Finds the block or the request transaction that a statement joins; `null` if the statement runs on its own.
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
    const { owner, isolation } = work
    return { block: await work.transaction(), owner, isolation }
  }

  /** Inside a transaction, statements can run for the same owner or for all tenants, but not for a different tenant. */
  #assertFits<T extends Pick<OwnedBlock, 'owner'>>(outer: T, owner: Owner | null): T {
    if (owner?.kind === 'all' || isSameOwner(outer.owner, owner)) return outer
    throw new TenantSwitchError(outer.owner, owner)
  }

  #work(): RequestWork | undefined {
    const scope = TenantContext.current()
    if (scope === undefined) return this.#current.getStore()
    const work = this.#works.get(scope.origin)
    if (work?.retriedOrigin === undefined) return work
    const own = this.#current.getStore()
    return own?.retriedOrigin === scope.origin ? own : work
  }

  async #assertPublic({ text }: Statement): Promise<void> {
    this.#protected ??= await this.#loadProtected()
    const table = this.#protected.find(text)
    if (table === null) return
    const scope = TenantContext.current()
    // The request specifies a tenant, but the application's code runs before the tenant is confirmed. This call throws
    // the error for that case.
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

/** Returns the current request, identified by the origin of its scope; `undefined` outside of requests. */
function currentRequest(): object | undefined {
  const scope = TenantContext.current()
  return scope?.host === undefined ? undefined : scope.origin
}
