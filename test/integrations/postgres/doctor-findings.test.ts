import { ConfigError } from 'blazon'
import { PostgresError, tenantTable } from 'blazon/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  assertIsolation,
  inspectDatabase,
} from '../../../src/integrations/postgres/doctor/inspect-database.js'
import type { Connection, Driver } from '../../../src/integrations/postgres/driver.js'
import { ensureRoles } from '../../../src/integrations/postgres/roles.js'
import { type OwnDatabase, ownEmbeddedDatabase } from './own-database.js'

const ROLES = { tenantRole: 'one', allTenantsRole: 'every' }
const MINE = "tenant_id = (select nullif(current_setting('app.tenant_id', true), ''))"
const TENANT = "tenant_id text not null default nullif(current_setting('app.tenant_id', true), '')"
const ITEMS = tenantTable('items', { ...ROLES, columns: ['note text'] })
const CORRECT =
  'Correct the other problems of this table. If there are none, check its policies, triggers and defaults.'
const COMPARE =
  "Drop the policy, or make it compare a column of the type text, uuid or integer without a cast: tenant_id = (select nullif(current_setting('app.tenant_id', true), '')). PostgreSQL combines the policies of a table with OR."

let database: OwnDatabase
let connection: Connection

beforeAll(async () => {
  database = await ownEmbeddedDatabase()
  const setup = await database.driver.connect()
  await setup.script('begin')
  await ensureRoles(setup, ROLES)
  await setup.script(tenantTable('orders', { ...ROLES, columns: ['note text'] }))
  await setup.script('commit')
  setup.release()
})
afterAll(() => database?.[Symbol.asyncDispose]())
beforeEach(async () => {
  connection = await database.driver.connect()
})
afterEach(() => connection.release())

/** The connection, on which the transactions of the doctor are savepoints in the transaction of the test. */
function within(query: Connection['query'] = (statement) => connection.query(statement)) {
  const script = (text: string) => {
    const begun = text.replace(/^begin( read only)?/, 'savepoint doctor')
    return connection.script(begun.replace(/^rollback$/, 'rollback to savepoint doctor'))
  }
  const sendTogether: Connection['sendTogether'] = (statements) =>
    connection.sendTogether(statements)
  const none = () => {}
  return { isLost: false, script, query, sendTogether, release: none, destroy: none } as Connection
}

/** Runs a function after a change, which is rolled back. */
async function afterChange<T>(change: string, run: () => Promise<T>): Promise<T> {
  await connection.script(`begin; ${change}`)
  try {
    return await run()
  } finally {
    await connection.script('rollback')
  }
}

const OPTIONS = { ...ROLES, isEmbedded: true }

