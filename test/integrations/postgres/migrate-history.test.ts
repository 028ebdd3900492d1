import { ConfigError } from 'blazon'
import type { Problem } from 'blazon/plugin'
import { PostgresError } from 'blazon/postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Connection, Driver, Statement } from '../../../src/integrations/postgres/driver.js'
import {
  type AppliedMigration,
  type ApplyOptions,
  applyMigrations,
} from '../../../src/integrations/postgres/migrations/apply-migrations.js'
import {
  compareHistory,
  type MigrationRecord,
  pendingFiles,
  readHistory,
  stateInMemory,
} from '../../../src/integrations/postgres/migrations/history.js'
import type { MigrationFile } from '../../../src/integrations/postgres/migrations/migration-files.js'
import { Folder, type OwnDatabase, ownEmbeddedDatabase } from './own-database.js'

const AT = new Date('2030-01-02T03:04:05Z')
const file = (name: string, checksum = 'same') => ({ name, checksum }) as MigrationFile
const record = (name: string, checksum = 'same'): MigrationRecord => ({
  ...{ name, checksum },
  ...{ appliedAt: AT, durationMs: 7 },
})

function problemsIn(run: () => unknown): readonly Problem[] {
  try {
    run()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

async function rejectedWith(run: Promise<unknown>): Promise<Problem | undefined> {
  const error = await run.then(
    () => new Error('It did not reject.'),
    (reason: unknown) => reason,
  )
  if (error instanceof ConfigError) return error.problems[0]
  throw error
}

describe('the migrations of a folder and of a database', () => {
  const files = ['0001_a', '0002_b', '0004_d', '0006_f'].map((name) => file(`${name}.sql`))
  const records = ['0001_a', '0003_c', '0004_d'].map((name) => record(`${name}.sql`))

  it('are compared by name and by checksum', () => {
    const [first, ...others] = records
    const changed = { ...(first as MigrationRecord), checksum: 'other' }
    const all = compareHistory(files, [changed, ...others])
    expect(all.map(({ name, state }) => `${name} ${state}`)).toEqual([
      '0001_a.sql changed',
      '0002_b.sql late',
      '0003_c.sql missing',
      '0004_d.sql applied',
      '0006_f.sql pending',
    ])
    expect(all[0]).toMatchObject({ appliedAt: AT, durationMs: 7 })
    expect(all[4]).toMatchObject({ appliedAt: null, durationMs: null })
  })

  it('are newer only after the last file', () => {
    const later = [record('0005_e.sql'), record('0006_f.sql'), record('0007_g.sql')]
    const states = compareHistory(files, [...records, ...later]).map(({ state }) => state)
    expect(states).toEqual(['applied', 'late', 'missing', 'applied', 'missing', 'applied', 'newer'])
    expect(compareHistory([], [record('0001_a.sql')])).toMatchObject([{ state: 'newer' }])
    expect(compareHistory([], [])).toEqual([])
  })

  const AGREED = { isStrict: false, isEmbedded: false }

  it('are pending in the order of the files, also after those of a newer version', () => {
    const all = [file('0001_a.sql'), file('0002_b.sql'), file('0003_c.sql')]
    expect(pendingFiles(all, [record('0001_a.sql')], AGREED)).toEqual(all.slice(1))
    expect(pendingFiles(all.slice(0, 1), [...all.map(({ name }) => record(name))], AGREED)).toEqual(
      [],
    )
  })

  it('that differ are reported, each with its remedy', () => {
    const all = [file('0001_a.sql', "it's"), file('0002_b.sql')]
    const applied = [record('0001_a.sql'), record('0003_c.sql')]
    const problems = problemsIn(() => pendingFiles(all, applied, { ...AGREED, isStrict: true }))
    expect(problems).toEqual([
      {
        code: 'E_MIGRATION_CHANGED',
        subject: '0001_a.sql',
        cause: 'Its file has changed since it was applied.',
        remedy:
          "Undo the change, and put it into a new migration. If the old and the new content have the same effect: update blazon.migrations set checksum = 'it''s' where name = '0001_a.sql'",
      },
      {
        code: 'E_MIGRATION_ORDER',
        subject: '0002_b.sql',
        cause: 'It is new, but a later migration has already been applied.',
        remedy: 'Rename it, so that it is the last migration.',
      },
      {
        code: 'E_MIGRATION_MISSING',
        subject: '0003_c.sql',
        cause: 'It was applied by a newer version of the application.',
        remedy:
          'Deploy a version that contains this migration. Without `--strict`, the migration is allowed.',
      },
    ])
    const missing = [record('0000_z.sql'), record('0001_a.sql', "it's")]
    expect(problemsIn(() => pendingFiles(all, missing, AGREED))).toMatchObject([
      {
        code: 'E_MIGRATION_MISSING',
        cause: 'It was applied, but its file is missing.',
        remedy: 'Restore the file: the file of an applied migration must stay in the folder.',
      },
    ])
    const embedded = { ...AGREED, isEmbedded: true }
    const [begin] = problemsIn(() => pendingFiles(all, [record('0001_a.sql')], embedded))
    expect(begin?.remedy).toContain('delete the folder of the embedded database')
  })
})

it('the state of a new in-memory database depends on its roles and its migrations', async () => {
  const roles = { tenantRole: 'one', allTenantsRole: 'all' }
  using folder = new Folder({ '0001_a.sql': 'select 1' })
  const stateOf = (more: object, others = {}) =>
    stateInMemory({ embedded: 'memory', ...more }, { ...roles, ...others })
  const migrations = folder.path
  const state = await stateOf({ migrations })
  expect(await stateOf({ migrations })).toBe(state)
  expect(await stateOf({})).not.toBe(state)
  expect(await stateOf({ migrations }, { tenantRole: 'other' })).not.toBe(state)
  folder.write({ '0001_a.sql': 'select 2' })
  expect(await stateOf({ migrations })).not.toBe(state)
  for (const place of [{ embedded: './data' }, { embedded: undefined, url: 'postgres://host' }])
    expect(await stateInMemory({ ...place, migrations } as never, roles)).toBeUndefined()
})

it('a login that may not read the history is told which login to use', async () => {
  const refusing = (code: string) =>
    ({
      query: async () => Promise.reject(new PostgresError('no', { code })),
    }) as unknown as Connection
  expect(await rejectedWith(readHistory(refusing('42501')))).toEqual({
    code: 'E_DATABASE_LOGIN',
    subject: 'blazon.migrations',
    cause: 'This login is not allowed to use or create the table blazon.migrations.',
    remedy: 'Migrate with the login that owns the tables.',
  })
  await expect(readHistory(refusing('42P01'))).rejects.toBeInstanceOf(PostgresError)
})

describe('migrations of an embedded database', () => {
  let database: OwnDatabase
  const folder = new Folder()
  const reported: string[] = []
  const newer: (readonly string[])[] = []
  const hooks = {
    onApplied: ({ name, durationMs }: AppliedMigration) =>
      reported.push(`${name} ${Number.isInteger(durationMs)}`),
    onNewer: (names: readonly string[]) => newer.push(names),
    onWait: () => reported.push('waits'),
  }
  let applied: AppliedMigration[]

  beforeAll(async () => {
    database = await ownEmbeddedDatabase()
    folder.write({
      '0001_a.sql': "create table a (id int); set search_path = nowhere; set app.tenant_id = 'x'",
      '0002_b.sql': '-- blazon: no-transaction\ninsert into a values (1); set role pg_monitor',
      '0003_c.sql': 'insert into a values (2)',
    })
    applied = await migrate(hooks)
  })
  // Each test may change the files after the second.
  afterEach(() => {
    folder.write({ '0003_c.sql': 'insert into a values (2)', '0004_x.sql': '' })
    folder.remove('0004_x.sql')
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  const migrate = (more: Partial<ApplyOptions> = {}) =>
    applyMigrations(database.driver, { folder: folder.path, roles: null, ...more })

  it('are applied once each, are reported, and leave no settings', async () => {
    expect(applied.map(({ name }) => name)).toEqual(['0001_a.sql', '0002_b.sql', '0003_c.sql'])
    expect(reported).toEqual(['0001_a.sql true', '0002_b.sql true', '0003_c.sql true'])
    expect(await migrate(hooks)).toEqual([])
    expect(await database.run('select id from a order by id')).toEqual([{ id: 1 }, { id: 2 }])
    expect(newer).toEqual([])
    folder.remove('0003_c.sql')
    expect(await migrate(hooks)).toEqual([])
    expect(newer).toEqual([['0003_c.sql']])
    const strict = rejectedWith(migrate({ ...hooks, isStrict: true }))
    expect(await strict).toMatchObject({ code: 'E_MIGRATION_MISSING', subject: '0003_c.sql' })
    expect(newer).toHaveLength(1)
  })

  it.each<[sql: string, subject: string, cause: string | RegExp, remedy: RegExp]>([
    [
      'select 1;\nselect 2,\n  nothing from pg_class',
      '0004_x.sql:3',
      '42703: column "nothing" does not exist',
      /^Correct the file, and migrate again/,
    ],
    ["select '🦊🦊\n🦊',\noops", '0004_x.sql:3', /^42703/, /^Correct/],
    [
      "\n\ndo $$ begin raise exception 'no' using hint = 'Try'; end $$",
      '0004_x.sql:3',
      'P0001: no (Try)',
      /^Correct/,
    ],
    [
      'create table b (id int unique deferrable initially deferred);\ninsert into b values (1), (1)',
      '0004_x.sql',
      /^23505/,
      /^Correct/,
    ],
    [
      "select 'secret'::int",
      '0004_x.sql:1',
      '22P02: invalid input syntax for type integer: "…"',
      /^Correct/,
    ],
    [
      'create index concurrently on a (id)',
      '0004_x.sql:1',
      /^25001/,
      /^Put the statement into a separate file, whose first line is: -- blazon: no-transaction$/,
    ],
    [
      '-- blazon: no-transaction\nselect 1;\nselect oops',
      '0004_x.sql:3',
      /^42703/,
      /^The statements above this line were run, and their effects remain\./,
    ],
  ])('report the line and the reason of a failure: %s', async (sql, subject, cause, remedy) => {
    folder.write({ '0004_x.sql': sql })
    const problem = await rejectedWith(migrate())
    expect(problem).toMatchObject({ code: 'E_MIGRATION_FAILED', subject })
    expect(problem?.cause).toEqual(typeof cause === 'string' ? cause : expect.stringMatching(cause))
    expect(problem?.remedy).toMatch(remedy)
    const names = await database.run('select name from blazon.migrations')
    expect(names).toHaveLength(3)
  })

  it('let a login read their names, but not change them', async () => {
    await database.run('create role service login')
    const roles = { tenantRole: 'one', allTenantsRole: 'every', login: 'service' }
    for (let time = 1; time <= 2; time++) expect(await migrate({ roles })).toEqual([])
    const may = (privilege: string) =>
      database.run(
        `select has_table_privilege('service', 'blazon.migrations', '${privilege}') as may`,
      )
    expect([await may('select'), await may('insert')]).toEqual([[{ may: true }], [{ may: false }]])
  })

  it('wait for another process, and report that once', async () => {
    let held = 2
    const { driver } = database
    const connect = async () => {
      const connection = await driver.connect()
      const query: Connection['query'] = async (statement) => {
        const result = await connection.query(statement)
        const isLock = statement.text.includes('pg_try_advisory_xact_lock')
        return isLock && held-- > 0 ? { ...result, rows: [{ mine: false }] } : result
      }
      return Object.assign(Object.create(connection), {
        query,
        script: connection.script.bind(connection),
        release: connection.release.bind(connection),
        destroy: connection.destroy.bind(connection),
      })
    }
    let waits = 0
    const waiting = Object.assign(Object.create(driver), { connect })
    const onWait = () => void waits++
    expect(await applyMigrations(waiting, { folder: folder.path, roles: null, onWait })).toEqual([])
    expect([waits, held < 0]).toEqual([1, true])
    expect(await database.run('select 1 as one')).toEqual([{ one: 1 }])
  })
})

/** A server without tables, except for the history. It accepts every statement. */
function openServer(size: number) {
  const sent: string[] = []
  const records: object[] = []
  const query = async ({ text, values = [] }: Statement) => {
    if (text.includes('insert into')) {
      const [name, checksum] = values
      records.push({ name, checksum, applied_at: AT, duration_ms: 1 })
    }
    const isHistory = text.startsWith('select name, checksum')
    return { rows: isHistory ? records : [{ mine: true, found: true, duration_ms: 1 }] }
  }
  const connect = async () => ({
    query,
    script: async (text: string) => void sent.push(text),
    release: () => sent.push('release'),
    destroy: () => sent.push('destroy'),
  })
  return { driver: { size, isEmbedded: false, connect } as unknown as Driver, sent }
}

it('a migration without a transaction runs on a second connection of a server', async () => {
  using folder = new Folder({ '0001_a.sql': '-- blazon: no-transaction\nselect 2' })
  const run = ({ driver }: { driver: Driver }) =>
    applyMigrations(driver, { folder: folder.path, roles: null })
  const small = openServer(1)
  expect(await rejectedWith(run(small))).toEqual({
    code: 'E_MIGRATION_FAILED',
    subject: '0001_a.sql',
    cause:
      'It runs without a transaction, on a second connection, because the migration lock uses the first.',
    remedy: 'Set connections to 2 or more.',
  })
  expect(small.sent.at(-1)).toBe('destroy')
  const { driver, sent } = openServer(2)
  expect(await run({ driver })).toEqual([{ name: '0001_a.sql', durationMs: 1 }])
  const begin = 'begin isolation level read committed read write'
  expect(sent).toEqual([
    ...[begin, 'commit', 'release'],
    ...[begin, 'select 1', 'select 2', expect.stringMatching(/reset role; reset all$/)],
    ...['destroy', 'commit', 'release'],
    ...[begin, 'commit', 'release'],
  ])
})
