import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { PostgresOptions } from 'blazon/postgres'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { applyMigrations } from '../../../src/integrations/postgres/migrations/apply-migrations.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { compiledProgram } from '../compiled-program.js'
import { until } from '../until.js'
import { Folder, ownServerDatabase, type ServerDatabase } from './own-database.js'
import { describeWithPgBouncer, PgBouncer } from './pgbouncer.js'
import { describeWithServer } from './server.js'

const SILENT = { info() {}, warn() {}, error() {} }

let database: ServerDatabase
let folder: Folder
let program: string
const running: ChildProcess[] = []

async function prepare() {
  database = await ownServerDatabase()
  folder = new Folder()
  program = await compiledProgram(
    fileURLToPath(new URL('./migrate-in-process.ts', import.meta.url)),
  )
}

async function cleanUp() {
  for (const child of running.splice(0)) child.kill('SIGKILL')
  folder[Symbol.dispose]()
  await database[Symbol.asyncDispose]()
}

/** Starts a process that migrates, and collects its output. */
function start(more: PostgresOptions = {}) {
  const { options, tenantRole, allTenantsRole } = database
  const place = { ...options, tenantRole, allTenantsRole, migrations: folder.path, ...more }
  const child = spawn(process.execPath, [program, JSON.stringify(place)], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
  })
  const ended = once(child, 'close')
  const applied = async (): Promise<string[]> => {
    await ended
    return JSON.parse(output.trim().split('\n').at(-1) as string)
  }
  return { child, ended, applied, output: () => output }
}

/** The options for the database behind a proxy on this port. */
function at(port: number): PostgresOptions {
  const url = new URL(database.options.url)
  url.port = String(port)
  return { url: url.href }
}

const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name)

const migrateHere = () => {
  const { driver, tenantRole, allTenantsRole } = database
  return applyMigrations(driver, { folder: folder.path, roles: { tenantRole, allTenantsRole } })
}

const recorded = async () =>
  namesOf(
    (await database.run('select name from blazon.migrations order by name')) as { name: string }[],
  )

/** A proxy that stops the data of a client when a text has been in it this number of times. */
async function stopAt(mark: string, times: number) {
  const serverPort = Number(new URL(database.options.url).port)
  const sockets = new Set<Socket>()
  let seen = 0
  const hasStopped = () => seen >= times
  const relay = createServer((client) => {
    const server = connect(serverPort, '127.0.0.1')
    client.on('data', (bytes) => {
      if (bytes.includes(mark)) seen++
      if (!hasStopped()) server.write(bytes)
    })
    server.on('data', (bytes) => client.write(bytes))
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket)
      socket.on('close', () => other.destroy())
      socket.on('error', () => other.destroy())
    }
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as { port: number }
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    relay.close()
    await once(relay, 'close')
  }
  return { port, close, hasStopped }
}

