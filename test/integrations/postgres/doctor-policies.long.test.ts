import { afterAll, beforeAll, expect, it } from 'vitest'
import { tenantTable } from '../../../src/integrations/postgres/schema/tenant-table.js'
import { CURRENT, type Leak, named, Patient, SETTING } from './doctor-patient.js'
import { describeWithServer, ownServerDatabase } from './own-database.js'

const DEFAULT = `nullif(${SETTING}, '')`
const B63 = 'b'.repeat(63)

type Ids = readonly [tenant: string, other: string]

/** A table of tenants with this policy, and a row of the other tenant. */
const table = (type: string, policy: string, other: string) => `
  create table $t (tenant_id ${type} not null default ${DEFAULT}, note text, primary key (tenant_id));
  alter table $t enable row level security; alter table $t force row level security;
  create policy p on $t to $one using (${policy}) with check (${policy});
  grant select, insert, update, delete on $t to $one;
  insert into $t values ('${other}', 'secret')`

const POLICY = 'E_DATABASE_POLICY policy p of table public.$t'
const COLUMN = 'E_DATABASE_COLUMN table public.$t'
const see = 'select note from $t'

/** A policy of a column of type `text`, by which a tenant sees the row of the other tenant. */
const text = (what: string, policy: string, [tenant, other]: Ids): Leak => ({
  what,
  plant: table('text', policy, other),
  tenant,
  see,
  expected: [POLICY],
})

const COMPARISONS: readonly Leak[] = [
  text('varchar(n)', `tenant_id::varchar(4) = ${CURRENT}::varchar(4)`, ['acme-1', 'acme-2']),
  text('a wide varchar(n)', `tenant_id::varchar(63) = ${CURRENT}::varchar(63)`, [
    `${B63}1`,
    `${B63}2`,
  ]),
  text('char(n)', `tenant_id::char(4) = ${CURRENT}::char(4)`, ['acme-1', 'acme-2']),
  text('bpchar', `tenant_id::bpchar = ${CURRENT}::bpchar`, ['acme ', 'acme']),
  text('"char"', `tenant_id::"char" = ${CURRENT}::"char"`, ['acme', 'a']),
  text('name', `tenant_id::name = ${CURRENT}::name`, [`${B63}1`, `${B63}2`]),
  text('bytea of a prefix', `tenant_id::varchar(4)::bytea = ${CURRENT}::varchar(4)::bytea`, [
    'acme-1',
    'acme-2',
  ]),
  text('lower()', `lower(tenant_id) = lower(${CURRENT})`, ['ACME', 'acme']),
  text('trim()', `trim(tenant_id) = trim(${CURRENT})`, ['acme ', 'acme']),
  text('left()', `left(tenant_id, 4) = left(${CURRENT}, 4)`, ['acme-1', 'acme-2']),
  text('left() of only the setting', `tenant_id = left(${CURRENT}, 4)`, ['acme-1', 'acme']),
  text('substring()', `substring(tenant_id, 1, 4) = substring(${CURRENT}, 1, 4)`, [
    'acme-1',
    'acme-2',
  ]),
  text('LIKE', `tenant_id like ${CURRENT}`, ['acm_', 'acme']),
  text('LIKE with a prefix', `tenant_id like ${CURRENT} || '%'`, ['acme', 'acme-2']),
  text('ILIKE', `tenant_id ilike ${CURRENT}`, ['ACME', 'acme']),
  text('a regular expression', `tenant_id ~ ${CURRENT}`, ['a.me', 'acme']),
  text('starts_with()', `starts_with(tenant_id, ${CURRENT})`, ['acme', 'acme-2']),
  text('<>', `tenant_id <> ${CURRENT}`, ['acme', 'zeta']),
  text('>=', `tenant_id >= ${CURRENT}`, ['acme', 'zeta']),
  text('= ANY', `tenant_id = any (string_to_array(${CURRENT}, '.'))`, ['acme.zeta', 'zeta']),
  text('OR', `tenant_id = ${CURRENT} or note = 'secret'`, ['acme', 'zeta']),
  text('NOT', `not (tenant_id = ${CURRENT})`, ['acme', 'zeta']),
  text('CASE', `case when note is null and tenant_id = ${CURRENT} then true else true end`, [
    'acme',
    'zeta',
  ]),
  text('IS NOT NULL', `(tenant_id = ${CURRENT}) is not null`, ['acme', 'zeta']),
  text(
    'a query',
    `tenant_id = (select nullif(${SETTING}, '') from (values (1)) x (tenant)) or true`,
    ['acme', 'zeta'],
  ),
  text('coalesce()', `tenant_id = coalesce(${CURRENT}, 'zeta')`, ['', 'zeta']),
  text('another setting', `tenant_id = coalesce(current_setting('app.other', true), 'zeta')`, [
    'acme',
    'zeta',
  ]),
  text('nullif() of a tenant id', `tenant_id = coalesce(nullif(${SETTING}, 'acme'), 'zeta')`, [
    'acme',
    'zeta',
  ]),
  text('a constant', `tenant_id = 'zeta'`, ['acme', 'zeta']),
  text('its own column', 'tenant_id = tenant_id', ['acme', 'zeta']),
  {
    ...text('IS NOT DISTINCT FROM', `tenant_id is not distinct from ${CURRENT}`, ['', 'zeta']),
    plant: `${table('text', `tenant_id is not distinct from ${CURRENT}`, 'zeta')};
      alter table $t drop constraint $t_pkey; create index on $t (tenant_id);
      alter table $t alter column tenant_id drop not null; insert into $t values (null, 'secret')`,
    expected: [POLICY, COLUMN],
  },
]

