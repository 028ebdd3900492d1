import { runWithTenant } from 'blazon'
import { Database } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TenantDatabase } from './tenant-database.js'

type Trace = [name: string, leave: string, find: string, nothing: unknown]

/** Finds a search path without the schema `public`: the trace of `set search_path = pg_catalog`. */
const PATH_OF_TEMPORARY = "select 1 where current_setting('search_path') not like '%public%'"

/** A statement of one tenant, a query of another tenant for its trace, and the result of the query without a trace. */
const TRACES: Trace[] = [
  ['a temporary table', 'create temp table own (n) as select 1', 'table own', '42P01'],
  [
    'a temporary table that hides another table',
    "create temporary table orders as select 'x' as note",
    'select note from orders',
    [],
  ],
  [
    'a temporary table made by a query',
    "select 'of a' as note into temp own",
    'table own',
    '42P01',
  ],
  [
    'a temporary table named by its schema',
    'create table pg_temp.own (n int)',
    'table own',
    '42P01',
  ],
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
  ['a search path', 'set search_path = pg_catalog', 'select note from orders', []],
  [
    'a setting',
    "select set_config('own.note', 'of a', false)",
    "select 1 where current_setting('own.note', true) <> ''",
    [],
  ],
  ['a channel', 'listen own', 'select pg_listening_channels()', []],
  ['a prepared statement', 'prepare own as select 1', 'execute own', '26000'],
  ...[
    '/* c */ set search_path = pg_catalog',
    '/* a /* b */ c */\n set search_path to pg_catalog',
    '--\nset search_path = pg_catalog',
    '-- c\r\nset session search_path = pg_catalog',
    ';;set search_path = pg_catalog',
    'SET/**/SEARCH_PATH=pg_catalog',
    "select set_config('search_path', 'pg_catalog', false)",
    "select pg_catalog.set_config('search_path', 'pg_catalog', false)",
    "select \"set_config\"('search_path', 'pg_catalog', false)",
    "select pg_catalog . \"set_config\" /* c */ ( 'search_path', 'pg_catalog', false )",
    "select U&\"set\\005Fconfig\"('search_path', 'pg_catalog', false)",
    "select set_config --\n ('search_path', 'pg_catalog', false)",
    "select set_config('search_path', 'pg_catalog', 1 = 2)",
    "select set_config('search_path', 'pg_catalog', not true)",
    "select set_config('search_path', 'pg_catalog', (select false))",
    "select * from set_config('search_path', 'pg_catalog', false)",
    "with own as (select set_config('search_path', 'pg_catalog', false)) select * from own",
    "values (set_config('search_path', 'pg_catalog', false))",
    'do $$ begin set search_path = pg_catalog; end $$',
    "do $$ begin perform set_config('search_path', 'pg_catalog', false); end $$",
    "do $own$ begin execute 'set sea' || 'rch_path = pg_catalog'; end $own$",
    'select leave_path()',
    'call leave_path_by_procedure()',
    "insert into items (order_id) select 0 where leave_path() = 'x'",
    "explain analyze select set_config('search_path', 'pg_catalog', false)",
  ].map((text): Trace => [`a search path: ${text}`, text, PATH_OF_TEMPORARY, []]),
  ...[
    'create /* c */ temp table orders (note text)',
    "select 'of a' as note into temp orders",
    "select 'of a' as note into /* c */ temporary table orders",
    'create table pg_temp.orders (note text)',
    'create table "pg_temp".orders (note text)',
    'create /* c */ temporary view orders as select 1 as note',
  ].map(
    (text): Trace => [`a temporary table or view: ${text}`, text, 'select note from orders', []],
  ),
  [
    'a timeout',
    "do $$ begin perform set_config('statement_timeout', '1234', false); end $$",
    "select 1 where current_setting('statement_timeout') = '1234ms'",
    [],
  ],
  [
    'a setting made by a DO block',
    "do $$ begin perform set_config('own.note', 'of a', false); end $$",
    "select 1 where current_setting('own.note', true) <> ''",
    [],
  ],
  [
    'a lock made by a DO block',
    'do $$ begin perform pg_advisory_lock(4714); end $$',
    "select 1 from pg_locks where locktype = 'advisory' and objid = 4714",
    [],
  ],
  [
    'a cursor with comments in its statement',
    'declare own cursor /* c */ with /* c */ hold for select 1',
    'fetch all from own',
    '34000',
  ],
  ['a channel after a comment', '/* c */ listen own', 'select pg_listening_channels()', []],
  [
    'the syntax of strings',
    '/**/set standard_conforming_strings = off',
    "select 1 where current_setting('standard_conforming_strings') = 'off'",
    [],
  ],
]

