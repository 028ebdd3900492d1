import { ConfigError } from 'blazon'
import { PostgresError, protectTable, tenantTable } from 'blazon/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureRoles } from '../../../src/integrations/postgres/roles.js'
import { identifier } from '../../../src/integrations/postgres/schema/names.js'
import { KINDS, type OwnDatabase } from './own-database.js'

function problemsOf(run: () => unknown) {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  throw new Error('Nothing was wrong.')
}

const codeOf = (run: Promise<unknown>) =>
  run.then(
    () => 'done',
    (error: unknown) => (error instanceof PostgresError ? error.code : Promise.reject(error)),
  )

describe('tenantTable', () => {
  it('returns readable SQL', () => {
    const sql = tenantTable('orders', {
      columns: ['number integer not null', 'customer_id bigint not null', 'note text -- by hand'],
      unique: [['number'], ['customer_id', 'note']],
      references: { customer_id: { table: 'customers', onDelete: 'cascade' } },
    })
    expect(sql).toBe(`create table orders (
  tenant_id text not null default nullif(current_setting('app.tenant_id', true), ''),
  id bigint generated always as identity,
  number integer not null,
  customer_id bigint not null,
  note text -- by hand
  ,
  primary key (tenant_id, id),
  unique (tenant_id, number),
  unique (tenant_id, customer_id, note),
  foreign key (tenant_id, customer_id) references customers (tenant_id, id) on delete cascade
);
create index on orders (tenant_id, customer_id);

-- The index of the primary key begins with tenant_id: these policies use it.
alter table orders enable row level security;
alter table orders force row level security;
create policy orders_tenant on orders to app_tenant
  using (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')))
  with check (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')));
create policy orders_all_tenants on orders to app_all_tenants
  using (true) with check (true);
grant select, insert, update, delete on orders to app_tenant, app_all_tenants;
`)
  })

  it.each([
    ['an empty name', '', {}, 'name ""'],
    ['a name that is too long', 'x'.repeat(64), {}, `name "${'x'.repeat(64)}"`],
    ['a name with too many bytes', 'é'.repeat(32), {}, `name "${'é'.repeat(32)}"`],
    ['NUL in a name', 'a\0b', {}, 'name "a\\u0000b"'],
    ['half a surrogate pair in a name', 'a\ud800', {}, 'name "a\\ud800"'],
    ['a number as a name', 7, {}, 'name number'],
    ['a name with its schema', 'shop.orders', {}, 'name "shop.orders"'],
    ['an empty schema', 'a', { schema: '' }, 'schema ""'],
    [
      'a role name that is too long',
      'a',
      { tenantRole: 'r'.repeat(70) },
      `tenantRole "${'r'.repeat(70)}"`,
    ],
    ['an empty column of a key', 'a', { unique: [['']] }, 'unique ""'],
    ['an empty table of a reference', 'a', { references: { b_id: '' } }, 'references ""'],
    ['columns that are not a list', 'a', { columns: 'note text' }, 'columns'],
    ['a blank column', 'a', { columns: [' '] }, 'columns'],
    ['an unknown type of id', 'a', { id: 'serial' }, 'id'],
    [
      'an unknown action of a reference',
      'a',
      { references: { b_id: { table: 'b', onDelete: 'set null' } } },
      'references b_id: onDelete',
    ],
  ])('refuses %s', (_, name, options, subject) => {
    const run = () => tenantTable(name as string, { columns: [], ...(options as object) })
    expect(problemsOf(run)).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: `tenantTable(): ${subject}` },
    ])
  })

  it('throws one error with all problems', () => {
    const run = () => protectTable('', { schema: '', allTenantsRole: '' })
    expect(problemsOf(run).map(({ subject }) => subject)).toEqual([
      'protectTable(): name ""',
      'protectTable(): schema ""',
      'protectTable(): allTenantsRole ""',
    ])
  })
})

