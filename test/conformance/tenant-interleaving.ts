import { runWithTenant } from 'blazon'
import { Database } from 'blazon/postgres'
import { describe, expect, it } from 'vitest'
import { Random, seedOfRun } from './random.js'
import type { TenantDatabase } from './tenant-database.js'
import {
  AnswersController,
  Barrier,
  FailuresController,
  OrdersController,
  SlowController,
} from './tenant-orders.js'
import { cancelSleeper, dirtyOf } from './tenant-sessions.js'

const TENANTS = Array.from({ length: 20 }, (_, i) => `tenant-${i}`)
/** Ends a test that hangs. No test measures time. */
const LIMIT = 600_000

/** How many of a thousand transactions are of each kind. */
const KINDS = {
  kept: 420,
  single: 80,
  part: 120,
  'undone part': 100,
  thrown: 100,
  refused: 60,
  swallowed: 50,
  crossing: 40,
  switching: 20,
  'refused at commit': 10,
} as const
/** Kinds that only a server can have. */
const INTERRUPTED = { 'too long': 4, cancelled: 3, cut: 2 } as const

type Kind = keyof typeof KINDS | keyof typeof INTERRUPTED

const KEPT: readonly Kind[] = ['kept', 'single', 'part', 'undone part']

/** The expected rows of each tenant, counted here and not by the database. */
class Ledger {
  readonly #sums = new Map<string, { rows: number; sum: number }>()

  add(tenant: string, amounts: readonly number[]): void {
    const { rows, sum } = this.of(tenant)
    const added = amounts.reduce((all, one) => all + one, 0)
    this.#sums.set(tenant, { rows: rows + amounts.length, sum: sum + added })
  }

  of(tenant: string): { rows: number; sum: number } {
    return this.#sums.get(tenant) ?? { rows: 0, sum: 0 }
  }
}

/** One transaction of one tenant, with checks of the rows that it sees. */
class Walk {
  readonly #db: Database
  readonly #database: TenantDatabase
  readonly #tenant: string
  readonly #amounts: number[] = []
  readonly #before: number
  /** Results that the transaction must not see. */
  readonly problems: string[] = []

  constructor(
    { db, database }: { db: Database; database: TenantDatabase },
    tenant: string,
    before: number,
  ) {
    this.#db = db
    this.#database = database
    this.#tenant = tenant
    this.#before = before
  }

  /** The amounts that the database holds if the transaction is committed. */
  get amounts(): readonly number[] {
    return this.#amounts
  }