// Each finding: its code and its subject, its cause, and its remedy.
const CASES: [what: string, change: string, findings: string[]][] = [
  ['a table without mistakes', 'select 1', []],
  [
    'a partition that statements can reach without its parent table',
    `create table parts (${TENANT}, kind int, primary key (tenant_id, kind)) partition by list (kind); create table part partition of parts for values in (1); alter table part alter column tenant_id drop default; alter table parts enable row level security, force row level security; create policy p on parts to one using (${MINE}) with check (${MINE}); grant select, insert on parts to one; grant select on part to one`,
    [
      'E_DATABASE_RLS table public.part | Row-level security is off: every role that can access the table sees the rows of every tenant. The policies of its parent table apply only to statements that use the name of the parent. | Protect it with the SQL that npx blazon db table part --existing prints.',
    ],
  ],
  [
    'policies that compare different columns',
    `create table owned (a text, b text); alter table owned enable row level security, force row level security; create policy p on owned for select to one using (${MINE.replace('tenant_id', 'a')}); create policy q on owned for select to one using (${MINE.replace('tenant_id', 'b')}); grant select on owned to one`,
    [
      `E_DATABASE_POLICY policy q of table public.owned | It grants the role one access to rows where (b = ( SELECT NULLIF(current_setting('app.tenant_id'::text, true), ''::text) AS "nullif")). That condition has no comparison that is known to isolate tenants. | ${COMPARE}`,
    ],
  ],
  [
    'a policy for updates that does not check written rows',
    `drop policy orders_tenant on orders; create policy p on orders for update to one using (${MINE}); create policy q on orders for delete to one using (${MINE})`,
    [
      `E_DATABASE_POLICY policy p of table public.orders | It does not check written rows: it has USING, but no WITH CHECK. | alter policy p on public.orders with check ((tenant_id = ( SELECT NULLIF(current_setting('app.tenant_id'::text, true), ''::text) AS "nullif")));`,
    ],
  ],
  [
    'five large objects',
    `select lo_create(70000 + n) from generate_series(1, 5) n; do $$ begin for n in 70001..70005 loop execute format('grant select on large object %s to one', n); end loop; end $$`,
    [
      'E_DATABASE_GRANT large objects 70001, 70002, 70003, 70004, 70005 | Policies do not protect large objects: the role one can access them, even if another tenant has written the data. | Store such values in a column of the type bytea. Then run: select lo_unlink(70001); select lo_unlink(70002); select lo_unlink(70003); select lo_unlink(70004); select lo_unlink(70005);',
    ],
  ],
  [
    'more than five large objects',
    `select lo_create(70000 + n) from generate_series(1, 7) n; do $$ begin for n in 70001..70007 loop execute format('grant select on large object %s to one', n); end loop; end $$`,
    [
      'E_DATABASE_GRANT large objects 70001, 70002, 70003, 70004, 70005, … | Policies do not protect large objects: the role one can access them, even if another tenant has written the data. | Store such values in a column of the type bytea. Then run: select lo_unlink(70001); select lo_unlink(70002); select lo_unlink(70003); select lo_unlink(70004); select lo_unlink(70005);',
    ],
  ],
  [
    'an index of the tenant with a condition, and an index with the tenant in second place',
    "alter table orders drop constraint orders_pkey; create index on orders (tenant_id) where note = 'a'; create index on orders (note, tenant_id)",
    [
      'E_DATABASE_INDEX table public.orders | No index begins with tenant_id: each query of a tenant scans the rows of all tenants. | create index on public.orders (tenant_id), or change the primary key to (tenant_id, id).',
    ],
  ],
  [
    'a policy for all rows, without writing to a table with a rule',
    'create policy p on orders for insert to one with check (true); create rule r as on insert to orders do also notify written',
    [
      `E_DATABASE_POLICY policy p of table public.orders | It grants the role one access to rows where true. That condition has no comparison that is known to isolate tenants. | ${COMPARE}`,
    ],
  ],
  [
    'a policy for all rows, without writing to a table with a trigger',
    `create policy p on orders for insert to one with check (true); create function f() returns trigger language plpgsql as 'begin return new; end'; create trigger t before insert on orders for each row execute function f()`,
    [
      `E_DATABASE_POLICY policy p of table public.orders | It grants the role one access to rows where true. That condition has no comparison that is known to isolate tenants. | ${COMPARE}`,
    ],
  ],
  [
    'a table whose row-level security is off',
    'alter table orders disable row level security; revoke all on orders from one',
    [
      'E_DATABASE_RLS table public.orders | Row-level security is off: every role that can access the table sees the rows of every tenant. | Protect it with the SQL that npx blazon db table orders --existing prints.',
    ],
  ],
  [
    'a table whose row-level security is not forced',
    'alter table orders no force row level security',
    [
      'E_DATABASE_RLS table public.orders | Row-level security is not forced: its owner sees the rows of every tenant. | alter table public.orders force row level security;',
    ],
  ],
  [
    'a table without a policy',
    'drop policy orders_tenant on orders',
    [
      'E_DATABASE_POLICY table public.orders | It has no policy for the role one, which therefore cannot read any of its rows. | Add the policy that npx blazon db table orders --existing prints.',
    ],
  ],
  [
    'a policy that does not check written rows',
    `drop policy orders_tenant on orders; create policy p on orders to one using (${MINE})`,
    [
      `E_DATABASE_POLICY policy p of table public.orders | It does not check written rows: it has USING, but no WITH CHECK. | alter policy p on public.orders with check ((tenant_id = ( SELECT NULLIF(current_setting('app.tenant_id'::text, true), ''::text) AS "nullif")));`,
    ],
  ],
  [
    'a policy for all rows',
    'create policy p on orders for select to one using (true)',
    [
      `E_DATABASE_POLICY policy p of table public.orders | It grants the role one access to rows where true. That condition has no comparison that is known to isolate tenants. | ${COMPARE}`,
      `E_DATABASE_CANARY table public.orders | The doctor tested this table: as the role one, one tenant sees rows of another. | ${CORRECT}`,
      `E_DATABASE_CANARY table public.orders | The doctor tested this table: as the role one, code without a tenant sees rows of a tenant. | ${CORRECT}`,
    ],
  ],
  [
    'a tenant column of a type that ignores blanks',
    `drop policy orders_tenant on orders; alter table orders alter column tenant_id type char(20); create policy p on orders to one using (${MINE}) with check (${MINE})`,
    [
      'E_DATABASE_COLUMN table public.orders | tenant_id is of the type character: the operator = can treat different values as equal. | Use the type text, uuid or integer. Drop the policies, and then: alter table public.orders alter column tenant_id type text collate "default";',
      `E_DATABASE_POLICY policy p of table public.orders | It grants the role one access to rows where ((tenant_id)::text = ( SELECT NULLIF(current_setting('app.tenant_id'::text, true), ''::text) AS "nullif")). That condition has no comparison that is known to isolate tenants. | ${COMPARE}`,
    ],
  ],
  [
    'a tenant column that can be null and has no default',
    'alter table orders drop constraint orders_pkey; create index on orders (tenant_id); alter table orders alter column tenant_id drop not null; alter table orders alter column tenant_id drop default',
    [
      'E_DATABASE_COLUMN table public.orders | tenant_id can be null: a row with null belongs to no tenant, and no tenant can read it. | alter table public.orders alter column tenant_id set not null;',
      "E_DATABASE_COLUMN table public.orders | tenant_id has no default: each INSERT must specify the tenant. | alter table public.orders alter column tenant_id set default nullif(current_setting('app.tenant_id', true), '');",
    ],
  ],
  [
    'a table without an index of the tenant',
    'alter table orders drop constraint orders_pkey',
    [
      'E_DATABASE_INDEX table public.orders | No index begins with tenant_id: each query of a tenant scans the rows of all tenants. | create index on public.orders (tenant_id), or change the primary key to (tenant_id, id).',
    ],
  ],
  [
    'privileges that row-level security does not restrict',
    'grant truncate, trigger, references on orders to one',
    [
      'E_DATABASE_GRANT table public.orders | The role one has privileges that row-level security does not restrict: TRUNCATE, TRIGGER, REFERENCES. | revoke truncate, trigger, references on public.orders from public, one;',
    ],
  ],
  [
    'keys without the tenant',
    `${ITEMS}; alter table orders add unique (note); alter table orders add other bigint, add unique (id); alter table items add other bigint references orders (id); alter table items add constraint apart exclude using btree (note with =)`,
    [
      'W_DATABASE_KEY foreign key items_other_fkey of table public.items | It does not include tenant_id: a row can refer to a row of another tenant in public.orders, so a tenant can find out whether that other row exists. | Change it to: foreign key (tenant_id, …) references public.orders (tenant_id, …).',
      'W_DATABASE_KEY unique index orders_note_key of table public.orders | It does not include tenant_id: a value that one tenant uses is unavailable to all other tenants, and each of them can find out that the value is in use. | Change it to: unique (tenant_id, …).',
      'W_DATABASE_KEY exclusion constraint apart of table public.items | It does not compare tenant_id with =: a row of one tenant excludes rows of all tenants, and each tenant can find out that the row exists. | Change it to: exclude using gist (tenant_id with =, …). The gist index requires an extension. First run: create extension btree_gist.',
    ],
  ],
  [
    'views that read as their owner',
    'create view seen as select * from orders; create materialized view stored as select * from orders; grant select on seen, stored to one; create view own with (security_invoker) as select * from orders; grant select on own to one',
    [
      'E_DATABASE_VIEW view public.seen | It reads tables as its owner, and not as the role that queries it: the policies for the querying role do not apply. | alter view public.seen set (security_invoker = true);',
      "E_DATABASE_VIEW materialized view public.stored | It contains the rows that its owner has read, which can belong to any tenant, and no policy protects it. | revoke all on public.stored from one; If all tenants are allowed to see the same rows: comment on materialized view public.stored is 'blazon: shared';",
    ],
  ],
  [
    'functions that run as another role or for one tenant',
    `create function count_all() returns bigint language sql security definer as 'select count(*) from orders'; create function as_acme() returns int language sql set app.tenant_id = 'acme' as 'select 1'`,
    [
      'W_DATABASE_FUNCTION function public.as_acme() | It runs with its own setting, app.tenant_id=acme, for every caller. | Make sure that it returns no data of other tenants. Otherwise: revoke execute on function public.as_acme() from public, one;',
      'W_DATABASE_FUNCTION function public.count_all() | It is SECURITY DEFINER: it runs with the privileges of postgres, even if another role calls it. | Make sure that it returns no data of other tenants. Otherwise: revoke execute on function public.count_all() from public, one;',
    ],
  ],
  [
    'tables that all tenants can reach, and their comments',
    `create table plans (name text); create table prices (name text); create table notes (name text); grant select on plans, prices to one; grant select on notes to public; create table news (name text); grant select, insert on news to one; comment on table news is 'blazon: shared'; create table chats (name text); grant select, insert on chats to one; comment on table chats is 'blazon: shared, writable'; create sequence numbers; grant select, usage on numbers to one`,
    [
      "E_DATABASE_REACH table public.notes | The role one can access these rows, and no policy limits them to one tenant by a comparison that is known to isolate tenants. | Add a column tenant_id, and run the SQL that npx blazon db table … --existing prints; or: revoke all on public.notes from public; If all tenants are allowed to see the same rows: comment on table public.notes is 'blazon: shared';",
      "E_DATABASE_REACH tables public.plans, public.prices | The role one can access these rows, and no policy limits them to one tenant by a comparison that is known to isolate tenants. | Add a column tenant_id, and run the SQL that npx blazon db table … --existing prints; or: revoke all on public.plans, public.prices from one; If all tenants are allowed to see the same rows: comment on table public.plans is 'blazon: shared';",
      'E_DATABASE_REACH table public.news | Its comment allows all tenants to read it, but the role one can also INSERT: all tenants see the changes of one tenant. | revoke insert on public.news from one; or change the comment to: blazon: shared, writable',
      'W_DATABASE_GRANT sequence public.numbers | The role one can read or set a counter that all tenants share. | revoke select, update on sequence public.numbers from one; a column default needs only USAGE.',
    ],
  ],
  [
    'large objects, catalogs and files of the server',
    'select lo_create(70001), lo_create(70002); grant select on large object 70001 to one; grant select on large object 70002 to public; grant select on pg_statistic to one; grant execute on function pg_read_file(text) to one; set local lo_compat_privileges = on',
    [
      'E_DATABASE_GRANT setting lo_compat_privileges | It is on: every role can read and write the large objects of all roles. | Set it to off.',
      'E_DATABASE_GRANT large objects 70001, 70002 | Policies do not protect large objects: the role one can access them, even if another tenant has written the data. | Store such values in a column of the type bytea. Then run: select lo_unlink(70001); select lo_unlink(70002);',
      'E_DATABASE_GRANT catalog pg_catalog.pg_statistic | The role one can access this catalog, which contains values from the rows of all tenants. | revoke all on pg_catalog.pg_statistic from public, one;',
      'E_DATABASE_GRANT function pg_read_file(text) | The role one can call this function, which can read files of the server, including the files of tables. | revoke execute on function pg_catalog.pg_read_file(text) from public, one;',
    ],
  ],
  [
    'privileges to create objects, and default privileges',
    'alter default privileges grant select on tables to one; alter default privileges in schema public grant usage on sequences to public; grant create on schema public to one; create schema shop; grant create on schema shop to one',
    [
      'W_DATABASE_GRANT default privileges on sequences of postgres in schema public | New objects are immediately accessible to public (USAGE), and no policy protects them. | alter default privileges for role postgres in schema public revoke all on sequences from public;',
      'W_DATABASE_GRANT default privileges on tables of postgres | New objects are immediately accessible to one (SELECT), and no policy protects them. | alter default privileges for role postgres revoke all on tables from one;',
      'W_DATABASE_SCHEMA schema public | The role one can create objects in it. Statements could then use those objects instead of your own. | revoke create on schema public from public, one;',
      'W_DATABASE_SCHEMA schema shop | The role one can create objects in it. Statements could then use those objects instead of your own. | revoke create on schema shop from public, one;',
    ],
  ],
  [
    'a role with attributes',
    'alter role one createrole login bypassrls',
    [
      'E_DATABASE_ROLE role one | It has BYPASSRLS: no policy applies to it. | alter role one nobypassrls;',
      'E_DATABASE_ROLE role one | It can log in, but it should only be a role to which logins switch. | alter role one nologin;',
      'E_DATABASE_ROLE role one | It has CREATEROLE: it can make itself a member of other roles. | alter role one nocreaterole;',
      `E_DATABASE_CANARY table public.orders | The doctor tested this table: as the role one, one tenant sees rows of another. | ${CORRECT}`,
      `E_DATABASE_CANARY table public.orders | The doctor tested this table: as the role one, code without a tenant sees rows of a tenant. | ${CORRECT}`,
      `E_DATABASE_CANARY table public.orders | The doctor tested this table: as the role one, one tenant changes rows of another. | ${CORRECT}`,
      `E_DATABASE_CANARY table public.orders | The doctor tested this table: as the role one, code without a tenant changes rows of a tenant. | ${CORRECT}`,
      `E_DATABASE_CANARY table public.orders | The doctor tested this table: as the role one, one tenant deletes rows of another. | ${CORRECT}`,
      `E_DATABASE_CANARY table public.orders | The doctor tested this table: as the role one, one tenant writes rows of another. | ${CORRECT}`,
      `E_DATABASE_CANARY table public.orders | The doctor tested this table: as the role one, code without a tenant writes rows of a tenant. | ${CORRECT}`,
    ],
  ],
  [
    'a role that does not exist',
    'drop policy orders_all_tenants on orders; revoke all on orders from every; revoke usage on schema public from every; drop role every',
    [
      'E_DATABASE_ROLE role every | It does not exist. | To create the role, run: npx blazon db migrate',
    ],
  ],
  [
    'a role that owns a table, or is a member of other roles',
    `${ITEMS}; alter table items owner to one; grant every to one; create role admin createrole; grant admin to one`,
    [
      'E_DATABASE_ROLE role one | It is a member of admin, which can access, or give itself access to, the rows of several tenants. | revoke admin from one;',
      'E_DATABASE_ROLE role one | It is a member of every, which can access, or give itself access to, the rows of several tenants. | revoke every from one;',
      'E_DATABASE_ROLE role one | It owns public.items, so it can remove the policies. | Make the login that runs the migrations the owner: alter table … owner to …;',
      'E_DATABASE_GRANT table public.items | The role one has privileges that row-level security does not restrict: TRUNCATE, TRIGGER, REFERENCES. | revoke truncate, trigger, references on public.items from public, one;',
    ],
  ],
  [
    'a table with policies, but without a tenant column',
    `create table plain (owner_id text); alter table plain enable row level security; create policy p on plain to one using (true); grant select on plain to one`,
    [
      'E_DATABASE_RLS table public.plain | Row-level security is not forced: its owner sees the rows of every tenant. | alter table public.plain force row level security;',
      `E_DATABASE_POLICY policy p of table public.plain | It grants the role one access to rows where true. That condition has no comparison that is known to isolate tenants. | ${COMPARE}`,
    ],
  ],
  [
    'a database without tables of tenants',
    'drop table orders',
    [
      'W_DATABASE_TABLES the database | No table of this database has a column tenant_id, so there are no rows of tenants to protect. | Run the migrations: npx blazon db migrate. Check that this is the right database.',
    ],
  ],
]