describe.each(KINDS)('a tenant table on %s', (_, open) => {
  let database: OwnDatabase
  let roles: { tenantRole: string; allTenantsRole: string }

  beforeAll(async () => {
    database = await open()
    const { tenantRole, allTenantsRole } = database
    roles = { tenantRole, allTenantsRole }
    const connection = await database.driver.connect()
    await connection.script('begin')
    await ensureRoles(connection, roles)
    await connection.script('commit')
    connection.release()
    await database.run(
      tenantTable('customers', {
        ...roles,
        columns: ['email text not null'],
        unique: [['email']],
      }),
    )
    await database.run(
      tenantTable('orders', {
        ...roles,
        id: 'uuid',
        columns: ['customer_id bigint', 'total numeric(12, 2) not null default 0'],
        references: { customer_id: { table: 'customers', onDelete: 'cascade' } },
      }),
    )
    await database.run(
      "insert into customers (tenant_id, email) values ('acme', 'a@x.test'), ('zeta', 'z@x.test')",
    )
  })
  afterAll(() => database[Symbol.asyncDispose]())

  const as = (tenant: string | null, ...statements: string[]) =>
    database.as(roles.tenantRole, tenant, ...statements)

  it('shows a tenant only its own rows, and shows no rows without a tenant', async () => {
    const sql = 'select tenant_id, email from customers order by email'
    expect(await as('acme', sql)).toEqual([{ tenant_id: 'acme', email: 'a@x.test' }])
    expect(await as('zeta', sql)).toEqual([{ tenant_id: 'zeta', email: 'z@x.test' }])
    expect(await as("' or true --", sql)).toEqual([])
    expect(await as(null, sql)).toEqual([])
    expect(await database.as(roles.allTenantsRole, null, sql)).toHaveLength(2)
  })

  it('sets the tenant and the id, without a privilege on a sequence', async () => {
    const insert = "insert into customers (email) values ('new@x.test') returning tenant_id, id"
    expect(await as('acme', insert)).toEqual([{ tenant_id: 'acme', id: expect.any(String) }])
    const order = 'insert into orders default values returning tenant_id, id, total'
    expect(await as('acme', order)).toEqual([
      { tenant_id: 'acme', id: expect.stringMatching(/^[\da-f-]{36}$/), total: '0.00' },
    ])
  })

  it.each([
    [
      'inserts a row of another tenant',
      "insert into customers (tenant_id, email) values ('zeta', 'b')",
      '42501',
    ],
    ['gives a row to another tenant', "update customers set tenant_id = 'zeta'", '42501'],
    ['inserts a unique value twice', "insert into customers (email) values ('a@x.test')", '23505'],
    [
      'inserts a unique value of another tenant',
      "insert into customers (email) values ('z@x.test')",
      'done',
    ],
    ['refers to its own row', 'insert into orders (customer_id) select id from customers', 'done'],
    ['refers to a row of another tenant', 'insert into orders (customer_id) values (2)', '23503'],
    ['chooses an id', "insert into customers (id, email) values (7, 'b')", '428C9'],
    ['truncates the table', 'truncate customers cascade', '42501'],
    ['disables row-level security', 'alter table customers disable row level security', '42501'],
  ])('allows or refuses a statement that %s: %s', async (_, sql, code) => {
    const ids = await database.run("select id from customers where tenant_id = 'zeta'")
    expect(ids).toEqual([{ id: '2' }])
    expect(await codeOf(as('acme', sql))).toBe(code)
  })

  it('refuses writes without a tenant', async () => {
    expect(await codeOf(as(null, "insert into customers (email) values ('b')"))).toMatch(
      /^(23502|42501)$/,
    )
    expect(
      await codeOf(as(null, "insert into customers (tenant_id, email) values ('acme', 'b')")),
    ).toBe('42501')
    const changed = await as(null, "update customers set email = 'x' returning id")
    expect(changed).toEqual([])
  })

  it('deletes rows that refer to a deleted row', async () => {
    const rows = await as(
      'acme',
      'insert into orders (customer_id) select id from customers',
      'delete from customers',
      'select from orders',
    )
    expect(rows).toEqual([])
  })

  it('uses the index that starts with the tenant', async () => {
    const plan = await as(
      'acme',
      'set local enable_seqscan = off',
      'explain select * from customers where id = 1',
    )
    expect(JSON.stringify(plan)).toMatch(/customers_pkey.*tenant_id = /)
  })

  it.each([
    ['SQL', `x"; drop table customers; -- '`],
    ['a keyword', 'order'],
    ['capitals and spaces', 'Order Lines'],
    ['63 bytes', 'a'.repeat(63)],
    ['63 bytes with characters of two bytes', `${'é'.repeat(31)}!`],
    ['dollars and semicolons', '$$;$$'],
  ])('can have a name with %s', async (_, name) => {
    await database.run(
      tenantTable(name, {
        ...roles,
        columns: ['customer_id bigint', '"Unit Price" int'],
        unique: [['Unit Price']],
        references: { customer_id: 'customers' },
      }),
    )
    const quoted = `"${name.replaceAll('"', '""')}"`
    const insert = `insert into ${quoted} ("Unit Price") values (1) returning tenant_id`
    expect(await as('acme', insert)).toEqual([{ tenant_id: 'acme' }])
    expect(await as('acme', 'select from customers')).toHaveLength(1)
    await database.run(`drop table ${quoted}`)
  })

  it('can be in another schema', async () => {
    await database.run('create schema "My Shop"')
    const options = { ...roles, schema: 'My Shop', columns: ['parent_id bigint'] }
    await database.run(tenantTable('a', { ...options, references: { parent_id: 'a' } }))
    expect(await as('acme', 'insert into "My Shop".a default values returning tenant_id')).toEqual([
      { tenant_id: 'acme' },
    ])
    await database.run('drop schema "My Shop" cascade')
  })

  it('can be an existing table that protectTable() changes', async () => {
    await database.run(
      "create table old (id serial primary key, tenant_id text); insert into old (tenant_id) values ('acme'), ('zeta')",
    )
    await database.run(protectTable('old', roles))
    expect(await as('acme', 'select id from old')).toEqual([{ id: 1 }])
    expect(await as(null, 'select id from old')).toEqual([])
    await database.run(`grant usage on sequence old_id_seq to ${roles.tenantRole}`)
    const insert = 'insert into old default values returning tenant_id'
    expect(await as('zeta', insert)).toEqual([{ tenant_id: 'zeta' }])
    await database.run('drop table old')
  })

  it('cannot be protected while it has rows without a tenant', async () => {
    await database.run('create table old (tenant_id text); insert into old values (null)')
    expect(await codeOf(database.run(protectTable('old', roles)))).toBe('23502')
    await database.run('drop table old')
  })

  it('quotes names that are reserved words', async () => {
    const words = await database.run(
      "select word from pg_get_keywords() where catcode in ('R', 'T')",
    )
    expect(words.length).toBeGreaterThan(90)
    for (const { word } of words) expect(identifier(String(word))).toBe(`"${word}"`)
    expect(identifier('orders')).toBe('orders')
  })
})
