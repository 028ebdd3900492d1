import { AsyncLocalStorage } from 'node:async_hooks'
import { refuse } from '../../../errors/refuse.js'
import { refuseClaim } from '../../../features/tenancy/tenant-context.js'
import type { BlazonRequest } from '../../../http/request.js'
import { type Logger, type Response, TenantContext } from '../../../index.js'
import { isThenable } from '../../../step/thenable.js'
import type { Driver, QueryResult, Statement } from '../driver.js'
import { Deadline } from '../drivers/deadline.js'
import { Activity } from './activity.js'
import { autocommit } from './autocommit.js'
import { currentOwner, isSameOwner, type Owner } from './owner.js'
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

/** A block, and in whose name. */
interface OwnedBlock {
  readonly block: Block
  readonly owner: Owner | null
  /** The request that has begun it; `undefined` for none. */
  readonly request?: object | undefined
}

/** What sessions are made of. */
export interface SessionsConfig extends SettingsConfig {
  readonly logger: () => Logger
}

/** A handler on the way to be called. */
export interface Interception {
  readonly next: () => unknown
  readonly fail: (error: unknown) => void
  /** Whether the handler itself asks for a transaction. */
  readonly isTransactional: boolean
}

/**
 * Decides for every statement which transaction it belongs to, in whose name and on which connection it runs: in a block of the program's, in the transaction of the
 * request, or in one of its own.
 */
export class Sessions {
  readonly #driver: Driver
  readonly #config: SessionsConfig
  /** The innermost block of the program that the code runs in. */
  readonly #blocks = new AsyncLocalStorage<OwnedBlock>()
  /** By the origin of the scope that a request runs in: it is found again wherever the scope is, and whatever else gets lost. */
  readonly #works = new WeakMap<object, RequestWork>()
  /** Where requests have no scope. */
  readonly #untenanted = new AsyncLocalStorage<RequestWork>()
  #usesTenants = false
  #protected: ProtectedTables | undefined

  constructor(driver: Driver, config: SessionsConfig) {
    this.#driver = driver
    this.#config = config
  }

  /** Says whether code that runs in no tenant's name is nobody's. */
  start(usesTenants: boolean): void {
    this.#usesTenants = usesTenants
  }

  /** In whose name the code runs. */
  get owner(): Owner | null {
    return currentOwner(this.#usesTenants)
  }

  /** Runs a statement where it belongs. */
  async query(statement: Statement): Promise<QueryResult> {
    refuseControl(statement.text)
    const { owner } = this
    if (owner?.kind === 'nobody') await this.#assertPublic(statement)
    const outer = await this.#outer(owner)
    if (outer === null) {
      return autocommit(this.#driver, statement, owner === null ? null : this.#settings(owner))
    }
    if (isSameOwner(outer.owner, owner)) return outer.block.query(statement)
    return outer.block.nest((part) => part.query(statement), this.#change(outer.owner, owner))
  }

  /**
   * Runs a block in one transaction: a part of the one that is open here, or a new one.
   *
   * @param owner In whose name. Whoever calls has entered its scope.
   */
  async block<T>(owner: Owner | null, run: () => Promise<T>): Promise<T> {
    // A handler that is a transaction is the one of its request, and may be under way long after that is committed: a stream for one.
    if (this.#block === undefined && this.#work()?.takeHandler()) return run()
    const outer = await this.#outer(owner)
    if (outer === null) return this.#transact(owner, run)
    const change = isSameOwner(outer.owner, owner) ? undefined : this.#change(outer.owner, owner)
    return outer.block.nest((block) => this.#runIn({ block, owner }, run), change)
  }

  /** Does something once the transaction that the code runs in is saved; at once where there is none. */
  async afterCommit(fn: Task): Promise<void> {
    // Whoever ends the transaction may be somebody else, and within a block that is over then.
    const task = TenantContext.bind(() => this.#blocks.exit(fn))
    const inner = this.#block
    if (inner !== undefined) return inner.block.afterCommit(task)
    const work = this.#work()
    if (work === undefined || work.isKept) await task()
    else (await work.transaction()).afterCommit(task)
  }

  /** Runs a handler, whose queries are one transaction. */
  intercept(
    req: BlazonRequest,
    res: Response,
    { next, fail, isTransactional }: Interception,
  ): unknown {
    const scope = TenantContext.current()
    const { owner } = this
    const begin = () => this.#begin(owner)
    const finish = (transaction: Transaction) => this.#finish(transaction)
    const config = { owner, begin, finish, isTransactional }
    const work = new RequestWork(config, { req, res, fail })
    if (scope === undefined) return this.#untenanted.run(work, () => follow(work, res, next))
    this.#works.set(scope.origin, work)
    return follow(work, res, next)
  }

  #runIn<T>(owned: OwnedBlock, run: () => Promise<T>): Promise<T> {
    return this.#blocks.run({ ...owned, request: currentRequest() }, run)
  }

  /** A request that is made in this process, within a block, is none of that block's. */
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
    // Who has the last connection cannot wait for one more to ask this on.
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

  /** What cannot be done afterwards does not undo what is saved. */
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
      // What is saved matters more than the log.
    }
  }

  /** The answer waits for it, and nothing else ends that. */
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

  /** What a statement is to be a part of; `null` where it is on its own. */
  async #outer(owner: Owner | null): Promise<OwnedBlock | null> {
    const inner = this.#block
    if (inner !== undefined) return this.#assertFits(inner, owner)
    const work = this.#work()
    if (work === undefined || work.isKept) return null
    this.#assertFits(work, owner)
    return { block: await work.transaction(), owner: work.owner }
  }

  /** Only what concerns all tenants may stand within the transaction of one. */
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
    refuseClaim(undefined)
    const message =
      TenantContext.current() === undefined
        ? `The rows of ${table} belong to tenants, and this code runs without a tenant. Use runWithTenant(id, fn), or db.withoutTenant(reason, fn) for the rows of all tenants`
        : 'A tenant is required'
    throw refuse('TENANT_REQUIRED', message, { stack: true })
  }

  async #loadProtected(): Promise<ProtectedTables> {
    const { rows } = await autocommit(this.#driver, { text: LIST_PROTECTED }, null)
    return new ProtectedTables(rows.map(({ name }) => String(name)))
  }
}

/** Runs a handler and tells its work when it has come to an end. */
function follow(work: RequestWork, res: Response, next: () => unknown): unknown {
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
  if (!isThenable(value)) return leave(value)
  return Promise.resolve(value).then(leave, (error) => {
    work.fail()
    throw error
  })
}

/** The request that the code runs for, known by the origin of its scope; `undefined` for none. */
function currentRequest(): object | undefined {
  const scope = TenantContext.current()
  return scope?.host === undefined ? undefined : scope.origin
}