const PLACES: readonly Leak[] = [
  {
    what: 'an operator = of another schema that is found by the search_path',
    plant: `create function public.$t_eq(text, text) returns boolean language sql immutable as 'select lower($1) operator(pg_catalog.=) lower($2)';
      create operator public.= (function = public.$t_eq, leftarg = text, rightarg = text);
      set search_path = public, pg_catalog;
      ${table('text', `tenant_id = ${CURRENT}`, 'ACME')};
      reset search_path`,
    see,
    expected: [POLICY],
    cleanUp:
      'drop table $t; drop operator public.= (text, text); drop function public.$t_eq(text, text)',
  },
  {
    what: 'a policy that calls another function named current_setting',
    plant: `create schema other; create function other.current_setting(text, boolean) returns text language sql stable as 'select ''zeta''::text';
      ${table('text', "tenant_id = (select nullif(other.current_setting('app.tenant_id', true), ''))", 'zeta')};
      grant usage on schema other to $one`,
    see,
    expected: [POLICY],
    cleanUp: 'drop table $t; drop schema other cascade',
  },
  {
    what: 'a policy that compares in a function',
    plant: `create function $t_mine(id text) returns boolean language sql stable as 'select lower(id) = lower(${SETTING.replaceAll("'", "''")})';
      ${table('text', '$t_mine(tenant_id)', 'ACME')}`,
    see,
    expected: [POLICY],
    cleanUp: 'drop table $t; drop function $t_mine(text)',
  },
  {
    what: 'a type named text in another schema',
    plant: `create schema other; create domain other.text as varchar(4);
      ${table('text', `tenant_id::other.text = ${CURRENT}::other.text`, 'acme-2')}`,
    tenant: 'acme-1',
    see,
    expected: [POLICY],
    cleanUp: 'drop table $t; drop schema other cascade',
  },
  {
    what: 'a tenant column of type char(n)',
    plant: table('char(8)', `tenant_id = ${CURRENT}::char(8)`, 'acme'),
    tenant: 'acme    and more',
    see,
    expected: [POLICY, COLUMN],
  },
  {
    what: 'a tenant column of type name',
    plant: table('name', `tenant_id = ${CURRENT}::name`, `${B63}1`),
    tenant: `${B63}2`,
    see,
    expected: [POLICY, COLUMN],
  },
  {
    what: 'a tenant column of type numeric',
    plant: `create table $t (tenant_id numeric not null default ${DEFAULT}::numeric, note text, primary key (tenant_id));
      alter table $t enable row level security; alter table $t force row level security;
      create policy p on $t to $one using (tenant_id = ${CURRENT}::numeric(4)) with check (tenant_id = ${CURRENT}::numeric(4));
      grant select on $t to $one; insert into $t values (1, 'secret')`,
    tenant: '1.2',
    see,
    expected: [POLICY, COLUMN],
  },
  {
    what: 'a tenant column with a domain over a type that truncates',
    plant: `create domain $t_id as char(4);
      ${table('$t_id', `tenant_id = ${CURRENT}::$t_id`, 'acme')}`,
    tenant: 'acme-2',
    see,
    expected: [POLICY, COLUMN],
    cleanUp: 'drop table $t; drop domain $t_id',
  },
  {
    what: 'a second policy that adds rows',
    plant: `${table('text', `tenant_id = ${CURRENT}`, 'zeta')};
      create policy q on $t for select to $one using (note = 'secret')`,
    see,
    expected: ['E_DATABASE_POLICY policy q of table public.$t'],
  },
  {
    what: 'a policy that compares a column other than the tenant column',
    plant: `${table('text', `note = ${CURRENT}`, 'zeta')}; update $t set note = 'acme'`,
    see,
    expected: [POLICY],
  },
  {
    what: 'a policy for a role to which the tenant role can switch without inheriting from it',
    plant: `create role $one_r; grant $one_r to $one; ${table('text', `tenant_id = ${CURRENT}`, 'zeta')};
      grant select on $t to $one_r; create policy q on $t to $one_r using (true)`,
    see: ['set role $one_r', see],
    expected: ['E_DATABASE_POLICY policy q of table public.$t'],
    cleanUp: 'drop table $t; drop role $one_r',
  },
]