  async go(kind: Kind, seconds: number): Promise<void> {
    if (kind === 'single') return await this.#add(1)
    await this.#db.transaction(async () => {
      await this.#add(2)
      await this.#step(kind, seconds)
      await this.#look()
    })
  }

  async #step(kind: Kind, seconds: number): Promise<void> {
    const db = this.#db
    const sleep = () => db.query(`select pg_sleep(${seconds})`)
    switch (kind) {
      case 'part':
        return await db.transaction(() => this.#add(4))
      case 'undone part':
        return await this.#undone()
      case 'thrown':
        throw new Error('Thrown')
      case 'refused':
        return void (await db.query('select 1 / 0'))
      case 'swallowed':
        return void (await db.query('select 1 / 0').catch(() => {}))
      case 'crossing':
        return void (await db.query('insert into orders (tenant_id) values ($1)', [this.#other]))
      case 'switching':
        return void (await runWithTenant(this.#other, () => db.query('select 1')))
      case 'refused at commit':
        await db.query("insert into orders (number) values ('1')")
        return void (await db.query("insert into orders (number) values ('1')"))
      case 'too long':
        await db.query("select set_config('statement_timeout', '10', true)")
        return void (await sleep())
      case 'cancelled':
      case 'cut': {
        const how = kind === 'cut' ? 'terminate' : 'cancel'
        return void (await Promise.all([sleep(), cancelSleeper(this.#database, seconds, how)]))
      }
    }
  }

  /** A nested transaction that fails, after which the outer one continues. */
  async #undone(): Promise<void> {
    const part = this.#db.transaction(async () => {
      await this.#db.query('insert into orders (amount) values (1000000)')
      await this.#db.query('select 1 / 0')
    })
    await part.catch(() => {})
    await this.#add(8)
  }

  get #other(): string {
    return this.#tenant === 'tenant-0' ? 'tenant-1' : 'tenant-0'
  }

  async #add(amount: number): Promise<void> {
    const text = 'insert into orders (amount) values ($1) returning tenant_id'
    const { rows } = await this.#db.query(text, [amount])
    this.#amounts.push(amount)
    if (rows[0]?.['tenant_id'] !== this.#tenant) this.#complain('added a row to', rows)
  }

  async #look(): Promise<void> {
    const text = `select count(*) filter (where tenant_id <> $1)::int as strangers,
      coalesce(sum(amount), 0)::int as sum, current_setting('app.tenant_id') as tenant,
      current_user::text as role from orders`
    const { rows } = await this.#db.query(text, [this.#tenant])
    const { strangers, sum, tenant, role } = rows[0] as Record<string, unknown>
    if (strangers !== 0 || tenant !== this.#tenant || role !== 'app_tenant')
      this.#complain('saw', rows)
    // The rows that were saved before, and its own. Other transactions of the tenant may have added more.
    const own = this.#amounts.reduce((all, one) => all + one, 0)
    if (Number(sum) < this.#before + own)
      this.#complain(`missed some of ${this.#before + own}`, rows)
  }

  #complain(what: string, rows: unknown): void {
    this.problems.push(`${this.#tenant} ${what} ${JSON.stringify(rows)}`)
  }
}

/** Many concurrent tenants on few connections, with every kind of failure. */
export function describeInterleaving(databaseOf: () => TenantDatabase, transactions: number): void {
  describe('20 concurrent tenants', () => {
    it(
      `see and keep only their own rows in ${transactions} transactions with random failures`,
      async () => {
        const database = databaseOf()
        const seed = seedOfRun()
        console.info(`${transactions} transactions, SEED=${seed}`)
        await using app = await database.start(
          { tenant: {} },
          { connections: 4, timeouts: { acquire: '5m', statement: '1m' } },
        )
        const db = app.get(Database)
        await database.asOwner('truncate orders, items')
        const random = new Random(seed)
        const ledger = new Ledger()
        const wrong: string[] = []
        const counts = new Map<Kind, number>()
        let next = 0
        const worker = async () => {
          while (next < transactions) {
            const number = next++
            const tenant = random.pick(TENANTS)
            const kind: Kind = random.weighted(
              database.isEmbedded ? KINDS : { ...KINDS, ...INTERRUPTED },
            )
            counts.set(kind, (counts.get(kind) ?? 0) + 1)
            const walk = new Walk({ db, database }, tenant, ledger.of(tenant).sum)
            // Each sleep has a length of its own, so that only this one is cancelled.
            const outcome = await settle(() =>
              runWithTenant(tenant, () => walk.go(kind, 1_000_000 + number)),
            )
            if (outcome === 'kept') ledger.add(tenant, walk.amounts)
            if ((outcome === 'kept') !== KEPT.includes(kind))
              walk.problems.push(`${kind}: ${outcome}`)
            wrong.push(...walk.problems)
          }
        }
        await Promise.all(Array.from({ length: 24 }, worker))
        expect(wrong.slice(0, 10), `SEED=${seed}`).toEqual([])
        expect(await sumsOf(database), `SEED=${seed}`).toEqual(TENANTS.map((id) => ledger.of(id)))
        await expectClean(database, 4)
      },
      LIMIT,
    )

    it(
      'see and keep only their own rows in 600 requests with failures, timeouts and disconnects',
      async () => {
        const database = databaseOf()
        const seed = seedOfRun()
        console.info(`requests, SEED=${seed}`)
        await using app = await database.start(
          {
            controllers: [OrdersController, AnswersController, FailuresController, SlowController],
            providers: [Barrier],
            tenant: {},
            contract: 'off',
            logger: false,
          },
          { connections: 4, timeouts: { acquire: '5m', statement: '1m' } },
        )
        await database.asOwner('truncate orders, items')
        const random = new Random(seed)
        const kept = new Map<string, number>()
        const wrong: unknown[] = []
        let left = 600
        const worker = async () => {
          while (left-- > 0) {
            const tenant = random.pick(TENANTS)
            const caller = app.asTenant(tenant)
            const ordinary = { saved: 50, failed: 25, read: 15, late: 0, gone: 0 }
            // Connections are cut only before the last requests, so that connections are open for the last check.
            const kind = random.weighted(left < 60 ? ordinary : { ...ordinary, late: 5, gone: 5 })
            if (kind === 'saved') {
              const way = encodeURIComponent(
                random.pick(['a returned value', 'res.json', 'a pipeline', 'a callback']),
              )
              const { status } = await caller
                .request()
                .post(`/answers/${way}`)
                .send({ note: tenant })
              // The clock moves for all requests, so a request that waits for a connection may time out, too.
              if (status === 200) kept.set(tenant, (kept.get(tenant) ?? 0) + 1)
              else if (status !== 503) wrong.push([kind, way, status])
            } else if (kind === 'failed') {
              const how = encodeURIComponent(
                random.pick([
                  'a thrown error',
                  'next(error)',
                  'a refused statement',
                  'a refused statement whose error is caught',
                  'a status of 500',
                ]),
              )
              const { status } = await caller.request().post(`/failures/${how}`)
              if (status !== 500 && status !== 503) wrong.push([kind, how, status])
            } else if (kind === 'read') {
              const { body, status } = await caller.request().get('/orders')
              if (status === 503) continue
              const strangers = body.data?.filter((row: { note: string }) => row.note !== tenant)
              if (status !== 200 || strangers.length > 0) wrong.push([kind, status, strangers])
            } else if (kind === 'late') {
              const answer = caller
                .request()
                .post('/slow/waiting')
                .then(({ status }) => status)
              await Promise.race([app.get(Barrier).reached, answer])
              await app.clock.advance('31s')
              if ((await answer) !== 503) wrong.push([kind, await answer])
            } else {
              const abort = new AbortController()
              const answer = caller.fetch('/slow/waiting', { method: 'POST', signal: abort.signal })
              await Promise.race([app.get(Barrier).reached, answer.catch(() => {})])
              abort.abort()
              await answer.catch(() => {})
            }
          }
        }
        await Promise.all(Array.from({ length: 16 }, worker))
        expect(wrong.slice(0, 10), `SEED=${seed}`).toEqual([])
        const rows = await database.look<{ tenant_id: string; count: number }>(
          'select tenant_id, count(*)::int as count from orders group by 1',
        )
        const found = Object.fromEntries(rows.map(({ tenant_id, count }) => [tenant_id, count]))
        expect(found, `SEED=${seed}`).toEqual(Object.fromEntries(kept))
        // A slow request may have been cut after all others, and its connection with it.
        await app.asTenant('probe').request().get('/orders').expect(200)
        await expectClean(database, 4)
      },
      LIMIT,
    )
  })
}

async function settle(run: () => Promise<unknown>): Promise<string> {
  try {
    await run()
    return 'kept'
  } catch (error) {
    return String(error)
  }
}

async function sumsOf(database: TenantDatabase): Promise<unknown[]> {
  const rows = await database.look<{ tenant_id: string; rows: number; sum: number }>(
    'select tenant_id, count(*)::int as rows, sum(amount)::int as sum from orders group by 1',
  )
  const none = { rows: 0, sum: 0 }
  const byTenant = new Map(rows.map(({ tenant_id, ...sums }) => [tenant_id, sums]))
  return TENANTS.map((id) => byTenant.get(id) ?? none)
}

/** No connection has a tenant, a role or a transaction, and there are at most `size` connections. */
async function expectClean(database: TenantDatabase, size: number): Promise<void> {
  const all = await database.leftovers()
  expect(all.length).toBeGreaterThan(0)
  expect(all.length).toBeLessThanOrEqual(size)
  expect(dirtyOf(all)).toEqual([])
}
