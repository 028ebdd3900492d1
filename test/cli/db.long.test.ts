import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tenantTable } from 'blazon/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Folder } from '../integrations/postgres/own-database.js'
import { describeWithServer, PASSWORD, Server, SUPERUSER } from '../integrations/postgres/server.js'
import { root } from '../root.js'
import { builtPackage } from './built-package.js'
import { Project } from './project.js'
import { runInProcess } from './run-in-process.js'

const ORDERS = tenantTable('orders', { columns: ['note text'] })

let folder: string
let migrations: Folder

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'blazon db é-'))
  migrations = new Folder({ '0001_create_orders.sql': ORDERS })
  vi.stubEnv('DATABASE_URL', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  migrations[Symbol.dispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a command of `db` in this process. */
async function run(...argv: string[]) {
  return await runInProcess(['db', ...argv], folder)
}

const withDir = () => ['--dir', migrations.path]
const steady = (text: string) => text.replace(/\d+ ms/g, '5 ms').replace(/\d{4}-\S+Z/g, '<time>')

describe('blazon db with an embedded database', () => {
  it('migrates the database, prints the state of its migrations, and checks its isolation', async () => {
    const here = ['--embedded', 'data']
    migrations.write({ '0002_fill.sql': "insert into orders (tenant_id) values ('acme')" })
    const migrated = await run('migrate', ...here, ...withDir())
    expect({ ...migrated, stdout: steady(migrated.stdout) }).toEqual({
      status: 0,
      stdout: 'applied  0001_create_orders.sql  5 ms\napplied  0002_fill.sql  5 ms\n',
      stderr: '2 migrations applied.\n',
    })
    expect(await run('doctor', ...here)).toEqual({
      status: 0,
      stdout: '',
      stderr: 'No problems were found: tenants are isolated.\n',
    })
    migrations.write({ '0001_create_orders.sql': `${ORDERS}\n-- More.` })
    const refused = await run('migrate', ...here, ...withDir())
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^\[E_MIGRATION_CHANGED\] 0001_create_orders\.sql\n/)
    expect(refused.stderr).toContain('delete the folder of the embedded database')
  })

  it.each(['status', 'doctor'])('does not create a missing database: %s', async (command) => {
    const outcome = await run(command, '--embedded', 'nowhere')
    expect(outcome).toMatchObject({ status: 2, stdout: '' })
    expect(outcome.stderr).toContain('does not contain a database')
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })
})

describe('an invalid db command', () => {
  it.each([
    [['migrate'], 'No database is specified.'],
    [['migrate', '--url', 'postgres://x/y', '--embedded', 'z'], 'cannot be used with'],
    [['migrate', '--url', 'mysql://x/y'], '[E_OPTION_INVALID] migrate(): url'],
    [['doctor', '--url', 'http://secret@x'], '[E_OPTION_INVALID] doctor(): url'],
    [['migrate', '--embedded', 'data', '--dir', 'nowhere'], '[E_OPTION_INVALID] migrations'],
    [
      ['migrate', '--embedded', 'data', '--tenant-role', ''],
      '[E_OPTION_INVALID] migrate(): tenantRole',
    ],
    [['migrat'], 'Did you mean migrate?'],
    [['status', 'x'], 'too many arguments'],
    [['table'], "missing required argument 'name'"],
    [['table', 'a.b'], '[E_OPTION_INVALID] tenantTable(): name "a.b"'],
    [['table', 'a', '--id', 'serial'], 'Allowed choices are bigint, uuid, text.'],
    [['table', 'a', '--existing', '--columns', 'x int'], 'cannot be used with'],
  ])('prints an error for %j and exits with status 2', async (argv, message) => {
    const { status, stdout, stderr } = await run(...argv)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('secret')
  })
})

describe('the file .env', () => {
  const NOWHERE = 'postgres://a:hush-hush@127.0.0.1:1/file'

  it('sets the database unless an environment variable does, and the command prints the source', async () => {
    writeFileSync(join(folder, '.env'), `DATABASE_URL=${NOWHERE}\n`)
    vi.stubEnv('NODE_ENV', 'development')
    vi.stubEnv('DATABASE_URL', undefined)
    const note = 'The database comes from DATABASE_URL in .env.\n'
    for (const argv of [['status', ...withDir()], ['migrate', ...withDir()], ['doctor']]) {
      const { status, stderr } = await run(...argv)
      expect(status).toBe(1)
      expect(stderr.startsWith(note)).toBe(true)
      expect(stderr).toContain('ECONNREFUSED')
      expect(stderr).not.toContain('hush')
    }
    vi.stubEnv('DATABASE_URL', 'mysql://x/y')
    expect((await run('doctor')).stderr).toMatch(/^\[E_OPTION_INVALID\] doctor\(\): url/)
    vi.stubEnv('DATABASE_URL', '')
    expect(await run('doctor')).toMatchObject({ status: 2 })
    expect((await run('doctor', '--url', NOWHERE)).stderr).not.toContain(note)
  })

  it.each(['production', 'test'])('is ignored under NODE_ENV=%s, with a message', async (mode) => {
    writeFileSync(join(folder, '.env'), `DATABASE_URL=${NOWHERE}\n`)
    vi.stubEnv('NODE_ENV', mode)
    vi.stubEnv('DATABASE_URL', undefined)
    const { status, stderr } = await run('doctor')
    expect(status).toBe(2)
    expect(stderr).toContain(
      `The file .env sets DATABASE_URL, but is not read under NODE_ENV=${mode}.`,
    )
  })

  it('can be replaced by DATABASE_URL_FILE, whose file must exist', async () => {
    vi.stubEnv('DATABASE_URL', undefined)
    vi.stubEnv('DATABASE_URL_FILE', join(folder, 'url'))
    expect((await run('doctor')).stderr).toContain('DATABASE_URL_FILE')
    writeFileSync(join(folder, 'url'), `${NOWHERE}\n`)
    const { status, stderr } = await run('doctor')
    expect(status).toBe(1)
    expect(stderr).toContain(`The database comes from DATABASE_URL in ${join(folder, 'url')}.`)
  })
})

describe('blazon db table', () => {
  it('prints the SQL of tenantTable()', async () => {
    const columns = 'number integer not null, total numeric(12, 2) not null, note text'
    const parts = ['number integer not null', 'total numeric(12, 2) not null', 'note text']
    expect(await run('table', 'orders', '--columns', columns)).toEqual({
      status: 0,
      stdout: tenantTable('orders', { columns: parts }),
      stderr: '',
    })
  })

  it('joins the columns of several --columns options', async () => {
    const { stdout } = await run('table', 'a', '--columns', 'b int', '--columns', 'c text, d int')
    expect(stdout).toBe(tenantTable('a', { columns: ['b int', 'c text', 'd int'] }))
  })

  it.each([
    ["state text default 'a, b', note text", ["state text default 'a, b', note text"]],
    ['a int check (a in (1, 2)), b int', ['a int check (a in (1, 2)), b int']],
    ['a numeric(1, 2), b int,', ['a numeric(1, 2)', 'b int']],
    ['', []],
  ])('keeps the SQL of the columns unchanged: %s', async (text, columns) => {
    const { stdout } = await run('table', 'a', '--id', 'uuid', '--columns', text)
    expect(stdout).toBe(tenantTable('a', { id: 'uuid', columns }))
  })

  it('prints the SQL that protects an existing table, with the given schema and roles', async () => {
    const options = ['--schema', 'shop', '--tenant-role', 'one', '--all-tenants-role', 'All']
    const { status, stdout } = await run('table', 'orders', '--existing', ...options)
    expect(status).toBe(0)
    expect(stdout).toContain('alter table shop.orders\n  alter column tenant_id set default')
    expect(stdout).toContain('on shop.orders to one, "All";')
  })
})

describeWithServer('blazon db with a server', () => {
  let server: Server
  beforeAll(async () => {
    server = await Server.start({ hasPasswords: true })
  })
  beforeEach(() => void vi.stubEnv('DATABASE_URL', urlOf('postgres')))
  afterAll(() => server?.[Symbol.asyncDispose]())

  const urlOf = (database: string) => server.url(SUPERUSER, { database, password: PASSWORD })

  it('uses the database in DATABASE_URL, and grants the roles to the given login', async () => {
    await server.run(`create role shop login noinherit password '${PASSWORD}'`)
    const migrated = await run('migrate', '--login', 'shop', ...withDir())
    expect(migrated).toMatchObject({ status: 0, stderr: '1 migration applied.\n' })
    const url = server.url('shop', { password: PASSWORD })
    expect(await run('doctor', '--url', url)).toMatchObject({ status: 0, stdout: '' })
    const found = await run('doctor')
    expect(found).toMatchObject({ status: 3, stderr: '1 error, 0 warnings.\n' })
    expect(found.stdout).toMatch(
      /^error \[E_DATABASE_LOGIN\] login \S+\n {3}It is a superuser.*\n {3}\S.*\n$/,
    )
    const roles = ['--tenant-role', 'one', '--all-tenants-role', 'all_of_them', '--no-roles']
    const other = await run('migrate', ...roles, ...withDir())
    expect(other).toMatchObject({
      status: 0,
      stderr: 'Nothing to do: all migrations are applied.\n',
    })
    // The login reads the list of migrations, and changes nothing.
    const status = await run('status', '--url', url, ...withDir())
    expect(status).toMatchObject({ status: 0, stderr: '1 applied, 0 pending.\n' })
    await server.run(`create role stranger login password '${PASSWORD}'`)
    const stranger = server.url('stranger', { password: PASSWORD })
    const refused = await run('status', '--url', stranger, ...withDir())
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toContain('[E_DATABASE_LOGIN] blazon.migrations')
  })

  it('prints failed, pending and changed migrations, and what the doctor finds', async () => {
    await server.run('create database other')
    vi.stubEnv('DATABASE_URL', urlOf('other'))
    migrations.write({ '0002_fill.sql': 'select 1;\nselect nothing' })
    const failed = await run('migrate', ...withDir())
    expect({ ...failed, stdout: steady(failed.stdout) }).toEqual({
      status: 1,
      stdout: 'applied  0001_create_orders.sql  5 ms\n',
      stderr: expect.stringMatching(
        /^\[E_MIGRATION_FAILED\] 0002_fill\.sql:2\n {3}42703: column "nothing" does not exist\n {3}Correct the file/,
      ),
    })
    migrations.write({ '0002_fill.sql': 'alter table orders no force row level security' })
    await run('migrate', ...withDir())
    migrations.write({ '0003_more.sql': 'select 1' })
    const status = await run('status', ...withDir())
    expect({ ...status, stdout: steady(status.stdout) }).toEqual({
      status: 0,
      stdout:
        'applied  0001_create_orders.sql  <time>  5 ms\napplied  0002_fill.sql  <time>  5 ms\npending  0003_more.sql\n',
      stderr: '2 applied, 1 pending.\n',
    })
    const found = await run('doctor', '--json')
    expect(found).toMatchObject({ status: 3, stderr: '2 errors, 0 warnings.\n' })
    expect(JSON.parse(found.stdout)).toContainEqual(
      expect.objectContaining({ code: 'E_DATABASE_RLS', severity: 'error' }),
    )

    migrations.write({ '0001_create_orders.sql': `${ORDERS}\n-- More.` })
    const changed = await run('status', '--json', ...withDir())
    expect(changed.status).toBe(3)
    expect(JSON.parse(changed.stdout)[0]).toEqual({
      name: '0001_create_orders.sql',
      state: 'changed',
      appliedAt: expect.stringMatching(/Z$/),
      durationMs: expect.any(Number),
    })
    expect(changed.stderr).toContain('0001_create_orders.sql is changed')
  })

  it('never prints the password if the connection fails', async () => {
    const right = encodeURIComponent(PASSWORD)
    const wrong = [
      [`${SUPERUSER}:hush-hush@127.0.0.1:${server.port}/postgres`, 'authentication failed'],
      ['a:hush-hush@127.0.0.1:1/postgres', 'ECONNREFUSED'],
      ['a:hush-hush@nowhere.invalid/postgres', 'nowhere.invalid'],
      [`${SUPERUSER}:${right}@127.0.0.1:${server.port}/nope`, '"nope" does not exist'],
    ] as const
    for (const [at, message] of wrong)
      for (const argv of [
        ['migrate', ...withDir()],
        ['status', '--json', ...withDir()],
        ['doctor'],
      ]) {
        const { status, stdout, stderr } = await run(...argv, '--url', `postgres://${at}`)
        expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
        expect(stderr).toMatch(/^The database cannot be reached\.\n/)
        expect(stderr).toContain(message)
        expect(stderr).not.toContain('hush')
        expect(stderr).not.toContain(PASSWORD)
      }
  })
})

describe('the driver package', () => {
  const project = new Project([])
  afterAll(() => project.remove())

  it('is loaded from the dependencies of the command if the project does not have it', async () => {
    const outcome = await project.run(['db', 'doctor', '--url', 'postgres://127.0.0.1:1/x'])
    expect(outcome).toMatchObject({ status: 1, stderr: expect.stringContaining('ECONNREFUSED') })
  })

  it('is named if it is missing, with the command that installs it', async () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const bare = new Project(Object.keys(dependencies))
    const copy = bare.path('bare/node_modules/blazon')
    cpSync(builtPackage(), copy, { recursive: true })
    const main = join(copy, 'dist/cli/main.js')
    const ask = (...args: string[]) =>
      new Promise<{ status: number | null; stderr: string }>((resolve) => {
        const child = execFile(process.execPath, [main, 'db', ...args], (_, __, stderr) =>
          resolve({ status: child.exitCode, stderr }),
        )
      })
    const missing = await ask('doctor', '--url', 'postgres://127.0.0.1/x')
    expect(missing).toEqual({ status: 4, stderr: expect.stringContaining('npm install pg') })
    expect((await ask('table', 'orders')).status).toBe(0)
    bare.remove()
  })
})