describeWithServer('migrating processes', () => {
  beforeEach(prepare)
  afterEach(cleanUp)

  it('run each migration once if three processes start concurrently', async () => {
    const files = Array.from({ length: 6 }, (_, index) => [
      `000${index + 1}_step.sql`,
      `create table step_${index} (id int); insert into step_${index} values (1); select pg_sleep(0.05)`,
    ])
    folder.write({
      ...Object.fromEntries(files),
      '0007_index.sql': '-- blazon: no-transaction\ncreate index concurrently i on step_0 (id)',
    })
    const processes = [start(), start(), start()]
    const applied = await Promise.all(processes.map((each) => each.applied()))
    const all = await recorded()
    expect(all).toHaveLength(7)
    expect(applied.flat().sort()).toEqual(all)
    const [rows] = await database.run('select count(*)::int as n from step_3')
    expect(rows).toEqual({ n: 1 })
  })

  it('wait for another process that migrates, and then have nothing to run', async () => {
    const holder = await database.driver.connect()
    await holder.script('select pg_advisory_lock(1)')
    folder.write({ '0001_long.sql': 'create table long (id int);\nselect pg_advisory_lock(1)' })
    const first = start()
    const waiting = "select from pg_locks where locktype = 'advisory' and not granted"
    await until(async () => (await database.run(waiting)).length === 1)
    const second = start()
    await until(() => second.output().includes('waits'))
    holder.destroy()
    expect(await first.applied()).toEqual(['0001_long.sql'])
    expect(await second.applied()).toEqual([])
  })

  it.each([
    ['between statements', "select 'here'", 1],
    ['before the migration is recorded', 'insert into blazon.migrations', 1],
    // The first commit ends the transaction that looks for the roles.
    ['before the commit', 'commit\0', 2],
  ])('leave no partial migration and no lock if they are killed %s', async (_, mark, times) => {
    // Creates the table of migrations, so that the proxy stops a migration and not the creation of the table.
    await migrateHere()
    folder.write({
      '0001_a.sql': "create table a (id int);\nselect 'here';\ncreate table b (id int)",
    })
    const relay = await stopAt(mark, times)
    try {
      const { child, ended } = start(at(relay.port))
      await until(relay.hasStopped)
      child.kill('SIGKILL')
      await ended
    } finally {
      await relay.close()
    }
    expect(await recorded()).toEqual([])
    const tables = "select from pg_class where relname in ('a', 'b')"
    expect(await database.run(tables)).toEqual([])
    expect(namesOf(await migrateHere())).toEqual(['0001_a.sql'])
    expect(await database.run(tables)).toHaveLength(2)
  })

  it('leave no partial migration and no lock if they are killed during a statement', async () => {
    const holder = await database.driver.connect()
    await holder.script('select pg_advisory_lock(2)')
    folder.write({ '0001_a.sql': 'create table a (id int);\nselect pg_advisory_lock(2)' })
    const { child, ended } = start()
    const waiting = "select pid from pg_locks where locktype = 'advisory' and not granted"
    await until(async () => (await database.run(waiting)).length === 1)
    child.kill('SIGKILL')
    await ended
    // The server notices the end of the process when it sends the result.
    holder.destroy()
    expect(namesOf(await migrateHere())).toEqual(['0001_a.sql'])
    expect(await recorded()).toEqual(['0001_a.sql'])
  })

  it('ignore the timeouts and transaction settings of their login', async () => {
    await migrateHere()
    const owner = await database.role('owner', 'login superuser')
    await database.run(
      `alter role ${owner} set statement_timeout = '100ms'; alter role ${owner} set default_transaction_isolation = 'serializable'; alter role ${owner} set default_transaction_read_only = on`,
    )
    folder.write({
      '0001_a.sql': 'select pg_sleep(0.3)',
      '0002_b.sql': '-- blazon: no-transaction\nset statement_timeout = 0; select pg_sleep(0.3)',
    })
    const driver = createDriver({ url: database.urlOf(owner) })
    await driver.open({ logger: SILENT })
    const applied = await applyMigrations(driver, { folder: folder.path, roles: null })
    await driver.close()
    expect(namesOf(applied)).toEqual(['0001_a.sql', '0002_b.sql'])
  })

  it('need two connections for a migration without a transaction', async () => {
    folder.write({ '0001_a.sql': '-- blazon: no-transaction\nselect 1' })
    const driver = createDriver({ url: database.options.url, connections: 1 })
    await driver.open({ logger: SILENT })
    const run = applyMigrations(driver, { folder: folder.path, roles: null })
    await expect(run).rejects.toThrow('connections to 2')
    await driver.close()
  })
})

describeWithPgBouncer('migrating processes with PgBouncer in transaction mode', () => {
  beforeEach(prepare)
  afterEach(cleanUp)

  it('run each migration once if two processes start concurrently', async () => {
    const serverPort = Number(new URL(database.options.url).port)
    await using bouncer = await PgBouncer.start({ serverPort, users: [], connections: 3 })
    folder.write({
      '0001_a.sql': 'create table a (id int); set search_path = nowhere',
      '0002_b.sql': 'insert into a values (1)',
      '0003_c.sql': '-- blazon: no-transaction\ncreate index concurrently i on a (id)',
    })
    const processes = [start(at(bouncer.port)), start(at(bouncer.port))]
    const applied = await Promise.all(processes.map((each) => each.applied()))
    expect(applied.flat().sort()).toEqual(['0001_a.sql', '0002_b.sql', '0003_c.sql'])
    expect(await recorded()).toEqual(applied.flat().sort())
  })
})