/** Leaks that need extensions or collations of ICU, which PGlite does not have. */
const OF_A_SERVER: readonly Leak[] = [
  {
    what: 'a tenant column of type citext',
    plant: `create extension citext; ${table('citext', `tenant_id = ${CURRENT}::citext`, 'ACME')}`,
    see,
    expected: [POLICY, COLUMN],
    cleanUp: 'drop table $t; drop extension citext',
  },
  {
    what: 'a cast to citext',
    plant: `create extension citext; ${table('text', `tenant_id::citext = ${CURRENT}::citext`, 'ACME')}`,
    see,
    expected: [POLICY],
    cleanUp: 'drop table $t; drop extension citext',
  },
  {
    what: 'a cast to citext in the schema pg_catalog',
    plant: `create extension citext schema pg_catalog; ${table('text', `tenant_id::citext = ${CURRENT}::citext`, 'ACME')}`,
    see,
    expected: [POLICY],
    cleanUp: 'drop table $t; drop extension citext',
  },
  ...['und-u-ks-level2', 'und-u-ks-level1', 'und-u-ka-shifted-ks-level3'].flatMap(
    (locale): Leak[] => {
      const other = locale.includes('shifted') ? 'ac-me' : 'ACME'
      const collation = `create collation folding (provider = icu, locale = '${locale}', deterministic = false)`
      return [
        {
          what: `a column with the collation ${locale}`,
          plant: `${collation}; ${table('text collate folding', `tenant_id = ${CURRENT}`, other)}`,
          see,
          expected: [POLICY, COLUMN],
          cleanUp: 'drop table $t; drop collation folding',
        },
        {
          what: `a column of varchar with the collation ${locale}`,
          plant: `${collation}; ${table('varchar collate folding', `tenant_id = ${CURRENT}`, other)}`,
          see,
          expected: [POLICY, COLUMN],
          cleanUp: 'drop table $t; drop collation folding',
        },
        {
          what: `a comparison with the collation ${locale}`,
          plant: `${collation}; ${table('text', `tenant_id = ${CURRENT} collate folding`, other)}`,
          see,
          expected: [POLICY],
          cleanUp: 'drop table $t; drop collation folding',
        },
      ]
    },
  ),
  {
    what: 'a cast made by CREATE CAST',
    plant: `create function first_digit(text) returns bigint language sql immutable strict as 'select left($1, 1)::numeric::bigint';
      create cast (text as bigint) with function first_digit(text);
      create table $t (tenant_id bigint not null default ${DEFAULT}::bigint, note text, primary key (tenant_id));
      alter table $t enable row level security; alter table $t force row level security;
      create policy p on $t to $one using (tenant_id = ${CURRENT}::bigint) with check (tenant_id = ${CURRENT}::bigint);
      grant select on $t to $one; insert into $t values (1, 'secret')`,
    tenant: '12',
    see,
    expected: [POLICY],
    cleanUp: 'drop table $t; drop cast (text as bigint); drop function first_digit(text)',
  },
]

