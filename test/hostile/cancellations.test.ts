import { postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Random } from '../conformance/random.js'
import { dirtyOf } from '../conformance/tenant-sessions.js'
import { describeWithPgBouncer, PgBouncer } from '../integrations/postgres/pgbouncer.js'
import { describeWithServer, pg, Server } from '../integrations/postgres/server.js'
import { type Mishap, type Step, StepProxy } from '../integrations/postgres/step-proxy.js'
import {
  createShop,
  LOGIN,
  leftoverOf,
  shopUrl,
  watchClients,
} from '../integrations/postgres/support.js'
import { until } from '../integrations/until.js'
import { CALLS, type Call, CancelledController, ROWS, type Told } from './cancelled-calls.js'
import { rounds, seed } from './rounds.js'

/** What goes wrong at each kind of message: cancelled is what runs, and where a connection is cut behind a message tells where the server does something with it. */
const MISHAPS: readonly (readonly [Mishap, kinds: string])[] = [
  ['refuse', 'QPBDE'],
  ['cancel', 'QE'],
  ['cut-before', 'QPBDES'],
  ['cut-behind', 'QES'],
]
const TIMES = { acquire: '20s', statement: '20s', idleInTransaction: '20s' } as const

let server: Server
let proxy: StepProxy
let observer: Client
let app: TestApp
let clients: () => Client[]

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
  await observer.query(SHARED)
}

/** Whoever was told that something is saved finds it, and nothing of what is said to be undone is there. */
async function expectTold(told: Told, call: string, where: string): Promise<void> {
  const [name] = told.keys()
  const found = await observer.query(COUNT, [`${name}%`])
  const counts = new Map(found.rows.map(({ note, count }) => [note, count]))
  for (const [note, outcome] of told) {
    const all = note === name ? (ROWS[call] ?? 1) : 1
    const allowed = outcome === 'saved' ? [all] : outcome === 'undone' ? [0] : [0, all]
    const said = `${where}: ${note} is said to be ${outcome}, SEED=${seed}`
    expect(allowed, said).toContain(counts.get(note) ?? 0)
  }
}

/** Nothing of another tenant was changed. */
async function expectKept(where: string): Promise<void> {
  const foreign = "select note, amount from orders where tenant_id = 'b'"
  expect(await look(foreign), where).toEqual([{ note: 'shared', amount: 1 }])
}

/** No connection has anything of anybody's. */
async function expectClean(where: string): Promise<void> {
  await quiet()
  await until(async () => {
    const leftovers = await Promise.all(clients().map(leftoverOf)).catch((error) => {
      // The last cancel may come late.
      if (error.code !== '57014') throw error
    })
    expect(dirtyOf(leftovers ?? []), where).toEqual([])
    return leftovers !== undefined
  })
}

/** What a call says to the server, once it is connected. */
async function stepsOf(call: Call): Promise<readonly Step[]> {
  proxy.reset()
  await call(app, 'warm')
  proxy.reset()
  await call(app, 'whole')
  return [...proxy.steps]
}

/** Makes one step of one call go wrong, and tells what the caller was told. */
async function spoil(name: string, at: number, mishap: Mishap): Promise<Told> {
  void proxy.plan(at, mishap)
  const told = await (CALLS[name] as Call)(app, `${mishap}-${at}`)
  // A cancel of the call before it may come late, and end this one before its turn.
  if (mishap === 'refuse') expect(proxy.isPlanned).toBe(false)
  proxy.reset()
  return told
}

async function openProxy(port: number): Promise<void> {
  proxy = await StepProxy.before(port)
}

async function openServer(): Promise<void> {
  server = await Server.start()
  await createShop(server)
  observer = new pg.Client({ connectionString: shopUrl(server) })
  await observer.connect()
  clients = watchClients()
}

async function closeServer(): Promise<void> {
  await observer?.end()
  await server?.[Symbol.asyncDispose]()
}