describe('the doctor', () => {
  it.each(CASES)('finds %s', async (_, change, expected) => {
    const found = await afterChange(change, () => inspectDatabase(within(), OPTIONS))
    expect(
      found.map(({ code, subject, cause, remedy }) => `${code} ${subject} | ${cause} | ${remedy}`),
    ).toEqual(expected)
    for (const { code, severity } of found)
      expect(severity).toBe(code.startsWith('E_') ? 'error' : 'warning')
  })

  it('begins again at most twice if a table is locked meanwhile', async () => {
    const outcome = (refusals: number, code = '55P03') => {
      let left = refusals
      const refusing = within((statement) => {
        if (!statement.text.includes('pg_policy') || left-- <= 0) return connection.query(statement)
        return Promise.reject(new PostgresError('canceled', { code }))
      })
      const run = () => inspectDatabase(refusing, OPTIONS).catch((error) => error.code)
      return afterChange('select 1', run)
    }
    expect(await outcome(2)).toEqual([])
    expect(await outcome(3)).toBe('55P03')
    expect(await outcome(1, '57014')).toBe('57014')
  })

  it('reports tables that are locked or slow, and does not test them', async () => {
    const refusing = (code: string) =>
      within((statement) =>
        statement.text.startsWith('insert into')
          ? Promise.reject(new PostgresError('canceled', { code }))
          : connection.query(statement),
      )
    for (const code of ['55P03', '57014']) {
      const run = () => inspectDatabase(refusing(code), OPTIONS)
      expect(await afterChange('select 1', run)).toEqual([
        {
          ...{ code: 'W_DATABASE_CANARY', severity: 'warning', subject: 'table public.orders' },
          cause: 'It is locked or slow, so the doctor could not test whether it isolates tenants.',
          remedy: 'Run the doctor again later.',
        },
      ])
    }
  })

  it('logs its warnings and throws its errors at the start of an application', async () => {
    const logged: [facts: object, message: string][] = []
    const note = (...line: (typeof logged)[number]) => void logged.push(line)
    const logger = { info() {}, warn: note, error() {} }
    const driver = { isEmbedded: true, connect: async () => within() } as unknown as Driver
    const start = (change: string) =>
      afterChange(change, () => assertIsolation(driver, { ...ROLES, logger })).then(
        () => [],
        (error) => {
          expect(error).toBeInstanceOf(ConfigError)
          return error.problems.map(({ code }: { code: string }) => code)
        },
      )
    const unique = 'alter table orders add unique (note)'
    expect(await start(unique)).toEqual([])
    expect(logged).toEqual([
      [{ code: 'W_DATABASE_KEY' }, expect.stringMatching(/^\[W_DATABASE_KEY\] unique index/)],
    ])
    expect(await start(`${unique}; alter table orders no force row level security`)).toEqual([
      'E_DATABASE_RLS',
    ])
    expect(logged).toHaveLength(2)
  })
})
