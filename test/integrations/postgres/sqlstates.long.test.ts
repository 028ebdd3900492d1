import { readFileSync } from 'node:fs'
import { Controller, inject, Post, type Request } from 'blazon'
import { Database, postgres, Transactional } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { Barrier } from '../../conformance/tenant-orders.js'
import { until } from '../until.js'
import { ownServerDatabase, type ServerDatabase } from './own-database.js'
import { PairsController } from './pairs.js'
import { describeWithPgBouncer, PgBouncer } from './pgbouncer.js'
import { describeWithServer, Server } from './server.js'
import { createShop, LOGIN } from './support.js'

interface Row {
  readonly states: readonly string[]
  readonly response: string
  readonly isClosed: boolean
  readonly isRetried: boolean
}

/** The rows of the table in the documentation. */
function documented(): Row[] {
  const page = readFileSync(new URL('../../../docs/postgres.md', import.meta.url), 'utf8')
  const [, table = ''] = /### What an SQLSTATE leads to[\s\S]+?\n(\|[\s\S]+?)\n\n/.exec(page) ?? []
  return table
    .split('\n')
    .slice(2)
    .map((line) => {
      const [states = '', , response = '', connection = '', retried = ''] = line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
      return {
        states: [...states.matchAll(/`(\w{5})`/g)].map(([, state]) => state as string),
        response: response.replaceAll('`', ''),
        isClosed: connection.startsWith('closed'),
        isRetried: retried === 'yes',
      }
    })
}

const ROWS = documented()
const CASES = ROWS.flatMap((row) => row.states.map((state) => [state, row] as const))

let attempts = 0

@Controller('states')
class StatesController {
  private readonly db = inject(Database)

  @Post(':state')
  @Transactional({ retries: 1 })
  async refuse({ params }: Request<{ state: string }>) {
    attempts++
    await this.db.sql`select refuse(${params.state})`
  }
}

const REFUSE = `create function refuse(state text) returns void language plpgsql as
  $$ begin raise exception using errcode = state; end $$`

it('the documented table of error codes is not empty', () => {
  expect(ROWS.every(({ states }) => states.length > 0)).toBe(true)
  for (const state of ['25006', '57P01', '57P02', '57P03', '53100', '53300', '40001', '40P01'])
    expect(CASES.map(([each]) => each)).toContain(state)
})