describeWithServer('the doctor on a server', () => {
  let patient: Patient
  beforeAll(async () => {
    patient = await Patient.open(ownServerDatabase)
    await patient.run(tenantTable('sound', { ...patient.roles, columns: ['note text'] }))
  })
  afterAll(() => patient[Symbol.asyncDispose]())

  it.each(named(COMPARISONS))('finds a policy with a wrong comparison: %s', async (_, leak) => {
    await patient.expectFound(leak)
  })

  it.each(named(PLACES))('finds %s', async (_, leak) => {
    await patient.expectFound(leak)
  })

  it.each([
    ['all', `create policy p on $t to $one using (tenant_id = ${CURRENT})`],
    ['update', `create policy p on $t for update to $one using (tenant_id = ${CURRENT})`],
  ])('finds a policy for the command %s without WITH CHECK', async (_, policy) => {
    const name = patient.newName()
    await patient.run(tenantTable(name, { ...patient.roles, columns: ['note text'] }))
    await patient.run(policy, name)
    expect(await patient.findings()).toMatchObject([
      { code: 'E_DATABASE_POLICY', subject: `policy p of table public.${name}` },
    ])
    await patient.run(String((await patient.findings())[0]?.remedy))
    expect(await patient.findings()).toEqual([])
    await patient.run('drop table $t', name)
  })

  it.each([
    ['text', 'text', `tenant_id = ${CURRENT}`, DEFAULT],
    ['text, with the sides exchanged', 'text', `${CURRENT} = tenant_id`, DEFAULT],
    ['text, without a query', 'text', `tenant_id = ${DEFAULT}`, DEFAULT],
    ['text, without nullif', 'text', `tenant_id = ${SETTING}`, DEFAULT],
    ['text, without missing_ok', 'text', "tenant_id = current_setting('app.tenant_id')", DEFAULT],
    ['text, with an alias', 'text', `tenant_id = (select ${DEFAULT} as "a ""b"" and (c")`, DEFAULT],
    ['text with the collation "C"', 'text collate "C"', `tenant_id = ${CURRENT}`, DEFAULT],
    ['varchar', 'varchar', `tenant_id = ${CURRENT}`, DEFAULT],
    ['varchar(n)', 'varchar(40)', `tenant_id = ${CURRENT}`, DEFAULT],
    ['uuid', 'uuid', `tenant_id = ${CURRENT}::uuid`, `${DEFAULT}::uuid`],
    [
      'uuid, cast inside the query',
      'uuid',
      `tenant_id = (select ${DEFAULT}::uuid)`,
      `${DEFAULT}::uuid`,
    ],
    ['uuid, without nullif', 'uuid', `tenant_id = ${SETTING}::uuid`, `${DEFAULT}::uuid`],
    ['uuid, as text', 'uuid', `tenant_id::text = ${CURRENT}`, `${DEFAULT}::uuid`],
    ['smallint', 'smallint', `tenant_id = ${CURRENT}::smallint`, `${DEFAULT}::smallint`],
    ['integer', 'integer', `tenant_id = ${CURRENT}::integer`, `${DEFAULT}::integer`],
    ['bigint', 'bigint', `tenant_id = ${CURRENT}::bigint`, `${DEFAULT}::bigint`],
    ['bigint, as int', 'bigint', `tenant_id = ${CURRENT}::int`, `${DEFAULT}::bigint`],
    [
      'text, with further conditions',
      'text',
      `note is null and (tenant_id = ${CURRENT} and note < 'x')`,
      DEFAULT,
    ],
    [
      'text, with further conditions and parentheses in strings',
      'text',
      `(note = ') or (' or note = E'\\'') and tenant_id = ${CURRENT}`,
      DEFAULT,
    ],
  ])('accepts a correct policy: %s', async (_, type, policy, value) => {
    const name = patient.newName()
    await patient.run(
      `create table $t (tenant_id ${type} not null default ${value}, note text, primary key (tenant_id));
      alter table $t enable row level security; alter table $t force row level security;
      create policy p on $t to $one using (${policy}) with check (${policy});
      grant select, insert, update, delete on $t to $one`,
      name,
    )
    const findings = await patient.findings()
    await patient.run('drop table $t', name)
    expect(findings).toEqual([])
  })

  it.each(named(OF_A_SERVER))('finds %s', async (_, leak) => {
    await patient.expectFound(leak)
  })
})
