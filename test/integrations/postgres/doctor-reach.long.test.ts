import { afterAll, beforeAll, expect, it } from 'vitest'
import { tenantTable } from '../../../src/integrations/postgres/schema/tenant-table.js'
import { CURRENT, type Leak, named, Patient } from './doctor-patient.js'
import { describeWithServer, ownServerDatabase } from './own-database.js'

/** `sound` is a table of tenants without mistakes, with a row of `zeta`. */
const RELATIONS: readonly Leak[] = [
  {
    what: 'a table with a column "tenantId"',
    plant:
      "create table $t (\"tenantId\" text, note text); insert into $t values ('zeta', 'secret'); grant select on $t to $one",
    see: 'select note from $t',
    expected: ['E_DATABASE_REACH table public.$t'],
  },
  {
    what: 'a table with a column org_id that all roles may read',
    plant:
      "create table $t (org_id text, note text); insert into $t values ('zeta', 'secret'); grant all on $t to public",
    see: 'select note from $t',
    expected: ['E_DATABASE_REACH table public.$t'],
  },
  {
    what: 'a copy of a table with a privilege on one column',
    plant: 'create table $t as select note from sound; grant select (note) on $t to $one',
    see: 'select note from $t',
    expected: ['E_DATABASE_REACH table public.$t'],
  },
  {
    what: 'a table that a trigger fills',
    plant: `create table $t (at timestamptz default now(), what text);
      create function $t_f() returns trigger language plpgsql as 'begin insert into $t (what) values (new.note); return null; end';
      create trigger log after insert on sound for each row execute function $t_f();
      grant insert, select on $t to $one;
      insert into sound (tenant_id, note) values ('zeta', 'more')`,
    see: 'select what from $t',
    expected: ['E_DATABASE_REACH table public.$t'],
    cleanUp: 'drop trigger log on sound; drop function $t_f()',
  },
  {
    what: 'a table in another schema, read through an inherited role',
    plant: `create schema hidden; create table hidden.$t as select note from sound; create role $one_r; alter role $one inherit;
      grant usage on schema hidden to $one_r; grant select on hidden.$t to $one_r; grant $one_r to $one`,
    see: 'select note from hidden.$t',
    expected: ['E_DATABASE_REACH table hidden.$t'],
    cleanUp: 'drop schema hidden cascade; drop role $one_r; alter role $one noinherit',
  },
  {
    what: 'a table of a role to which the tenant role can switch',
    plant:
      'create role $one_r; create table $t as select note from sound; grant select on $t to $one_r; grant $one_r to $one',
    see: ['set role $one_r', 'select note from $t'],
    expected: ['E_DATABASE_REACH table public.$t'],
    cleanUp: 'drop table $t; drop role $one_r',
  },
  {
    what: 'a table of a role to which the tenant role can switch through another role',
    plant: `create role $one_r; create role $one_s; create table $t as select note from sound; alter table $t owner to $one_s;
      grant $one_s to $one_r; grant $one_r to $one`,
    see: ['set role $one_s', 'select note from $t'],
    expected: ['E_DATABASE_REACH table public.$t'],
    cleanUp: 'drop table $t; drop role $one_r; drop role $one_s',
  },
  {
    what: 'a parent table of a tenant table',
    plant: `create table $t (note text); create table $t_copy (like sound including all) inherits ($t);
      insert into $t_copy (tenant_id, note) overriding system value values ('zeta', 'secret'); grant select on $t to $one`,
    see: 'select note from $t',
    expected: ['E_DATABASE_REACH table public.$t'],
  },
  {
    what: 'a partition without a tenant',
    plant: `create table $t (note text) partition by list (note); create table $t_copy partition of $t default;
      insert into $t values ('secret'); grant select on $t_copy to $one`,
    see: 'select note from $t_copy',
    expected: ['E_DATABASE_REACH table public.$t_copy'],
  },
  {
    what: 'an unlogged table',
    plant: 'create unlogged table $t as select note from sound; grant select on $t to $one',
    see: 'select note from $t',
    expected: ['E_DATABASE_REACH table public.$t'],
  },
  {
    what: 'a policy for all rows on a table without a tenant',
    plant: `create table $t as select note from sound; alter table $t enable row level security; alter table $t force row level security;
      create policy p on $t to $one using (true) with check (false); grant select on $t to $one`,
    see: 'select note from $t',
    expected: ['E_DATABASE_POLICY policy p of table public.$t'],
  },
  {
    what: 'two policies for two columns',
    plant: `create table $t ("tenantId" text, note text, author text); insert into $t values ('zeta', 'secret', 'acme');
      alter table $t enable row level security; alter table $t force row level security;
      create policy p on $t for select to $one using ("tenantId" = ${CURRENT});
      create policy q on $t for select to $one using (author = ${CURRENT}); grant select on $t to $one`,
    see: 'select note from $t',
    expected: ['E_DATABASE_POLICY policy q of table public.$t'],
  },
  {
    what: 'a view of a table without a tenant',
    plant:
      'create table $t as select note from sound; create view $t_v as select * from $t; grant select on $t_v to $one',
    see: 'select note from $t_v',
    expected: ['E_DATABASE_VIEW view public.$t_v'],
  },
  {
    what: 'a view that runs as its owner, with a privilege on one column',
    plant: 'create view $t_v as select note from sound; grant select (note) on $t_v to public',
    see: 'select note from $t_v',
    expected: ['E_DATABASE_VIEW view public.$t_v'],
    cleanUp: 'drop view $t_v',
  },
  {
    what: 'a materialized view of a table without a tenant',
    plant:
      'create table $t as select note from sound; create materialized view $t_v as select * from $t; grant select on $t_v to $one',
    see: 'select note from $t_v',
    expected: ['E_DATABASE_VIEW materialized view public.$t_v'],
  },
  {
    what: 'a shared table that tenants can write',
    plant: `create table $t (note text); comment on table $t is 'Of all. blazon: shared'; grant select, insert on $t to $one; insert into $t values ('secret')`,
    see: 'select note from $t',
    expected: ['E_DATABASE_REACH table public.$t'],
  },
  {
    what: 'a tenant table that its comment declares as shared',
    plant: `create table $t (tenant_id text not null default nullif(current_setting('app.tenant_id', true), ''), primary key (tenant_id));
      comment on table $t is 'blazon: shared'; insert into $t values ('zeta'); grant select on $t to $one`,
    see: 'select tenant_id from $t',
    expected: ['E_DATABASE_RLS table public.$t'],
  },
  {
    what: 'a sequence that tenants can read',
    plant: "create sequence $t_s; select nextval('$t_s'); grant select on $t_s to $one",
    see: 'select last_value from $t_s',
    expected: ['W_DATABASE_GRANT sequence public.$t_s'],
    cleanUp: 'drop sequence $t_s',
  },
  {
    what: 'a large object that all roles may read',
    plant:
      "do $do$ begin perform lo_from_bytea(4711, 'secret'); end $do$; grant select on large object 4711 to public",
    see: 'select lo_get(4711)',
    expected: ['E_DATABASE_GRANT large object 4711'],
    cleanUp: 'select lo_unlink(4711)',
  },
  {
    what: 'a large object that another tenant has created',
    plant:
      "set role $one; do $do$ begin perform lo_from_bytea(4712, 'secret'); end $do$; reset role",
    see: 'select lo_get(4712)',
    expected: ['E_DATABASE_GRANT large object 4712'],
    cleanUp: 'select lo_unlink(4712)',
  },
  {
    what: 'a grant on the catalog of large objects',
    plant:
      "do $do$ begin perform lo_from_bytea(4713, 'secret'); end $do$; grant select on pg_largeobject to $one",
    see: 'select data from pg_largeobject',
    expected: ['E_DATABASE_GRANT catalog pg_catalog.pg_largeobject'],
    cleanUp: 'select lo_unlink(4713); revoke select on pg_largeobject from $one',
  },
  {
    what: 'a grant on the catalog of statistics',
    plant: `insert into sound (tenant_id, note) select 'zeta', 'often' from generate_series(1, 50); analyze sound; grant select on pg_statistic to $one`,
    see: "select 1 from pg_statistic where starelid = 'sound'::regclass and stavalues1::text like '%zeta%'",
    expected: ['E_DATABASE_GRANT catalog pg_catalog.pg_statistic'],
    cleanUp: 'revoke select on pg_statistic from $one',
  },
  {
    what: 'a function that sets a tenant',
    plant: `create function $t_f() returns setof text language sql set app.tenant_id = 'zeta' as 'select note from sound'`,
    see: 'select $t_f()',
    expected: ['W_DATABASE_FUNCTION function public.$t_f()'],
    cleanUp: 'drop function $t_f()',
  },
  {
    what: 'a function that runs as its owner, for a role to which the tenant role can switch',
    plant: `create role $one_r; grant $one_r to $one;
      create function $t_f() returns setof text language sql security definer as 'select note from sound';
      revoke execute on function $t_f() from public; grant execute on function $t_f() to $one_r`,
    see: ['set role $one_r', 'select $t_f()'],
    expected: ['W_DATABASE_FUNCTION function public.$t_f()'],
    cleanUp: 'drop function $t_f(); drop role $one_r',
  },
  {
    what: 'a tenant role that can read everything',
    plant: 'create table $t as select note from sound; grant pg_read_all_data to $one',
    see: ['set role pg_read_all_data', 'select note from $t'],
    expected: ['E_DATABASE_ROLE role $one'],
    cleanUp: 'revoke pg_read_all_data from $one',
  },
  {
    what: 'a role with BYPASSRLS to which the tenant role can switch through another role',
    plant: `create role $one_r; create role $one_s bypassrls; grant select on sound to $one_s; grant $one_s to $one_r; grant $one_r to $one`,
    see: ['set role $one_s', 'select note from sound'],
    expected: ['E_DATABASE_ROLE role $one'],
    cleanUp: 'revoke select on sound from $one_s; drop role $one_r; drop role $one_s',
  },
  {
    what: 'default privileges for tenants on new tables',
    plant:
      'alter default privileges in schema public grant select on tables to $one; create table $t as select note from sound',
    see: 'select note from $t',
    expected: [
      'E_DATABASE_REACH table public.$t',
      'W_DATABASE_GRANT default privileges on tables of $me in schema public',
    ],
    cleanUp: 'alter default privileges in schema public revoke select on tables from $one',
  },
  {
    what: 'a schema in which the tenant role can create tables',
    plant: `grant create on schema public to $one; set role $one; create table $t (note text); reset role; insert into $t values ('secret')`,
    see: 'select note from $t',
    expected: ['E_DATABASE_REACH table public.$t', 'W_DATABASE_SCHEMA schema public'],
    cleanUp: 'drop table $t; revoke create on schema public from $one',
  },
]

