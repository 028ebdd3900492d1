import { runWithTenant } from 'blazon'
import { Database } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TenantDatabase } from './tenant-database.js'

/** What one tenant does, what another would then find, and what there is if it finds nothing. */
const TRACES: [name: string, leave: string, find: string, nothing: unknown][] = [
  ['a temporary table', 'create temp table own (n) as select 1', 'table own', '42P01'],
  [
    'one that hides another',
    "create temporary table orders as select 'x' as note",
    'select note from orders',
    [],
  ],
  ['one of a query', "select 'of a' as note into temp own", 'table own', '42P01'],
  ['one by its schema', 'create table pg_temp.own (n int)', 'table own', '42P01'],
  ['a temporary view', 'create or replace temp view own as select 1', 'table own', '42P01'],
  ['a cursor', 'declare own cursor with hold for select 1', 'fetch all from own', '34000'],
  [
    'a lock',
    'select pg_advisory_lock(4712)',
    "select 1 from pg_locks where locktype = 'advisory' and objid = 4712",
    [],
  ],
  [
    'a time zone',
    "set time zone 'Asia/Tokyo'",
    "select 1 where current_setting('timezone') = 'Asia/Tokyo'",
    [],
  ],
  ['a path', 'set search_path = pg_catalog', 'select note from orders', []],
  [
    'a setting',
    "select set_config('own.note', 'of a', false)",
    "select 1 where current_setting('own.note', true) <> ''",
    [],
  ],
  ['who listens', 'listen own', 'select pg_listening_channels()', []],
]

/** What is no trace. */
const NO_TRACES = [
  'set local search_path = public',
  "select set_config('own.note', 'of a', true)",
  'create temp table own (n int) on commit drop',
  'select pg_advisory_xact_lock(4713)',
  "select 'temp' as temp",
]

/** What a tenant's statements leave in a session, which the next one is given. */
export function describeTraces(databaseOf: () => TenantDatabase): void {
  describe('a connection', () => {
    let database: TenantDatabase
    let app: TestApp
    beforeAll(async () => {
      database = databaseOf()
      app = await database.start({ tenant: {} }, { connections: 1 })
      await database.asOwner('truncate orders, items')
    })
    afterAll(() => app.close())

    const ask = (tenant: string, text: string) =>
      runWithTenant(tenant, () => app.get(Database).query(text)).then(
        ({ rows }) => rows,
        ({ code }) => code,
      )

    it.each(TRACES)('is not lent with what is left in it: %s', async (_, leave, find, nothing) => {
      // Behind a pooler, connections are the pooler's.
      if (database.isPooled) return
      await runWithTenant('a', () => app.get(Database).query(leave))
      expect(await ask('b', find)).toEqual(nothing)
      await runWithTenant('a', () =>
        app.get(Database).transaction(() => app.get(Database).query(leave)),
      )
      expect(await ask('b', find)).toEqual(nothing)
    })

    it('is lent again where nothing is left in it', async () => {
      if (database.isPooled || database.isEmbedded) return
      const process = 'select pg_backend_pid() as pid'
      const before = await ask('b', process)
      for (const text of NO_TRACES) {
        await runWithTenant('a', () =>
          app.get(Database).transaction(() => app.get(Database).query(text)),
        )
      }
      expect(await ask('b', process)).toEqual(before)
    })
  })
}
