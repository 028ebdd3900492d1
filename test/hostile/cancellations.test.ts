import { postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import type { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Random } from '../conformance/random.js'
import { dirtyOf } from '../conformance/tenant-sessions.js'
import { describeWithServer, pg, Server } from '../integrations/postgres/server.js'
import { type Mishap, StepProxy } from '../integrations/postgres/step-proxy.js'
import {
  createShop,
  LOGIN,
  leftoverOf,
  shopUrl,
  watchClients,
} from '../integrations/postgres/support.js'
import { until } from '../integrations/until.js'
import { CALLS, type Call, CancelledController, type Told } from './cancelled-calls.js'
import { rounds, seed } from './rounds.js'

const MISHAPS: readonly Mishap[] = ['refuse', 'cancel', 'cut-before', 'cut-behind']
const TIMES = { acquire: '10s', statement: '10s', idleInTransaction: '10s' } as const
/** Rows that a call has added, by its name. */
const ROWS: Readonly<Record<string, number>> = {
  'a query of its own': 1,
  'a change of rows that others have as well': 1,
  'a transaction': 2,
  'a transaction whose statements go at once': 3,
  'a transaction that does not wait': 3,
  'all tenants at once': 2,
  'a request': 2,
  'a request that leaves its tenant': 3,
}

describeWithServer('a call that is cancelled', () => {
  let server: Server
  let proxy: StepProxy
  let observer: Client
  let app: TestApp
  let clients: () => Client[]

  beforeAll(async () => {
    server = await Server.start()
    await createShop(server)
    proxy = await StepProxy.before(server.port)
    observer = new pg.Client({ connectionString: shopUrl(server) })
    await observer.connect()
    clients = watchClients()
  })
  afterAll(async () => {
    await observer?.end()
    await proxy?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const look = async (text: string) => (await observer.query(text)).rows
  /** What is under way for somebody who has left comes to its end. */
  const quiet = () => until(async () => (await look(UNDER_WAY)).length === 0)

  async function start(connections: number, port: number): Promise<void> {
    const url = shopUrl(server, LOGIN).replace(`:${server.port}/`, `:${port}/`)
    app = await TestApp.create({
      controllers: [CancelledController],
      plugins: [postgres({ url, connections, timeouts: TIMES })],
      tenant: {},
      logger: false,
      contract: 'off',
    })
    await observer.query('truncate orders, items')
    await observer.query(
      "insert into orders (tenant_id, note) values ('a', 'shared'), ('b', 'shared')",
    )
  }

  async function expectTold(told: Told, call: string, where: string): Promise<void> {
    const [name] = told.keys()
    const found = await look(
      `select note, count(*)::int as count from orders where note like '${name}%' group by note`,
    )
    const counts = new Map(found.map(({ note, count }) => [note, count]))
    for (const [note, outcome] of told) {
      const all = note === name ? (ROWS[call] ?? 1) : 1
      const allowed = outcome === 'saved' ? [all] : outcome === 'undone' ? [0] : [0, all]
      expect(allowed, `${where}: ${note} is said to be ${outcome}`).toContain(counts.get(note) ?? 0)
    }
  }

  async function expectKept(where: string): Promise<void> {
    const foreign = "select note, amount from orders where tenant_id = 'b'"
    expect(await look(foreign), where).toEqual([{ note: 'shared', amount: 1 }])
  }

  async function expectClean(where: string): Promise<void> {
    await quiet()
    for (let isLate = true; isLate; ) {
      const leftovers = await Promise.all(clients().map(leftoverOf)).catch((error) => {
        // The last cancel may come late.
        if (error.code !== '57014') throw error
      })
      isLate = leftovers === undefined
      expect(dirtyOf(leftovers ?? []), where).toEqual([])
    }
  }

  describe.each([
    ['nobody in particular', 'nosuperuser'],
    ['a superuser, whom policies do not concern', 'superuser'],
  ])('by %s', (_, how) => {
    beforeAll(() => observer.query(`alter role ${LOGIN} ${how}`))

    describe('at each of its steps', () => {
      beforeEach(() => start(1, proxy.port))

      it.each(Object.keys(CALLS))(
        'is done, or is not: %s',
        async (name) => {
          const call = CALLS[name] as Call
          proxy.reset()
          await call(app, 'warm')
          proxy.reset()
          await call(app, 'whole')
          const steps = [...proxy.steps]
          expect(steps.length).toBeGreaterThan(5)
          for (const mishap of MISHAPS) {
            for (const [index, { kind, text }] of steps.entries()) {
              const where = `${name}, ${mishap} at ${index}: ${kind} ${text}`
              const happened = proxy.plan(index, mishap)
              const told = await call(app, `${mishap}-${index}`)
              await happened
              proxy.reset()
              await expectClean(where)
              await expectTold(told, name, where)
              await expectKept(where)
            }
          }
          await app.close()
        },
        300_000,
      )
    })
  })
})

const UNDER_WAY = `select pid from pg_stat_activity where usename = '${LOGIN}' and state <> 'idle'`
