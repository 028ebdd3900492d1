import { afterEach, beforeEach, expect, it } from 'vitest'
import { ConfigError } from '../../../src/errors/config-error.js'
import type { Connection, Driver, Statement } from '../../../src/integrations/postgres/driver.js'
import {
  type ApplyOptions,
  applyMigrations,
  readStatus,
} from '../../../src/integrations/postgres/migrations/apply-migrations.js'
import {
  describeWithServer,
  Folder,
  type OwnDatabase,
  ownName,
  ownServerDatabase,
} from './own-database.js'

describeWithServer('migrations on a server', () => {
  let database: OwnDatabase
  let folder: Folder

  beforeEach(async () => {
    database = await ownServerDatabase()
    folder = new Folder()
  })
  afterEach(async () => {
    folder[Symbol.dispose]()
    await database[Symbol.asyncDispose]()
  })

  const migrate = (more: Partial<ApplyOptions> = {}) => {
    const { driver, tenantRole, allTenantsRole } = database
    const roles = { tenantRole, allTenantsRole }
    return applyMigrations(driver, { folder: folder.path, roles, ...more })
  }
  const problemsOf = async (run: Promise<unknown>) => {
    const error = await run.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (!(error instanceof ConfigError)) throw error ?? new Error('It was not an error.')
    return error.problems
  }
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name)
  const states = async () =>
    (await readStatus(database.driver, folder.path)).map(({ name, state }) => `${state} ${name}`)
  const count = async (table: string) =>
    Number((await database.run(`select count(*)::int as n from ${table}`))[0]?.['n'])

  it('run once, in the order of their names', async () => {
    folder.write({
      '0002_fill.sql':
        "insert into notes (text) values ('a');\ninsert into notes (text) values ('b')",
      '0001_create_notes.sql': 'create table notes (text text);',
    })
    expect(await states()).toEqual(['pending 0001_create_notes.sql', 'pending 0002_fill.sql'])
    const reported: string[] = []
    const applied = await migrate({ onApplied: ({ name }) => reported.push(name) })
    expect(names(applied)).toEqual(['0001_create_notes.sql', '0002_fill.sql'])
    expect(reported).toEqual(names(applied))
    expect(applied.every(({ durationMs }) => Number.isInteger(durationMs))).toBe(true)
    expect(await migrate()).toEqual([])
    expect(await count('notes')).toBe(2)
    folder.write({ '0010_more.sql': "insert into notes values ('c')" })
    expect(names(await migrate())).toEqual(['0010_more.sql'])
    const status = await readStatus(database.driver, folder.path)
    expect(status.map(({ state }) => state)).toEqual(['applied', 'applied', 'applied'])
    expect(status[0]?.appliedAt).toBeInstanceOf(Date)
    expect(status[0]?.durationMs).toBe(applied[0]?.durationMs)
  })

  it('report only once that they wait, although each migration takes the lock again', async () => {
    folder.write({
      '0001_create.sql': 'create table notes (text text)',
      '0002_fill.sql': "insert into notes values ('a')",
    })
    let waits = 0
    const { driver, tenantRole, allTenantsRole } = database
    const busy = busyAtFirst(driver)
    await applyMigrations(busy.driver, {
      folder: folder.path,
      roles: { tenantRole, allTenantsRole },
      onWait: () => waits++,
    })
    // Once for the roles and the history, once for each migration, and once to find that none is left.
    expect([waits, busy.refusals()]).toEqual([1, 4])
  })

  it('stop at a failed statement, roll back its migration, and report its line', async () => {
    folder.write({
      '0001_create.sql': 'create table notes (id int primary key)',
      '0002_fill.sql':
        '-- Two rows.\ninsert into notes values (1);\n\ninsert into notes\nvalues (2), (1);\n',
      '0003_never.sql': 'create table never (id int)',
    })
    const [problem, ...others] = await problemsOf(migrate())
    expect(others).toEqual([])
    expect(problem).toMatchObject({
      code: 'E_MIGRATION_FAILED',
      subject: '0002_fill.sql:4',
      cause: expect.stringMatching(
        /^23505: duplicate key value violates unique constraint "notes_pkey"$/,
      ),
    })
    expect(await count('notes')).toBe(0)
    expect(await count('blazon.migrations')).toBe(1)
    expect(await states()).toEqual([
      'applied 0001_create.sql',
      'pending 0002_fill.sql',
      'pending 0003_never.sql',
    ])
    folder.write({ '0002_fill.sql': 'insert into notes values (1)' })
    expect(names(await migrate())).toEqual(['0002_fill.sql', '0003_never.sql'])
  })

  it('run without a transaction if they begin with the comment -- blazon: no-transaction', async () => {
    folder.write({
      '0001_create.sql': 'create table notes (id int);\ninsert into notes values (1), (1)',
      '0002_index.sql':
        '-- blazon: no-transaction\ncreate index concurrently notes_id on notes (id);\nselect 1;',
    })
    expect(names(await migrate())).toEqual(['0001_create.sql', '0002_index.sql'])
    folder.write({
      '0003_unique.sql':
        '-- blazon: no-transaction\ninsert into notes values (2);\ncreate unique index concurrently notes_unique on notes (id);',
    })
    expect(await problemsOf(migrate())).toMatchObject([
      {
        code: 'E_MIGRATION_FAILED',
        subject: '0003_unique.sql:3',
        remedy: expect.stringContaining('the next run starts again at its beginning'),
      },
    ])
    expect(await count('notes')).toBe(3)
    expect((await states()).at(-1)).toBe('pending 0003_unique.sql')
  })

  it('do not run if an applied file was changed, removed or preceded by a new file', async () => {
    folder.write({
      '0001_a.sql': 'create table a (id int)',
      '0003_c.sql': 'create table c (id int)',
      '0004_d.sql': 'create table d (id int)',
    })
    await migrate()
    folder.write({ '0001_a.sql': 'create table a (id bigint)', '0002_b.sql': 'select 1' })
    folder.remove('0003_c.sql')
    folder.write({ '0005_e.sql': 'create table e (id int)' })
    const problems = await problemsOf(migrate())
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_MIGRATION_CHANGED 0001_a.sql',
      'E_MIGRATION_ORDER 0002_b.sql',
      'E_MIGRATION_MISSING 0003_c.sql',
    ])
    expect(await states()).toEqual([
      'changed 0001_a.sql',
      'late 0002_b.sql',
      'missing 0003_c.sql',
      'applied 0004_d.sql',
      'pending 0005_e.sql',
    ])
    expect(problems[2]?.remedy).toBe(
      'Restore the file: the file of an applied migration must stay in the folder.',
    )
    // One remedy has SQL for the case that the change is intended.
    await database.run(String(/update blazon.*/.exec(problems[0]?.remedy ?? '')?.[0]))
    folder.write({ '0003_c.sql': 'create table c (id int)' })
    folder.remove('0002_b.sql')
    expect(names(await migrate())).toEqual(['0005_e.sql'])
  })

  it('accept a database with newer migrations and report them, but fail in strict mode', async () => {
    folder.write({ '0001_a.sql': 'select 1', '0002_b.sql': 'select 1', '0003_c.sql': 'select 1' })
    await migrate()
    folder.remove('0003_c.sql')
    const newer: (readonly string[])[] = []
    const onNewer = (names: readonly string[]) => void newer.push(names)
    expect(await migrate({ onNewer })).toEqual([])
    expect(newer).toEqual([['0003_c.sql']])
    expect((await states()).at(-1)).toBe('newer 0003_c.sql')
    const refused = await problemsOf(migrate({ isStrict: true, onNewer }))
    expect(refused).toMatchObject([{ code: 'E_MIGRATION_MISSING', subject: '0003_c.sql' }])
    expect(refused[0]?.remedy).not.toMatch(/delete/i)
    expect(newer).toHaveLength(1)
    // A gap is not a newer version.
    folder.write({ '0003_c.sql': 'select 1' })
    folder.remove('0002_b.sql')
    expect(await problemsOf(migrate())).toMatchObject([
      { code: 'E_MIGRATION_MISSING', subject: '0002_b.sql' },
    ])
  })

  it('leave no settings for the next migration or the next user of the connection', async () => {
    const { tenantRole } = database
    folder.write({
      '0001_settings.sql': `create table seen (id int);
        select set_config('search_path', '', false);
        set local role ${tenantRole};
        set statement_timeout = '1ms'; set app.tenant_id = 'acme';`,
      '0002_table.sql': 'select pg_sleep(0.05); create table here (id int)',
      '0003_settings.sql': `-- blazon: no-transaction
        set search_path = nowhere; set role ${tenantRole}; set app.tenant_id = 'acme'`,
    })
    await migrate()
    const [settings] = await database.run(
      "select current_user = session_user as own, coalesce(current_setting('app.tenant_id', true), '') as tenant",
    )
    expect(settings).toEqual({ own: true, tenant: '' })
    expect(await count('public.here')).toBe(0)
  })

  it.each([
    [
      'the line within a statement',
      'select 1;\nselect 2,\n  nothing from pg_class',
      '0001_x.sql:3',
      /^42703: column "nothing" does not exist$/,
    ],
    [
      'the line after characters of two code units',
      "select '🦊🦊\n🦊', oops",
      '0001_x.sql:2',
      /^42703/,
    ],
    [
      'the line of a syntax error',
      'create table a (\n  id int,\n);',
      '0001_x.sql:3',
      /^42601: syntax error at or near "\)"$/,
    ],
    [
      'the line of a DO block that raises an error',
      "select 1;\n\ndo $$ begin\n  raise exception 'no' using hint = 'Try'; end $$",
      '0001_x.sql:3',
      /^P0001: no \(Try\)$/,
    ],
    [
      'no line for a deferred constraint',
      'create table a (id int unique deferrable initially deferred);\ninsert into a values (1), (1)',
      '0001_x.sql',
      /^23505/,
    ],
    [
      'the line, but not the invalid value',
      "select 'secret'::int",
      '0001_x.sql:1',
      /^22P02: invalid input syntax for type integer: "…"$/,
    ],
  ])('fail with an error that has %s', async (_, sql, subject, cause) => {
    folder.write({ '0001_x.sql': sql })
    const [problem] = await problemsOf(migrate())
    expect(problem).toMatchObject({ code: 'E_MIGRATION_FAILED', subject })
    expect(problem?.cause).toMatch(cause)
  })

  it('fail with a hint if a statement cannot run in a transaction', async () => {
    folder.write({
      '0001_x.sql': 'create table a (id int);\ncreate index concurrently on a (id)',
    })
    const [problem] = await problemsOf(migrate())
    expect(problem).toMatchObject({
      subject: '0001_x.sql:2',
      cause: expect.stringMatching(/^25001: /),
      remedy: expect.stringContaining('-- blazon: no-transaction'),
    })
  })

  it('create the tenant roles without LOGIN or other attributes, and with USAGE on the schema public', async () => {
    const { tenantRole, allTenantsRole } = database
    await migrate()
    const roles = await database.run(
      `select rolname as name, rolcanlogin or rolsuper or rolbypassrls or rolinherit as bad,
         has_schema_privilege(oid, 'public', 'usage') as public, has_schema_privilege(oid, 'blazon', 'usage') as blazon
       from pg_roles where rolname = any($1) order by rolname`,
      [[tenantRole, allTenantsRole]],
    )
    expect(roles).toEqual(
      [allTenantsRole, tenantRole].map((name) => ({
        name,
        bad: false,
        public: true,
        blazon: false,
      })),
    )
  })

  it.each(['superuser', 'bypassrls', 'login'])(
    'refuse a tenant role with the attribute %s',
    async (attribute) => {
      const { allTenantsRole } = database
      await database.run(`create role ${allTenantsRole} ${attribute}`)
      const [problem] = await problemsOf(migrate())
      expect(problem).toMatchObject({ code: 'E_DATABASE_ROLE', subject: `role ${allTenantsRole}` })
      await database.run(String(problem?.remedy.split(': ')[1]))
      expect(await migrate()).toEqual([])
    },
  )

  it('allow a login to switch to both roles without inheriting their rights', async () => {
    const { tenantRole, allTenantsRole } = database
    const login = ownName('login')
    const [{ v } = {}] = await database.run(
      "select current_setting('server_version_num')::int as v",
    )
    // From version 16 on, the membership decides about inheritance, and not the login.
    await database.run(
      `create role ${login} login ${Number(v) >= 160_000 ? 'inherit' : 'noinherit'}`,
    )
    const roles = { tenantRole, allTenantsRole, login }
    for (let time = 1; time <= 2; time++) await migrate({ roles })
    const privilege = Number(v) >= 160_000 ? 'SET' : 'MEMBER'
    const related = await database.run(
      `select pg_has_role($1::name, r.oid, '${privilege}') as becomes, pg_has_role($1::name, r.oid, 'USAGE') as inherits
       from pg_roles r where r.rolname = any($2)`,
      [login, [tenantRole, allTenantsRole]],
    )
    expect(related).toEqual(Array(2).fill({ becomes: true, inherits: false }))
  })

  it('create no roles if there are no tenants', async () => {
    folder.write({ '0001_a.sql': 'select 1' })
    expect(names(await migrate({ roles: null }))).toEqual(['0001_a.sql'])
    const found = await database.run('select from pg_roles where rolname = $1', [
      database.tenantRole,
    ])
    expect(found).toEqual([])
  })
})

/** A driver under which another process holds the lock of migrations at every first attempt to take it. */
function busyAtFirst(driver: Driver): { driver: Driver; refusals(): number } {
  let refusals = 0
  let isHeld = false
  const query = async (connection: Connection, statement: Statement) => {
    const result = await connection.query(statement)
    if (!statement.text.includes('pg_try_advisory_xact_lock')) return result
    isHeld = !isHeld
    if (!isHeld) return result
    refusals++
    return { ...result, rows: [{ mine: false }] }
  }
  const lend = async () => {
    const connection = await driver.connect()
    return replacing(connection, { query: (statement) => query(connection, statement) })
  }
  return { driver: replacing(driver, { connect: lend }), refusals: () => refusals }
}

/** The same object with other methods. */
function replacing<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(methods, key)) return methods[key as keyof T]
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
