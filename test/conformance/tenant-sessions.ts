import { runWithoutTenant, runWithTenant } from 'blazon'
import { Database, PostgresError } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../integrations/until.js'
import type { Leftover, TenantDatabase } from './tenant-database.js'

/** Why something is not tried on an embedded database. */
export const UNINTERRUPTED = 'No statement of it can be interrupted.'

const NOTES = 'select note from orders order by note'

/** What a tenant's statements see, and leave behind. */
export function describeSessions(databaseOf: () => TenantDatabase): void {
  describe('a session', () => {
    let database: TenantDatabase
    let app: TestApp
    let db: Database
    beforeAll(async () => {
      database = databaseOf()
      // One connection: whatever one leaves, the next one would find.
      app = await database.start({ tenant: {} }, { connections: 1 })
      db = app.get(Database)
    })
    afterAll(() => app.close())
    beforeEach(() => database.asOwner('truncate orders, items'))

    const as = <T>(tenant: string, fn: () => Promise<T>) => runWithTenant(tenant, fn)
    const add = (note: string) => db.query('insert into orders (note) values ($1)', [note])
    const notes = async () => (await db.query<{ note: string }>(NOTES)).rows.map(({ note }) => note)
    const leftovers = async () => {
      return dirtyOf(await database.leftovers())
    }

    it('belongs to one tenant after the other, A, B and A, on one connection', async () => {
      await as('a', () => add('of a'))
      await as('b', () => add('of b'))
      expect(await as('a', notes)).toEqual(['of a'])
      expect(await as('b', notes)).toEqual(['of b'])
      expect(await as('c', notes)).toEqual([])
      expect(await as('a', notes)).toEqual(['of a'])
      expect(await leftovers()).toEqual([])
    })

    it.each([
      ['a statement that is refused', () => db.query('select 1 / 0')],
      ['a transaction that throws', () => fails(() => add('gone'))],
      ['a transaction that is refused', () => fails(() => db.query('select nothing from nowhere'))],
      ['a part that throws', () => fails(() => fails(() => add('gone')))],
      ['a commit that is refused', () => db.transaction(twice)],
    ])('belongs to nobody after %s', async (_, fail) => {
      await as('a', () => add('of a'))
      await expect(as<unknown>('b', fail)).rejects.toThrow()
      expect(await leftovers()).toEqual([])
      // It is still there, and nobody had to make another.
      if (!database.isPooled) expect(await database.leftovers()).toHaveLength(1)
      expect(await as('a', notes)).toEqual(['of a'])
      expect(await as('b', notes)).toEqual([])
    })

    async function fails(fn: () => Promise<unknown>): Promise<void> {
      await db.transaction(async () => {
        await fn()
        throw new Error('Undone')
      })
    }

    async function twice(): Promise<void> {
      await db.query("insert into orders (number) values ('1')")
      await db.query("insert into orders (number) values ('1')")
    }

    it('belongs to nobody after a statement that took too long, or was ended by hand', async ({
      skip,
    }) => {
      skip(database.isEmbedded, UNINTERRUPTED)
      await as('a', () => add('of a'))
      const slow = db.transaction.bind(db, async () => {
        await add('gone')
        await db.query("select set_config('statement_timeout', '20', true)")
        await db.query('select pg_sleep(600)')
      })
      await expect(as('b', slow)).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' })
      expect(await leftovers()).toEqual([])
      const cancelled = as('b', () => db.query('select pg_sleep(601)'))
      const [outcome] = await Promise.allSettled([cancelled, cancelSleeper(database, 601)])
      expect(outcome.status).toBe('rejected')
      expect(await leftovers()).toEqual([])
      expect(await as('b', notes)).toEqual([])
      expect(await as('a', notes)).toEqual(['of a'])
    })

    it('runs no plan in another’s name than its own', async () => {
      await as('a', () => add('of a'))
      await as('b', () => add('of b'))
      const run = async () => (await db.query('execute notes')).rows
      await db.withTenantTransaction('a', async () => {
        await db.query(`prepare notes as ${NOTES}`)
        // Often enough for PostgreSQL to keep one plan for all.
        for (let time = 0; time < 8; time++) {
          expect(await run()).toEqual([{ note: 'of a' }])
          const all = await db.withoutTenant('for the test', run)
          expect(all).toEqual([{ note: 'of a' }, { note: 'of b' }])
        }
      })
      await expect(as('b', run)).rejects.toMatchObject({ code: '26000' })
    })

    it('is not that of what a statement says of itself', async () => {
      await as('a', () => add('of a'))
      await as('b', () => db.query("select set_config('app.tenant_id', 'a', false)"))
      expect(await as('c', notes)).toEqual([])
      const { rows } = await db.query('select count_orders() as count')
      expect(rows).toEqual([{ count: 0 }])
      await as('b', () => db.query("select set_config('app.tenant_id', '', false)"))
    })

    describe('of nobody', () => {
      it.each([
        'select * from orders',
        'SELECT * FROM ORDERS',
        'select * from public.orders',
        'select * from "orders"',
        'select 1 from plans, orders',
        "insert into orders (note) values ('x')",
        'insert into orders default values',
        "update orders set note = 'x'",
        'delete from orders',
        'with gone as (delete from orders returning *) select * from gone',
      ])('is told that a tenant is missing: %s', async (text) => {
        await as('a', () => add('of a'))
        await expect(db.query(text)).rejects.toMatchObject({ code: 'TENANT_REQUIRED' })
        expect(await as('a', notes)).toEqual(['of a'])
      })

      it.each([
        ['a function', 'select count_orders() as count'],
        ['a comment', 'select count(*)::int as count from/**/orders'],
        ['escapes', 'select count(*)::int as count from U&"ord\\0065rs"'],
        ['what is not written', 'select count(*)::int as count from pg_catalog.pg_class c, orders'],
      ])('sees no row through %s', async (_, text) => {
        await as('a', () => add('of a'))
        const seen = await db.query<{ count: number }>(text).then(
          ({ rows }) => rows[0]?.count,
          (error) => error.code,
        )
        expect([0, 'TENANT_REQUIRED']).toContain(seen)
      })

      it('sees what belongs to no tenant', async () => {
        const { rows } = await db.query('select name from plans order by name')
        expect(rows).toEqual([{ name: 'large' }, { name: 'small' }])
      })

      it('adds no row, however it is written', async () => {
        await database.asOwner(`create or replace function add_order() returns void language sql
          as 'insert into orders default values'`)
        await expect(db.query('select add_order()')).rejects.toThrow()
        expect(await database.look('select 1 from orders')).toEqual([])
      })
    })

    describe('of a tenant', () => {
      beforeEach(async () => {
        await as('a', () => add('of a'))
        await as('b', () => add('of b'))
      })

      it('adds nothing in another’s name', async () => {
        const insert = "insert into orders (tenant_id, note) values ('a', 'by b')"
        await expect(as('b', () => db.query(insert))).rejects.toMatchObject({ code: '42501' })
        for (const tenant of ['null', "''"]) {
          const text = `insert into orders (tenant_id, note) values (${tenant}, 'by b')`
          await expect(as('b', () => db.query(text))).rejects.toThrow(PostgresError)
        }
        expect(await database.look(NOTES)).toEqual([{ note: 'of a' }, { note: 'of b' }])
      })

      it('gives nothing away, and takes nothing', async () => {
        const give = as('b', () => db.query("update orders set tenant_id = 'a'"))
        await expect(give).rejects.toMatchObject({ code: '42501' })
        const take = await as('b', () =>
          db.query("update orders set tenant_id = 'b' where tenant_id = 'a'"),
        )
        expect(take.rowCount).toBe(0)
        expect(await as('a', notes)).toEqual(['of a'])
        expect(await as('b', notes)).toEqual(['of b'])
      })

      it('changes and removes its own rows alone', async () => {
        expect((await as('b', () => db.query("update orders set note = 'new'"))).rowCount).toBe(1)
        expect((await as('b', () => db.query('delete from orders'))).rowCount).toBe(1)
        expect(
          (await as('b', () => db.query("delete from orders where tenant_id = 'a'"))).rowCount,
        ).toBe(0)
        expect(await as('a', notes)).toEqual(['of a'])
      })

      it('refers to no row of another', async () => {
        const [order] = await database.look("select id from orders where tenant_id = 'a'")
        const text = 'insert into items (order_id) values ($1)'
        const refer = (tenant: string) => as(tenant, () => db.query(text, [order?.id]))
        await expect(refer('b')).rejects.toMatchObject({ code: '23503' })
        expect((await refer('a')).rowCount).toBe(1)
      })

      it('cannot ask whether another has a key', async () => {
        const text = "insert into orders (code) values ('K')"
        await as('a', () => db.query(text))
        expect((await as('b', () => db.query(text))).rowCount).toBe(1)
        await expect(as('b', () => db.query(text))).rejects.toMatchObject({ code: '23505' })
      })

      it('changes no table, no policy and no role', async () => {
        for (const text of [
          'alter table orders disable row level security',
          'alter table orders no force row level security',
          'drop policy orders_tenant on orders',
          'create policy mine on orders using (true)',
          'drop table orders',
          'truncate orders',
          'create role somebody superuser',
          'grant app_all_tenants to public',
          'set row_security = off',
        ]) {
          const whole = as('b', () =>
            db.transaction(async () => {
              await db.query(text)
              await db.query('select * from orders')
            }),
          )
          await expect(whole, text).rejects.toThrow(PostgresError)
        }
        expect(await as('b', notes)).toEqual(['of b'])
      })

      it('is all tenants’ where that is said, with a reason', async () => {
        expect(await db.withoutTenant('for the test', notes)).toEqual(['of a', 'of b'])
        expect(await as('a', () => db.withoutTenant('for the test', notes))).toEqual([
          'of a',
          'of b',
        ])
        expect(await as('a', () => runWithoutTenant('for the test', notes))).toEqual([
          'of a',
          'of b',
        ])
        expect(await as('a', notes)).toEqual(['of a'])
        expect(await leftovers()).toEqual([])
        await expect(async () => db.withoutTenant(' ', notes)).rejects.toThrow(TypeError)
        const said = app.logs.filter(({ message }) => message === 'Run without a tenant')
        expect(said.length).toBeGreaterThanOrEqual(2)
      })
    })
  })
}

/** The connections on which something of somebody's is left. */
export function dirtyOf(leftovers: readonly Leftover[]): Leftover[] {
  return leftovers.filter(
    (one) => one.tenant || one.role !== one.login || one.settings !== null || one.isInTransaction,
  )
}

/** Ends, by hand, the statement that sleeps for so many seconds. Nothing else is hit: it cannot end before. */
export async function cancelSleeper(
  database: TenantDatabase,
  seconds: number,
  how: 'cancel' | 'terminate' = 'cancel',
): Promise<void> {
  const text = `select pg_${how}_backend(pid) from pg_stat_activity
    where state = 'active' and pid <> pg_backend_pid() and query like $1`
  await until(async () => {
    const hit = await database.look(text, [`select pg_sleep(${seconds})%`])
    return hit.length > 0
  })
}
