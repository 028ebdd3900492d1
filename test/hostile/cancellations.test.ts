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
import { CALLS, type Call, CancelledController, type Outcomes, ROWS } from './cancelled-calls.js'
import { rounds, seed } from './rounds.js'

/**
 * The mishaps, and the kinds of messages at which each is tried. A cancel needs a statement that runs, and a cut after a
 * message needs a message on which the server acts.
 */
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
/** Waits for the end of statements whose clients have disconnected. */
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

/** Expects the rows of calls that report `saved`, and no rows of calls that report `undone`. */
async function expectOutcomes(outcomes: Outcomes, call: string, where: string): Promise<void> {
  const [name] = outcomes.keys()
  const found = await observer.query(COUNT, [`${name}%`])
  const counts = new Map(found.rows.map(({ note, count }) => [note, count]))
  for (const [note, outcome] of outcomes) {
    const all = note === name ? (ROWS[call] ?? 1) : 1
    const allowed = outcome === 'saved' ? [all] : outcome === 'undone' ? [0] : [0, all]
    const what = `${where}: ${note} is reported as ${outcome}, SEED=${seed}`
    expect(allowed, what).toContain(counts.get(note) ?? 0)
  }
}

/** Expects that no row of another tenant was changed. */
async function expectKept(where: string): Promise<void> {
  const foreign = "select note, amount from orders where tenant_id = 'b'"
  expect(await look(foreign), where).toEqual([{ note: 'shared', amount: 1 }])
}

/** Expects that no connection has kept state of a tenant. */
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

/** The messages of a call to the server, after it has connected. */
async function stepsOf(call: Call): Promise<readonly Step[]> {
  proxy.reset()
  await call(app, 'warm')
  proxy.reset()
  await call(app, 'whole')
  return [...proxy.steps]
}

/** Makes one step of one call fail, and returns the outcomes that the call reports. */
async function spoil(name: string, at: number, mishap: Mishap): Promise<Outcomes> {
  void proxy.plan(at, mishap)
  const outcomes = await (CALLS[name] as Call)(app, `${mishap}-${at}`)
  // A late cancel of the previous call may end this one before the planned step.
  if (mishap === 'refuse') expect(proxy.isPlanned).toBe(false)
  proxy.reset()
  return outcomes
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

describeWithServer('a canceled database call', () => {
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
    ['an ordinary login', 'nosuperuser'],
    ['a superuser, for whom policies have no effect', 'superuser'],
  ])('with %s', (_, how) => {
    beforeAll(() => observer.query(`alter role ${LOGIN} ${how}`))

    describe('at each of its steps', () => {
      beforeEach(() => start(1, proxy.port))

      it.each(Object.keys(CALLS))(
        'is saved or undone, and reports this outcome to its caller: %s',
        async (name) => {
          const steps = await stepsOf(CALLS[name] as Call)
          expect(steps.length).toBeGreaterThan(5)
          for (const [mishap, kinds] of MISHAPS) {
            for (const [index, { kind, text }] of steps.entries()) {
              if (!kinds.includes(kind)) continue
              const where = `${name}, ${mishap} at ${index}: ${kind} ${text}`
              const outcomes = await spoil(name, index, mishap)
              await expectClean(where)
              await expectOutcomes(outcomes, name, where)
              await expectKept(where)
            }
          }
        },
      )

      it('is undone if the client of the request disconnects before the commit', async () => {
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
          // The stalled message arrives after the cancel request for the client that has disconnected.
          await new Promise((resolve) => setTimeout(resolve, 3))
          proxy.unstall()
          proxy.reset()
          const where = `left at ${index}: ${kind} ${text}`
          await expectClean(where)
          const isSaving = steps.slice(0, index + 1).some(({ text }) => text === 'COMMIT')
          const outcomes = new Map([[`left-${index}`, isSaving ? 'unknown' : 'undone'] as const])
          await expectOutcomes(outcomes, 'a request', where)
          await expectKept(where)
        }
      })
    })

    it('is saved or undone if it is canceled at a random moment, and reports this outcome to its caller', async () => {
      await start(6, server.port)
      const random = new Random(seed)
      const calls = rounds(900)
      const names = Object.keys(CALLS)
      const results: [name: string, outcomes: Outcomes][] = []
      let isOver = false
      let left = calls
      const work = async () => {
        while (left-- > 0) {
          const name = random.pick(names)
          const note = `storm-${left}-`
          results.push([name, await (CALLS[name] as Call)(app, note)])
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
      const firsts = results.map(([, each]) => [...each.values()][0])
      expect(firsts, `SEED=${seed}`).toContain('saved')
      expect(firsts, `SEED=${seed}`).toContain('undone')
      for (const [name, each] of results) await expectOutcomes(each, name, name)
      await expectKept('the storm')
    })
  })
})

describeWithPgBouncer('a canceled database call behind PgBouncer', () => {
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

  it.each(Object.keys(CALLS))(
    'is saved or undone, and reports this outcome to its caller: %s',
    async (name) => {
      const steps = await stepsOf(CALLS[name] as Call)
      for (const [mishap, kinds] of MISHAPS) {
        for (const [index, { kind, text }] of steps.entries()) {
          // The test without PgBouncer covers the other messages.
          if (!kinds.includes(kind) || kind === 'B' || kind === 'D') continue
          const where = `${name}, ${mishap} at ${index}: ${kind} ${text}`
          const outcomes = await spoil(name, index, mishap)
          await quiet()
          await expectOutcomes(outcomes, name, where)
          await expectKept(where)
        }
      }
    },
  )
})

const UNDER_WAY = `select pid from pg_stat_activity where usename = '${LOGIN}' and state <> 'idle'`
const COUNT =
  'select note, count(*)::int as count from orders where note like $1 group by note order by note'
const SHARED = "insert into orders (tenant_id, note) values ('a', 'shared'), ('b', 'shared')"
const CANCEL = `select pg_cancel_backend(pid) from pg_stat_activity where usename = '${LOGIN}'`
const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${LOGIN}'
  order by random() limit 1`
