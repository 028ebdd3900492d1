import { runWithoutTenant, runWithTenant } from 'blazon'
import { Database, PostgresError } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../integrations/until.js'
import type { Leftover, TenantDatabase } from './tenant-database.js'

/** Why a test is skipped on an embedded database. */
export const UNINTERRUPTED = 'PGlite cannot interrupt a statement.'

const NOTES = 'select note from orders order by note'

/** Which rows the statements of a tenant see, and what they leave in the session. */
export function describeSessions(databaseOf: () => TenantDatabase): void {
  describe('a database session', () => {
    let database: TenantDatabase
    let app: TestApp
    let db: Database
    beforeAll(async () => {
      database = databaseOf()
      // With one connection, each transaction would find the traces of the former one.
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

    it('shows tenants that take turns on one connection only their own rows', async () => {
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
      [
        'a transaction with a refused statement',
        () => fails(() => db.query('select nothing from nowhere')),
      ],
      ['a nested transaction that throws', () => fails(() => fails(() => add('gone')))],
      ['a commit that is refused', () => db.transaction(twice)],
    ])('keeps no tenant, role or setting after %s', async (_, fail) => {
      await as('a', () => add('of a'))
      await expect(as<unknown>('b', fail)).rejects.toThrow()
      expect(await leftovers()).toEqual([])
      // The connection is still open, so no other one was made.
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

    it('keeps no tenant, role or setting after a statement that timed out or was canceled', async ({
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

    it('applies the policies of the current tenant or role to a prepared statement', async () => {
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

    it('does not use a tenant that an earlier statement set with set_config()', async () => {
      await as('a', () => add('of a'))
      await as('b', () => db.query("select set_config('app.tenant_id', 'a', false)"))
      expect(await as('c', notes)).toEqual([])
      const { rows } = await db.query('select count_orders() as count')
      expect(rows).toEqual([{ count: 0 }])
      await as('b', () => db.query("select set_config('app.tenant_id', '', false)"))
    })

    describe('without a tenant', () => {
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
      ])('rejects a statement on a tenant table with TENANT_REQUIRED: %s', async (text) => {
        await as('a', () => add('of a'))
        await expect(db.query(text)).rejects.toMatchObject({ code: 'TENANT_REQUIRED' })
        expect(await as('a', notes)).toEqual(['of a'])
      })

      it.each([
        ['a function', 'select count_orders() as count'],
        ['a comment', 'select count(*)::int as count from/**/orders'],
        ['an escaped name', 'select count(*)::int as count from U&"ord\\0065rs"'],
        [
          'a join with a catalog',
          'select count(*)::int as count from pg_catalog.pg_class c, orders',
        ],
      ])('sees no row through %s', async (_, text) => {
        await as('a', () => add('of a'))
        const seen = await db.query<{ count: number }>(text).then(
          ({ rows }) => rows[0]?.count,
          (error) => error.code,
        )
        expect([0, 'TENANT_REQUIRED']).toContain(seen)
      })

      it('reads a table that belongs to no tenant', async () => {
        const { rows } = await db.query('select name from plans order by name')
        expect(rows).toEqual([{ name: 'large' }, { name: 'small' }])
      })

      it('cannot add a row through a function', async () => {
        await database.asOwner(`create or replace function add_order() returns void language sql
          as 'insert into orders default values'`)
        await expect(db.query('select add_order()')).rejects.toThrow()
        expect(await database.look('select 1 from orders')).toEqual([])
      })
    })

    describe('with a tenant', () => {
      beforeEach(async () => {
        await as('a', () => add('of a'))
        await as('b', () => add('of b'))
      })

      it('cannot insert a row of another tenant', async () => {
        const insert = "insert into orders (tenant_id, note) values ('a', 'by b')"
        await expect(as('b', () => db.query(insert))).rejects.toMatchObject({ code: '42501' })
        for (const tenant of ['null', "''"]) {
          const text = `insert into orders (tenant_id, note) values (${tenant}, 'by b')`
          await expect(as('b', () => db.query(text))).rejects.toThrow(PostgresError)
        }
        expect(await database.look(NOTES)).toEqual([{ note: 'of a' }, { note: 'of b' }])
      })

      it('cannot move a row to or from another tenant', async () => {
        const give = as('b', () => db.query("update orders set tenant_id = 'a'"))
        await expect(give).rejects.toMatchObject({ code: '42501' })
        const take = await as('b', () =>
          db.query("update orders set tenant_id = 'b' where tenant_id = 'a'"),
        )
        expect(take.rowCount).toBe(0)
        expect(await as('a', notes)).toEqual(['of a'])
        expect(await as('b', notes)).toEqual(['of b'])
      })

      it('updates and deletes only its own rows', async () => {
        expect((await as('b', () => db.query("update orders set note = 'new'"))).rowCount).toBe(1)
        expect((await as('b', () => db.query('delete from orders'))).rowCount).toBe(1)
        expect(
          (await as('b', () => db.query("delete from orders where tenant_id = 'a'"))).rowCount,
        ).toBe(0)
        expect(await as('a', notes)).toEqual(['of a'])
      })

      it('cannot refer to a row of another tenant', async () => {
        const [order] = await database.look("select id from orders where tenant_id = 'a'")
        const text = 'insert into items (order_id) values ($1)'
        const refer = (tenant: string) => as(tenant, () => db.query(text, [order?.id]))
        await expect(refer('b')).rejects.toMatchObject({ code: '23503' })
        expect((await refer('a')).rowCount).toBe(1)
      })

      it('cannot detect whether another tenant uses a unique value', async () => {
        const text = "insert into orders (code) values ('K')"
        await as('a', () => db.query(text))
        expect((await as('b', () => db.query(text))).rowCount).toBe(1)
        await expect(as('b', () => db.query(text))).rejects.toMatchObject({ code: '23505' })
      })

      it('cannot change tables, policies or roles', async () => {
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

      it('reads the rows of all tenants only in withoutTenant() or runWithoutTenant(), with a reason', async () => {
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
        const logged = app.logs.filter(({ message }) => message === 'Run without a tenant')
        expect(logged.length).toBeGreaterThanOrEqual(2)
      })
    })
  })
}

/** The connections on which a tenant, a role, a setting or a transaction is left. */
export function dirtyOf(leftovers: readonly Leftover[]): Leftover[] {
  return leftovers.filter(
    (one) => one.tenant || one.role !== one.login || one.settings !== null || one.isInTransaction,
  )
}

/** Cancels the statement that sleeps for this number of seconds, or ends its connection. No other statement matches. */
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