describeWithServer('a statement error', () => {
  let database: ServerDatabase
  let app: TestApp

  beforeAll(async () => {
    database = await ownServerDatabase()
    const plugin = postgres({ url: database.options.url, connections: 1 })
    app = await TestApp.create({
      controllers: [StatesController],
      plugins: [plugin],
      logger: false,
      contract: 'throw',
    })
    await app.get(Database).query(REFUSE)
  })
  afterAll(async () => {
    await app?.close()
    await database?.[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    attempts = 0
  })

  const pid = async () => (await app.get(Database).sql`select pg_backend_pid() as pid`)[0]?.['pid']

  it.each(CASES)('results in the documented response: %s', async (state, row) => {
    const before = await pid()
    const { status, body, headers } = await app.request().post(`/states/${state}`)
    expect(`${status} ${body.code}`).toBe(row.response)
    expect(attempts).toBe(row.isRetried ? 2 : 1)
    expect(headers['retry-after']).toBe(row.isRetried ? '1' : undefined)
    expect((await pid()) !== before).toBe(row.isClosed)
  })
})

describeWithServer('conflicting transactions', () => {
  let database: ServerDatabase
  let app: TestApp
  let db: Database

  beforeAll(async () => {
    database = await ownServerDatabase()
    app = await TestApp.create({ plugins: [postgres(database.options)], logger: false })
    db = app.get(Database)
    await db.sql`create table counters (name text primary key, value integer not null)`
    await db.sql`insert into counters values ('a', 0), ('b', 0), ('c', 0)`
  })
  afterAll(async () => {
    await app?.close()
    await database?.[Symbol.asyncDispose]()
  })

  const add = async (name: string) => {
    const [row] = await db.sql<{ value: number }>`select value from counters where name = ${name}`
    await db.sql`update counters set value = ${(row?.value ?? 0) + 1} where name = ${name}`
  }

  it('lose no change if they are serializable and are retried', async () => {
    let calls = 0
    const count = () => {
      calls++
      return add('c')
    }
    const options = { isolation: 'serializable', retries: 10 } as const
    const all = Array.from({ length: 10 }, () => db.transaction(count, options))
    const outcomes = await Promise.allSettled(all)
    const saved = outcomes.filter(({ status }) => status === 'fulfilled').length
    expect(saved).toBeGreaterThan(5)
    expect(calls).toBeGreaterThan(10)
    expect(await db.sql`select value from counters where name = 'c'`).toEqual([{ value: saved }])
  })

  it('recover from a deadlock by a retry', async () => {
    const barrier = { a: false, b: false }
    const change = async (names: readonly ['a' | 'b', string]) => {
      await db.sql`update counters set value = value + 100 where name = ${names[0]}`
      barrier[names[0]] = true
      await until(() => barrier.a && barrier.b)
      await db.sql`update counters set value = value + 100 where name = ${names[1]}`
    }
    const before = await db.sql<{
      value: number
    }>`select value from counters where name < 'c' order by name`
    await Promise.all([
      db.transaction(() => change(['a', 'b']), { retries: 5 }),
      db.transaction(() => change(['b', 'a']), { retries: 5 }),
    ])
    const after = await db.sql<{
      value: number
    }>`select value from counters where name < 'c' order by name`
    expect(after.map(({ value }, at) => value - (before[at]?.value ?? 0))).toEqual([200, 200])
  })
})

describeWithPgBouncer('an error from PgBouncer', () => {
  let server: Server
  beforeAll(async () => {
    server = await Server.start()
    await createShop(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  async function start(settings: readonly string[], connections = 4) {
    const how = { serverPort: server.port, users: [LOGIN], connections: 1, settings }
    const bouncer = await PgBouncer.start(how)
    const app = await TestApp.create({
      controllers: [PairsController],
      providers: [Barrier],
      plugins: [
        postgres({
          url: bouncer.url(LOGIN, 'shop'),
          connections,
          timeouts: { acquire: '5s', statement: '3s' },
        }),
      ],
      tenant: {},
      logger: false,
      contract: 'off',
    })
    const add = async (path: string) => {
      const { status, body } = await app.asTenant('a').request().post(`/pairs/${path}`)
      return `${status} ${body.code ?? ''}`
    }
    const close = async () => {
      await app.close()
      await bouncer[Symbol.asyncDispose]()
    }
    return { app, add, close }
  }

  it('makes a request wait for a connection if PgBouncer accepts no more connections', async () => {
    const { add, close } = await start(['max_client_conn = 2'])
    await until(async () => (await add('first')) === '201 ')
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => add(`full-${i}`)))
    expect(new Set(answers)).toEqual(new Set(['201 ']))
    await close()
  })

  it('results in DATABASE_UNAVAILABLE if no server connection becomes free in time', async () => {
    const { app, add, close } = await start(['query_wait_timeout = 1'])
    const slow = add('slow/slowly')
    await app.get(Barrier).reached
    expect(await add('waits')).toBe('503 DATABASE_UNAVAILABLE')
    app.get(Barrier).open()
    expect(await slow).toBe('201 ')
    expect(await add('later')).toBe('201 ')
    await close()
  })

  it('results in 503 responses while the PostgreSQL server is stopped, but not after it restarts', async () => {
    const { add, close } = await start(['server_login_retry = 1'])
    expect(await add('before')).toBe('201 ')
    await server.stop()
    for (const name of ['stopped', 'still'])
      expect(await add(name)).toMatch(/^503 (?:DATABASE_(?:UNAVAILABLE|TIMEOUT)|COMMIT_UNKNOWN)$/)
    await server.start()
    await until(async () => (await add('after')) === '201 ')
    await close()
  })
})