/** A function, a procedure and a trigger that change the session. The statements that run them do not show it. */
const LEAVING = `
create or replace function leave_path() returns text language sql as
  $$ select pg_catalog.set_config('search_path', 'pg_catalog', false) $$;
create or replace procedure leave_path_by_procedure() language plpgsql as
  $$ begin perform set_config('search_path', 'pg_catalog', false); end $$;
drop table if exists leavers;
create table leavers (name text, value text);
grant insert on leavers to app_tenant;
create or replace function leave() returns trigger language plpgsql as $$
begin
  if new.name = 'temporary' then
    execute format('create temporary table %I as select ''of a'' as note, ''b'' as tenant_id', new.value);
  else
    perform set_config(new.name, new.value, false);
  end if;
  return null;
end $$;
create trigger leave before insert on leavers for each row execute function leave();`

/** Statements that leave no trace. */
const NO_TRACES = [
  'set local search_path = public',
  "select set_config('own.note', 'of a', true)",
  'create temp table own (n int) on commit drop',
  'select pg_advisory_xact_lock(4713)',
  "select 'temp' as temp",
]

/** What the statements of a tenant leave in a session that the next tenant uses. */
export function describeTraces(databaseOf: () => TenantDatabase): void {
  describe('a connection', () => {
    let database: TenantDatabase
    let app: TestApp
    beforeAll(async () => {
      database = databaseOf()
      app = await database.start({ tenant: {} }, { connections: 1 })
      await database.asOwner('truncate orders, items')
      await database.asOwner(LEAVING)
    })
    afterAll(() => app.close())

    const ask = (tenant: string, text: string) =>
      runWithTenant(tenant, () => app.get(Database).query(text)).then(
        ({ rows }) => rows,
        ({ code }) => code,
      )

    it.each(TRACES)(
      'is lent without traces of an earlier tenant: %s',
      async (_, leave, find, nothing) => {
        await runWithTenant('a', () => app.get(Database).query(leave))
        expect(await ask('b', find)).toEqual(nothing)
        await runWithTenant('a', () =>
          app.get(Database).transaction(() => app.get(Database).query(leave)),
        )
        expect(await ask('b', find)).toEqual(nothing)
      },
    )

    it.each([
      "insert into leavers values ('search_path', 'pg_catalog')",
      "insert into leavers values ('row_security', 'off')",
      "insert into leavers values ('statement_timeout', '200')",
      "insert into leavers values ('idle_in_transaction_session_timeout', '1')",
      "insert into leavers values ('app.tenant_id', 'a')",
      "insert into leavers values ('role', 'app_all_tenants')",
      "insert into leavers values ('temporary', 'orders')",
    ])(
      'shows each tenant only its own rows after a trigger has changed the session: %s',
      async (leave) => {
        await database.asOwner('truncate orders, items, leavers')
        await runWithTenant('a', () =>
          app.get(Database).query("insert into orders (note) values ('of a')"),
        )
        // The statement does not show what its trigger does. PostgreSQL refuses some of these statements.
        await runWithTenant('a', () => app.get(Database).query(leave)).catch(() => {})
        const notes = 'select note, tenant_id from orders'
        expect(await ask('b', notes)).toEqual([])
        await runWithTenant('b', () =>
          app.get(Database).query("insert into orders (note) values ('of b')"),
        )
        const inTransaction = await app.get(Database).withTenantTransaction('b', async () => {
          const { rows } = await app.get(Database).query(notes)
          return rows
        })
        expect(inTransaction).toEqual([{ note: 'of b', tenant_id: 'b' }])
        const all = await database.look('select note, tenant_id from public.orders order by note')
        expect(all).toEqual([
          { note: 'of a', tenant_id: 'a' },
          { note: 'of b', tenant_id: 'b' },
        ])
        const limit = "select current_setting('statement_timeout') as limit"
        expect(await ask('b', limit)).toEqual([{ limit: '10s' }])
        // After a statement that may leave a trace, the session is cleaned.
        await ask('b', 'do $$ begin end $$')
        await database.asOwner('truncate orders, items, leavers')
      },
    )

    it('keeps no role, setting or transaction after it is released', async () => {
      await ask('b', 'do $$ begin end $$')
      const db = app.get(Database)
      const uses = [
        () => runWithTenant('a', () => db.query('select 1')),
        () => runWithTenant('a', () => db.query('select 1 / 0')),
        () => db.withTenantTransaction('a', () => db.query('select 1')),
        () => db.withTenantTransaction('a', () => db.query('select 1 / 0')),
        () => db.withoutTenant('the test', () => db.query('select 1')),
      ]
      for (const use of uses) {
        await use().catch(() => {})
        // Reads the state on the connection itself, as the next caller would find it.
        const [left] = await database.leftovers()
        expect(left).toMatchObject({ settings: null, isInTransaction: false })
        expect(left?.role).toBe(left?.login)
      }
    })

    it('is lent again after statements that leave no trace', async () => {
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