describeWithServer('a call that is cancelled', () => {
  beforeAll(async () => {
    await openServer()
    await openProxy(server.port)
  })
  afterEach(() => app?.close())
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
    await closeServer()
  })

  describe.each([
    ['nobody in particular', 'nosuperuser'],
    ['a superuser, whom policies do not concern', 'superuser'],
  ])('by %s', (_, how) => {
    beforeAll(() => observer.query(`alter role ${LOGIN} ${how}`))

    describe('at each of its steps', () => {
      beforeEach(() => start(1, proxy.port))

      it.each(Object.keys(CALLS))('is done, or is not: %s', async (name) => {
        const steps = await stepsOf(CALLS[name] as Call)
        expect(steps.length).toBeGreaterThan(5)
        for (const [mishap, kinds] of MISHAPS) {
          for (const [index, { kind, text }] of steps.entries()) {
            if (!kinds.includes(kind)) continue
            const where = `${name}, ${mishap} at ${index}: ${kind} ${text}`
            const told = await spoil(name, index, mishap)
            await expectClean(where)
            await expectTold(told, name, where)
            await expectKept(where)
          }
        }
      })

      it('is undone where its client leaves: a request that is under way', async () => {
        const path = '/cancelled/pair/'
        const leave = async (note: string, isReached: Promise<void>) => {
          const abort = new AbortController()
          const { signal } = abort
          const answer = app.asTenant('a').fetch(path + note, { method: 'POST', signal })
          const end = answer.catch(() => {})
          await Promise.race([isReached, end])
          abort.abort()
          await end
        }
        const steps = await stepsOf(CALLS['a request'] as Call)
        for (const [index, { kind, text }] of steps.entries()) {
          await leave(`left-${index}`, proxy.plan(index, 'stall'))
          // What was under way arrives behind the cancel request of who has left.
          await new Promise((resolve) => setTimeout(resolve, 3))
          proxy.unstall()
          proxy.reset()
          const where = `left at ${index}: ${kind} ${text}`
          await expectClean(where)
          const isSaving = steps.slice(0, index + 1).some(({ text }) => text === 'COMMIT')
          const told = new Map([[`left-${index}`, isSaving ? 'unknown' : 'undone'] as const])
          await expectTold(told, 'a request', where)
          await expectKept(where)
        }
      })
    })

    it('at any moment is done, or is not', async () => {
      await start(6, server.port)
      const random = new Random(seed)
      const calls = rounds(900)
      const names = Object.keys(CALLS)
      const told: [name: string, told: Told][] = []
      let isOver = false
      let left = calls
      const work = async () => {
        while (left-- > 0) {
          const name = random.pick(names)
          const note = `storm-${left}-`
          told.push([name, await (CALLS[name] as Call)(app, note)])
        }
      }
      const storm = async () => {
        while (!isOver) {
          await look(random.next() < 0.02 ? TERMINATE : CANCEL)
          await new Promise((resolve) => setTimeout(resolve, random.below(4)))
        }
      }
      const storming = storm()
      await Promise.all(Array.from({ length: 12 }, work))
      isOver = true
      await storming
      await expectClean('the storm')
      const outcomes = told.map(([, each]) => [...each.values()][0])
      expect(outcomes, `SEED=${seed}`).toContain('saved')
      expect(outcomes, `SEED=${seed}`).toContain('undone')
      for (const [name, each] of told) await expectTold(each, name, name)
      await expectKept('the storm')
    })
  })
})

describeWithPgBouncer('a call behind PgBouncer that is cancelled', () => {
  let bouncer: PgBouncer
  beforeAll(async () => {
    await openServer()
    await observer.query(`alter role ${LOGIN} superuser`)
    const how = { serverPort: server.port, users: [LOGIN], connections: 1 }
    bouncer = await PgBouncer.start(how)
    await openProxy(bouncer.port)
  })
  beforeEach(() => start(1, proxy.port))
  afterEach(() => app?.close())
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
    await bouncer?.[Symbol.asyncDispose]()
    await closeServer()
  })

  it.each(Object.keys(CALLS))('is done, or is not: %s', async (name) => {
    const steps = await stepsOf(CALLS[name] as Call)
    for (const [mishap, kinds] of MISHAPS) {
      for (const [index, { kind, text }] of steps.entries()) {
        // Most of it was tried without a pooler.
        if (!kinds.includes(kind) || kind === 'B' || kind === 'D') continue
        const where = `${name}, ${mishap} at ${index}: ${kind} ${text}`
        const told = await spoil(name, index, mishap)
        await quiet()
        await expectTold(told, name, where)
        await expectKept(where)
      }
    }
  })
})

const UNDER_WAY = `select pid from pg_stat_activity where usename = '${LOGIN}' and state <> 'idle'`
const COUNT =
  'select note, count(*)::int as count from orders where note like $1 group by note order by note'
const SHARED = "insert into orders (tenant_id, note) values ('a', 'shared'), ('b', 'shared')"
const CANCEL = `select pg_cancel_backend(pid) from pg_stat_activity where usename = '${LOGIN}'`
const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${LOGIN}'
  order by random() limit 1`
