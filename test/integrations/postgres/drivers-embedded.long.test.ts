import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { ConfigError, HttpError } from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Driver } from '../../../src/integrations/postgres/driver.js'
import { LOCK_FILE } from '../../../src/integrations/postgres/drivers/open-folder.js'
import { initialFiles } from '../../../src/integrations/postgres/drivers/pglite-driver.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { ask, lend } from '../../conformance/postgres-driver.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

const logger = { info() {}, warn() {}, error() {} }
const opened: Driver[] = []
const folders: string[] = []

afterEach(async () => {
  for (const driver of opened.splice(0)) await driver.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function open(embedded: string): Promise<Driver> {
  const driver = createDriver({ embedded })
  await driver.open({ logger })
  opened.push(driver)
  return driver
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-embedded-'))
  folders.push(folder)
  return folder
}

/** Every kind of object or setting that a user could leave in a database. */
const TRACES = `
  create schema left_schema; create table left_schema.t (a int); insert into left_schema.t values (1);
  create role left_role login; grant all on schema public to left_role;
  alter role left_role set work_mem = '1MB'; insert into pg_description values (1, 1, 1, 'left');
  alter database postgres set app.remains = 'over';
  alter default privileges grant select on tables to left_role;
  comment on schema public is 'left';
  create sequence left_sequence; select nextval('left_sequence');
  create type left_type as enum ('a');
  create function left_function() returns int language sql as 'select 1';
  revoke execute on function pg_sleep(double precision) from public;
  create temp table left_temp (a int); prepare left_statement as select 1; listen left_channel;
  select set_config('app.here', 'left', false); set role left_role; reset role;
  select lo_create(4711);`

/** Finds these objects and settings. */
const LEFT = `
  select 'schema' as kind, nspname::text as name from pg_namespace where nspname like 'left\\_%' or nspname like 'pg_temp%'
  union all select 'relation', relname from pg_class where relname like 'left\\_%'
  union all select 'role', rolname from pg_roles where rolname like 'left\\_%'
  union all select 'type', typname from pg_type where typname like 'left\\_%'
  union all select 'function', proname from pg_proc where proname like 'left\\_%'
  union all select 'setting', setconfig::text from pg_db_role_setting
  union all select 'privileges', defaclacl::text from pg_default_acl
  union all select 'comment', description from pg_description where description = 'left'
  union all select 'revoked', proname from pg_proc where proname = 'pg_sleep' and proacl is not null
  union all select 'statement', name from pg_prepared_statements
  union all select 'channel', c from pg_listening_channels() as c
  union all select 'object', oid::text from pg_largeobject_metadata
  union all select 'here', s from current_setting('app.here', true) as s where s <> ''
  union all select 'database', datname from pg_database where datname not in ('postgres', 'template0', 'template1')`

describe('a database in memory', () => {
  it('is empty each time it is opened, without objects or settings of earlier databases', async () => {
    for (let time = 0; time < 2; time++) {
      const driver = await open('memory')
      expect((await ask(driver, LEFT)).rows).toEqual([])
      await lend(driver, (lent) => lent.script(TRACES))
      expect((await ask(driver, LEFT)).rowCount).toBeGreaterThan(12)
      if (time < 1) await driver.close()
    }
  })

  it('keeps no current role, setting or temporary table of a connection that is destroyed', async () => {
    const driver = await open('memory')
    const lent = await driver.connect()
    await lent.script('create role visitor; create temp table x (a int)')
    await lent.script("select set_config('app.here', 'left', false); set role visitor; begin")
    lent.destroy()
    const { rows } = await ask(
      driver,
      "select current_user, current_setting('app.here', true) as here, to_regclass('x') as x",
    )
    expect(rows).toEqual([{ current_user: 'postgres', here: expect.toSatisfy((s) => !s), x: null }])
  })

  it('rejects all calls with DATABASE_UNAVAILABLE after a crash until it is opened again', async () => {
    const driver = await open('memory')
    const lent = await driver.connect()
    await lent.query({ text: 'create table t (a int)' })
    // When the stack of JavaScript overflows, PGlite ignores the error and reports the statement as done. With the limit of
    // the driver, PostgreSQL itself notices the depth on some versions of Node.
    await lent.query({ text: "set max_stack_depth = '7MB'" })
    const sum = Array.from({ length: 20_000 }, () => '1').join('+')
    const crash = { status: 503, code: 'DATABASE_UNAVAILABLE' }
    const deep = { text: `insert into t values (${sum})` }
    await expect(lent.query(deep)).rejects.toMatchObject(crash)
    await expect(lent.query({ text: 'select 1' })).rejects.toMatchObject(crash)
    lent.destroy()
    for (let time = 0; time < 2; time++) {
      const error = await driver.connect().catch((error: unknown) => error)
      expect(error).toBeInstanceOf(HttpError)
      expect(error).toMatchObject(crash)
    }
    await driver.close()
    await driver.open({ logger })
    await expect(ask(driver, 'select 1')).resolves.toBeDefined()
  })
})

describe('the database of a second application', () => {
  /** Starts an application, reads what is in its database, and leaves traces there. */
  async function visit(migrations: string, tenantRole?: string) {
    const migrated: unknown[] = []
    const note = ({ migration }: { migration?: string }) =>
      void (migration !== undefined && migrated.push(migration))
    const database = postgres({ embedded: 'memory', migrations, ...(tenantRole && { tenantRole }) })
    await using app = await TestApp.create({
      plugins: [database],
      logger: { info: note, warn() {}, error() {} } as never,
    })
    const db = app.get(Database)
    const left = await db.sql`select text from notes`
    const roles = await db.sql<{ rolname: string }>`
      select rolname from pg_roles where rolname like 'app\\_%' or rolname in ('visitor', 'shop_tenant') order by 1`
    await db.sql`insert into notes values ('left')`
    await db.sql`create role visitor`
    await db.sql`alter table notes add column more text`
    return { migrated, left, roles: roles.map(({ rolname }) => rolname) }
  }

  const migrations = () => {
    const folder = ownFolder()
    const sql = "create table notes (text text); insert into notes values ('first');"
    writeFileSync(join(folder, '0001_create_notes.sql'), sql)
    return folder
  }

  it('starts in the state after the migrations, with no other data, until a file or a role differs', async () => {
    const folder = migrations()
    const first = await visit(folder)
    expect(first.migrated).toEqual(['0001_create_notes.sql'])
    const create = vi.spyOn(PGlite, 'create')
    expect(await visit(folder)).toEqual({ ...first, migrated: [] })
    // One for the application: none for `initdb`.
    expect(create).toHaveBeenCalledTimes(1)
    create.mockRestore()
    expect((await visit(folder, 'shop_tenant')).roles).toEqual(['app_all_tenants', 'shop_tenant'])
    writeFileSync(join(folder, '0002_fill_notes.sql'), "insert into notes values ('second')")
    const { migrated, left } = await visit(folder)
    expect(migrated).toEqual(['0001_create_notes.sql', '0002_fill_notes.sql'])
    expect(left).toEqual([{ text: 'first' }, { text: 'second' }])
  })

  it('starts from files that an earlier process has stored, without initdb', async () => {
    await initialFiles()
    vi.resetModules()
    const again = await import('../../../src/integrations/postgres/drivers/pglite-driver.js')
    expect(again.initialFiles).not.toBe(initialFiles)
    const create = vi.spyOn(PGlite, 'create')
    expect((await again.initialFiles()).entries.has('PG_VERSION')).toBe(true)
    expect(create).not.toHaveBeenCalled()
    create.mockRestore()
  })
})

describe('a database in a folder', () => {
  it('keeps its rows, and is open only once, in this process or in another', async () => {
    const folder = join(ownFolder(), 'data', 'deep')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '.hidden'), '')
    const refused = (path: string) =>
      expect(open(path)).rejects.toThrow(/It is already open, in this process or in another/)
    const first = await open(folder)
    await lend(first, (lent) =>
      lent.script('create table kept (a int); insert into kept values (1)'),
    )
    for (const path of [folder, join(folder, '.'), join(folder, '..', 'deep')]) await refused(path)
    await first.close()

    const other = await holder(folder)
    await refused(folder)
    other.kill('SIGKILL')
    await once(other, 'exit')
    const again = await open(folder)
    expect((await ask(again, 'select a from kept')).rows).toEqual([{ a: 1 }])
    await again.close()

    writeFileSync(join(folder, 'PG_VERSION'), '15\n')
    const damaged = open(folder)
    await expect(damaged).rejects.toThrow(ConfigError)
    await expect(damaged).rejects.toThrow(
      /damaged, or another version of PostgreSQL created it[\s\S]*start with a new/,
    )
    expect(readdirSync(folder)).not.toContain(LOCK_FILE)
  })
})

/** Starts another process that opens a folder. */
async function holder(folder: string): Promise<ChildProcess> {
  const script = new URL('./hold-folder.ts', import.meta.url)
  const child = fork(script, [folder], { execArgv: ['--import', 'tsx'] })
  await once(child, 'message')
  return child
}