describeWithServer('the doctor on a server', () => {
  let patient: Patient
  beforeAll(async () => {
    patient = await Patient.open(ownServerDatabase)
    await patient.run(
      `${tenantTable('sound', { ...patient.roles, columns: ['note text'] })}; insert into sound (tenant_id, note) values ('zeta', 'secret')`,
    )
  })
  afterAll(() => patient[Symbol.asyncDispose]())

  it.each(named(RELATIONS))('finds %s', async (_, leak) => {
    await patient.expectFound(leak)
  })

  it.each([
    [
      'a table that its comment declares as shared',
      "create table $t (name text); grant select on $t to public; comment on table $t is 'Countries. blazon: shared'",
    ],
    [
      'a table that its comment declares as shared and writable',
      "create table $t (name text); grant all on $t to $one; comment on table $t is 'blazon: shared, writable'",
    ],
    [
      'a shared view',
      "create view $t as select 1 as one; grant select on $t to $one; comment on view $t is 'blazon: shared'",
    ],
    [
      'a table with a policy for a column "tenantId"',
      `create table $t ("tenantId" text not null, note text); alter table $t enable row level security; alter table $t force row level security;
      create policy p on $t to $one using ("tenantId" = ${CURRENT}) with check ("tenantId" = ${CURRENT});
      grant select, insert, update, delete on $t to $one`,
    ],
    [
      'a table whose key is the tenant',
      `create table $t (id uuid primary key); alter table $t enable row level security; alter table $t force row level security;
      create policy p on $t for select to $one using (id = ${CURRENT}::uuid); grant select on $t to $one`,
    ],
    [
      'a table with row-level security and no policy for tenants',
      `create table $t (note text); alter table $t enable row level security; alter table $t force row level security; grant select on $t to $one`,
    ],
    [
      'a grant of USAGE on a sequence',
      'create table $t (id serial); grant usage on $t_id_seq to $one',
    ],
    ['a table without a grant', 'create table $t (note text)'],
    [
      'a large object without a grant',
      "create table $t (note text); do $do$ begin perform lo_from_bytea(4714, 'secret'); end $do$",
    ],
  ])('accepts %s', async (_, plant) => {
    const name = patient.newName()
    await patient.run(plant, name)
    const findings = await patient.findings()
    await patient.run(plant.includes('create view') ? 'drop view $t' : 'drop table $t', name)
    await patient.run('select lo_unlink(oid) from pg_largeobject_metadata')
    expect(findings).toEqual([])
  })

  it('lists all unprotected tables, with one finding for each cause', async () => {
    const names = ['one', 'two', 'Three "3"'].map((name) => `"${name.replaceAll('"', '""')}"`)
    for (const name of names)
      await patient.run(`create table ${name} (note text); grant select on ${name} to $one`)
    await patient.run('create table four (note text); grant select on four to public')
    const findings = await patient.findings()
    expect(findings.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_DATABASE_REACH tables public."Three ""3""", public.one, public.two',
      'E_DATABASE_REACH table public.four',
    ])
    for (const { remedy } of findings) {
      const [revoke] = /revoke all .*?;/.exec(remedy) ?? []
      await patient.run(String(revoke))
    }
    expect(await patient.findings()).toEqual([])
    await patient.run(`drop table ${names.join(', ')}, four`)
  })

  it('finds a foreign table unless its comment declares it as shared', async () => {
    await patient.run(`
      create extension file_fdw; create server files foreign data wrapper file_fdw;
      create foreign table elsewhere (line text) server files options (program 'echo secret');
      grant select on elsewhere to $one`)
    const { tenantRole } = patient.roles
    expect(await patient.database.as(tenantRole, 'acme', 'select * from elsewhere')).toEqual([
      { line: 'secret' },
    ])
    expect(await patient.findings()).toMatchObject([
      { code: 'E_DATABASE_REACH', subject: 'foreign table public.elsewhere' },
    ])
    await patient.run(`comment on foreign table elsewhere is 'blazon: shared'`)
    expect(await patient.findings()).toEqual([])
    await patient.run('drop extension file_fdw cascade')
  })

  it('accepts objects of extensions', async () => {
    await patient.run('create extension pg_stat_statements; create extension citext')
    expect(await patient.findings()).toEqual([])
  })

  it('finds a grant on a function that reads server files', async () => {
    await patient.run('grant execute on function pg_read_file(text) to $one')
    const seen = `select pg_read_file('PG_VERSION') as version`
    expect(await patient.database.as(patient.roles.tenantRole, 'acme', seen)).toHaveLength(1)
    expect(await patient.findings()).toMatchObject([
      { code: 'E_DATABASE_GRANT', subject: 'function pg_read_file(text)' },
    ])
    for (const { remedy } of await patient.findings()) await patient.run(remedy)
    expect(await patient.findings()).toEqual([])
  })
})
