import { afterAll, beforeAll, expect, it } from 'vitest'
import { examine } from '../../../src/integrations/postgres/doctor/inspect-database.js'
import { ensureRoles } from '../../../src/integrations/postgres/roles.js'
import {
  protectTable,
  tenantTable,
} from '../../../src/integrations/postgres/schema/tenant-table.js'
import { describeWithServer, type OwnDatabase, ownServerDatabase } from './own-database.js'

const CURRENT = "(select nullif(current_setting('app.tenant_id', true), ''))"

describeWithServer('the doctor on a server', () => {
  let database: OwnDatabase
  let roles: { tenantRole: string; allTenantsRole: string }
  let made = 0

  beforeAll(async () => {
    database = await ownServerDatabase()
    const { tenantRole, allTenantsRole } = database
    roles = { tenantRole, allTenantsRole }
    const connection = await database.driver.connect()
    await connection.script('begin')
    await ensureRoles(connection, roles)
    await connection.script('commit')
    connection.release()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  /** The findings that contain this name. */
  const findings = async (name: string) => {
    const all = await examine(database.driver, roles)
    return all.filter(({ subject, cause }) => `${subject} ${cause}`.includes(name))
  }
  const codes = async (name: string) => (await findings(name)).map(({ code }) => code)
  const version = async () =>
    Number((await database.run("select current_setting('server_version_num')::int as v"))[0]?.['v'])

  /** A unique name of a table. */
  const newName = () => `t${++made}_x`
  /** Makes a table without mistakes, and then changes it. */
  const table = async (change = '', columns: readonly string[] = ['note text']) => {
    const name = newName()
    await database.run(tenantTable(name, { ...roles, columns }))
    if (change !== '') await database.run(fill(change, name))
    return name
  }
  const fill = (sql: string, name: string) =>
    sql
      .replaceAll('$t', name)
      .replaceAll('$one', roles.tenantRole)
      .replaceAll('$all', roles.allTenantsRole)

  it('accepts tables of tenantTable() and protectTable()', async () => {
    const customers = newName()
    await database.run(
      tenantTable(customers, { ...roles, columns: ['email text not null'], unique: [['email']] }),
    )
    const orders = newName()
    const references = { customer_id: customers }
    const columns = [
      'customer_id bigint not null',
      "state text not null default 'new'",
      'paid_at date not null',
    ]
    await database.run(tenantTable(orders, { ...roles, id: 'uuid', columns, references }))
    const slugs = newName()
    await database.run(tenantTable(slugs, { ...roles, id: 'text', columns: [] }))
    const old = newName()
    await database.run(
      `create table ${old} (number serial primary key, tenant_id text); insert into ${old} (tenant_id) values ('a')`,
    )
    await database.run(protectTable(old, roles))
    const hostile = `"; drop table ${customers}; -- ' é $$`
    await database.run(tenantTable(hostile, { ...roles, columns: [] }))
    expect(await findings('_x')).toEqual([])
    await database.run(`drop table "${hostile.replaceAll('"', '""')}"; drop table ${old}`)
  })

  it.each([
    [
      'a policy for all rows and all roles',
      'create policy p on $t for select using (true)',
      ['E_DATABASE_POLICY', 'E_DATABASE_CANARY'],
    ],
    [
      'a policy that shows all rows without a tenant',
      "create policy p on $t to $one using (tenant_id = coalesce(nullif(current_setting('app.tenant_id', true), ''), tenant_id)) with check (false)",
      ['E_DATABASE_POLICY', 'E_DATABASE_CANARY'],
    ],
    [
      'a policy that allows all rows to be written',
      'create policy p on $t for insert to $one with check (true)',
      ['E_DATABASE_POLICY', 'E_DATABASE_CANARY'],
    ],
    [
      'a policy that uses another setting',
      "create policy p on $t for select to $one using (tenant_id = current_setting('app.other', true))",
      ['E_DATABASE_POLICY'],
    ],
    [
      'a table without an index that begins with the tenant',
      'alter table $t drop constraint $t_pkey; alter table $t add primary key (id, tenant_id)',
      ['E_DATABASE_INDEX'],
    ],
    [
      'a table with only a partial index',
      "alter table $t drop constraint $t_pkey; create index on $t (tenant_id) where note = 'a'",
      ['E_DATABASE_INDEX'],
    ],
    [
      'a view that runs as its owner over another view',
      'create view $t_in as select * from $t; create view $t_view as select count(*) from $t_in; grant select on $t_view to public',
      ['E_DATABASE_VIEW'],
    ],
    [
      'a unique index of an expression without the tenant',
      'create unique index on $t (lower(note))',
      ['W_DATABASE_KEY'],
    ],
    [
      'a partial exclusion of an expression without the tenant',
      "alter table $t add exclude using gist (numrange(length(note), null) with &&) where (note <> '')",
      ['W_DATABASE_KEY'],
    ],
    [
      'an exclusion constraint that includes the tenant, but does not compare it',
      'alter table $t add exclude using btree (note with =) include (tenant_id)',
      ['W_DATABASE_KEY'],
    ],
    [
      'a foreign key that compares the tenant with another column',
      'alter table $t add unique (note, tenant_id); alter table $t add foreign key (tenant_id, note) references $t (note, tenant_id)',
      ['W_DATABASE_KEY'],
    ],
    [
      'a unique index that includes the tenant, but does not compare it',
      'create unique index on $t (note) include (tenant_id)',
      ['W_DATABASE_KEY'],
    ],
  ])('finds %s', async (_, change, expected) => {
    const name = await table(change)
    expect(new Set(await codes(name))).toEqual(new Set(expected))
    for (const each of await findings(name)) {
      expect(each.severity).toBe(each.code.startsWith('E_') ? 'error' : 'warning')
      expect(each.remedy).not.toBe('')
    }
    await database.run(`drop table ${name} cascade; drop function if exists ${name}_f()`)
  })

  it.each([
    [
      'a policy with an additional condition',
      `alter policy $t_tenant on $t using (tenant_id = ${CURRENT} and note is not null)`,
    ],
    ['a restrictive policy', 'create policy p on $t as restrictive to $one using (true)'],
    ['a policy for another role', 'create policy p on $t to $all using (note is null)'],
    ['a view without a grant', 'create view $t_view as select * from $t'],
    ['a unique constraint with the tenant', 'alter table $t add unique (note, tenant_id)'],
    [
      'an exclusion constraint with the tenant',
      'alter table $t add exclude using btree (note with =, tenant_id with =)',
    ],
    ['an included column in a unique index', 'create unique index on $t (id) include (note)'],
    [
      'a table without a tenant that its comment declares as shared',
      "create table $t_plain (id int); grant select on $t_plain to $one; comment on table $t_plain is 'blazon: shared'",
    ],
    ['a table that the tenant role may not use', 'create table $t_plain (id int)'],
    ['a temporary table', 'create temp table $t_temp (tenant_id text)'],
  ])('accepts %s', async (_, change) => {
    const name = await table(change)
    expect(await findings(name)).toEqual([])
    await database.run(
      `drop table ${name} cascade; drop table if exists ${name}_plain, ${name}_temp`,
    )
  })

  it('accepts a view with security_invoker, and finds a view without it', async () => {
    if ((await version()) < 150_000) return console.warn('Skipped: security_invoker came with 15.')
    const name = await table(
      'create view $t_view with (security_invoker = on) as select * from $t; grant select on $t_view to $one',
    )
    expect(await findings(name)).toEqual([])
    await database.run(`alter view ${name}_view reset (security_invoker)`)
    const [view] = await findings(name)
    expect(view).toMatchObject({ code: 'E_DATABASE_VIEW', subject: `view public.${name}_view` })
    await database.run(String(view?.remedy))
    expect(await findings(name)).toEqual([])
  })

  it('finds partitions that the tenant role can use directly', async () => {
    const name = newName()
    await database.run(`
      create table ${name} (tenant_id text not null default nullif(current_setting('app.tenant_id', true), ''),
        year int not null, primary key (tenant_id, year)) partition by range (year);
      create table ${name}_old partition of ${name} for values from (2000) to (2020);
      create table ${name}_new partition of ${name} for values from (2020) to (2040);`)
    const [, protect] = protectTable(name, roles).split('\n\n')
    await database.run(protect as string)
    await database.run(`insert into ${name} values ('acme', 2010), ('acme', 2030)`)
    expect(await findings(name)).toEqual([])
    await database.run(`grant select on ${name}_old to ${roles.tenantRole}`)
    expect((await findings(name)).map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      `E_DATABASE_RLS table public.${name}_old`,
      `E_DATABASE_CANARY table public.${name}_old`,
      `E_DATABASE_CANARY table public.${name}_old`,
    ])
    await database.run(`drop table ${name}`)
  })

  it('finds rows that a tenant can see even if a CHECK constraint refuses the row of the doctor', async () => {
    const other = await table()
    const name = newName()
    await database.run(`
      create table ${name} (tenant_id text not null default 'x', other int not null check (other > 100), primary key (tenant_id, other));
      grant select, insert on ${name} to ${roles.tenantRole}`)
    const tried = async () => {
      const found = await findings(name)
      return found
        .filter(({ code }) => code === 'E_DATABASE_CANARY')
        .map(({ cause }) => cause.split(', ')[1])
    }
    // The CHECK refuses the row of the doctor. PostgreSQL applies policies first, and this table has none, so the CHECK
    // shows that no policy has refused the row.
    const written = [
      'one tenant writes rows of another.',
      'code without a tenant writes rows of a tenant.',
    ]
    expect(await tried()).toEqual(written)
    await database.run(`insert into ${name} values ('acme', 101)`)
    const seen = ['a tenant that does not exist sees rows.', 'code without a tenant sees rows.']
    expect(await tried()).toEqual([...seen, ...written])
    await database.run(`drop table ${name}, ${other}`)
  })

  it.each([
    ['uuid', "'00000000-0000-0000-0000-000000000001'", 'uuid'],
    ['bigint', '1', 'bigint'],
    ['varchar(30)', "'acme'", 'text'],
  ])(
    'tests reading and writing rows of other tenants for a tenant column of type %s',
    async (type, id, cast) => {
      const name = newName()
      const mine = `tenant_id = (select nullif(current_setting('app.tenant_id', true), ''))::${cast}`
      await database.run(`
      create table ${name} (tenant_id ${type} not null default nullif(current_setting('app.tenant_id', true), '')::${cast}, id serial, primary key (tenant_id, id));
      insert into ${name} (tenant_id) values (${id});
      alter table ${name} enable row level security; alter table ${name} force row level security;
      create policy p on ${name} to ${roles.tenantRole} using (${mine}) with check (${mine});
      grant select, insert, update, delete on ${name} to ${roles.tenantRole}`)
      expect(await findings(name)).toEqual([])
      await database.run(`create policy q on ${name} to ${roles.tenantRole} using (true)`)
      expect(await codes(name)).toContain('E_DATABASE_CANARY')
      await database.run(`drop table ${name}`)
    },
  )

  it('changes no row and no sequence, and runs no trigger', async () => {
    const name = await table('create table $t_log (id int)', [
      'number serial not null',
      "code text not null default 'a'",
    ])
    await database.run(`insert into ${name} (tenant_id) values ('acme'), ('zeta')`)
    const triggered = newName()
    await database.run(tenantTable(triggered, { ...roles, columns: [] }))
    await database.run(`
      create function ${name}_f() returns trigger language plpgsql as 'begin raise exception ''a trigger ran''; end';
      create trigger t before insert on ${triggered} for each row execute function ${name}_f()`)
    const state = () =>
      database.run(`
        select (select json_agg(t) from ${name} t) as rows, (select last_value from ${name}_id_seq)::text as id,
          (select last_value from ${name}_number_seq)::text as number`)
    const before = await state()
    expect(await findings(name)).toEqual([])
    expect(await findings(triggered)).toEqual([])
    expect(await state()).toEqual(before)
    await database.run(`drop table ${triggered}, ${name}, ${name}_log; drop function ${name}_f()`)
  })

  it.each([
    ['is a superuser', 'superuser', 'nosuperuser'],
    ['has BYPASSRLS', 'bypassrls', 'nobypassrls'],
    ['can log in', 'login', 'nologin'],
  ])('finds a role that %s', async (_, attribute, remedy) => {
    for (const role of [roles.tenantRole, roles.allTenantsRole]) {
      await database.run(`alter role ${role} ${attribute}`)
      const [found] = await findings(`role ${role}`)
      expect(found).toMatchObject({ code: 'E_DATABASE_ROLE', subject: `role ${role}` })
      expect(found?.remedy).toBe(`alter role ${role} ${remedy};`)
      await database.run(String(found?.remedy))
      expect(await findings(role)).toEqual([])
    }
  })

  it('finds a tenant role that is a member of a role, owns a table or can create tables', async () => {
    const name = await table()
    await database.run(`grant ${roles.allTenantsRole} to ${roles.tenantRole}`)
    const [member] = await findings('role ')
    expect(member).toMatchObject({
      code: 'E_DATABASE_ROLE',
      cause: expect.stringContaining('member'),
    })
    await database.run(String(member?.remedy))
    await database.run(`alter table ${name} owner to ${roles.tenantRole}`)
    expect(await codes('role ')).toEqual(['E_DATABASE_ROLE', 'E_DATABASE_GRANT'])
    await database.run(`drop table ${name}; grant create on schema public to ${roles.tenantRole}`)
    expect(await codes('')).toContain('W_DATABASE_SCHEMA')
    await database.run(`revoke create on schema public from ${roles.tenantRole}`)
  })

  it('finds missing roles together with other problems', async () => {
    const name = await table('alter table $t no force row level security')
    const missing = { tenantRole: 'nobody_1', allTenantsRole: 'nobody_2' }
    const found = await examine(database.driver, missing)
    const list = found.map(({ code, subject }) => `${code} ${subject}`)
    expect(list).toEqual(
      expect.arrayContaining([
        'E_DATABASE_ROLE role nobody_1',
        'E_DATABASE_ROLE role nobody_2',
        `E_DATABASE_RLS table public.${name}`,
      ]),
    )
    await database.run(`drop table ${name}`)
  })
})
