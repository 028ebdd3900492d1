import { Health, type RateLimitStore, runWithTenant } from 'blazon'
import { Database, type PostgresOptions, postgres } from 'blazon/postgres'
import { redisCache, redisLimits } from 'blazon/redis'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Barrier } from '../../conformance/tenant-orders.js'
import { Gate } from '../gate.js'
import { Server as RedisServer } from '../redis/server.js'
import { until } from '../until.js'
import { expectOutages, expectTrueOutcomes, lost, OUTAGE, saved, startLoad } from './load.js'
import { HALVES, PairsController, ReadyController } from './pairs.js'
import { describeWithServer, runAt, Server } from './server.js'
import { createShop, LOGIN, shopUrl } from './support.js'

const SHORT = { acquire: '300ms', statement: '500ms' } as const

let server: Server
let gate: Gate
let app: TestApp

/** Starts an application that reaches the server through the gate. */
async function start(how: PostgresOptions = {}, more: TestOptions = {}): Promise<void> {
  const database = shopUrl(server, LOGIN).replace(`:${server.port}/`, `:${gate.port}/`)
  app = await TestApp.create({
    controllers: [PairsController, ReadyController],
    providers: [Barrier],
    plugins: [postgres({ url: database, connections: 4, timeouts: SHORT, ...how })],
    tenant: {},
    logger: false,
    contract: 'off',
    ...more,
  })
}

const limited = (store: RateLimitStore) => ({ limit: 1_000_000, window: '1m', store }) as const

async function add(path: string): Promise<{ status: number; code: string | undefined }> {
  const { status, body } = await app.asTenant('a').request().post(`/pairs/${path}`)
  return { status, code: body.code }
}

const look = (text: string) => runAt(shopUrl(server), text)
const count = async (name: string) =>
  (await look(`select 1 from orders where note = '${name}'`)).length
const open = async () =>
  (await look(`select 1 from pg_stat_activity where usename = '${LOGIN}'`)).length
const works = async () => (await add(`works-${Math.random()}`)).status === 201

describeWithServer('a failing PostgreSQL', () => {
  beforeAll(async () => {
    server = await Server.start()
    await createShop(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  beforeEach(async () => {
    await server.mend()
    await look('truncate orders, items')
    gate = await Gate.before(server.port)
  })

  afterEach(async () => {
    // Throws if a request has caused an unhandled rejection.
    await app.close()
    await gate[Symbol.asyncDispose]()
  })

  describe('under load', () => {
    const more = async (what: () => number) => {
      const goal = what() + 20
      await until(() => what() > goal)
    }

    it.each(['stop', 'kill9'] as const)(
      'loses only running requests when it stops, and is used again after it restarts (%s)',
      async (how) => {
        await start()
        const { outcomes, stop } = startLoad(add)
        await more(() => saved(outcomes))
        for (let round = 0; round < 3; round++) {
          await server[how]()
          await more(() => lost(outcomes))
          await server.start()
          await more(() => saved(outcomes))
        }
        await stop()
        expectOutages(outcomes)
        await expectTrueOutcomes(outcomes, look)
      },
    )

    it('is used again after all connections are cut, each of ten times', async () => {
      await start()
      const { outcomes, stop } = startLoad(add)
      for (let round = 0; round < 10; round++) {
        await more(() => saved(outcomes))
        gate.cut()
        gate.mend()
      }
      await more(() => saved(outcomes))
      await stop()
      expectOutages(outcomes)
      await expectTrueOutcomes(outcomes, look)
    })

    it('is used again after it ends all connections, each of ten times', async () => {
      await start()
      const { outcomes, stop } = startLoad(add)
      for (let round = 0; round < 10; round++) {
        await more(() => saved(outcomes))
        await look(
          `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${LOGIN}'`,
        )
      }
      await more(() => saved(outcomes))
      await stop()
      expectOutages(outcomes)
      await expectTrueOutcomes(outcomes, look)
    })

    it('causes 503 responses while it is paused, and is used again when it resumes', async () => {
      await start()
      const { outcomes, stop } = startLoad(add)
      await more(() => saved(outcomes))
      server.pause()
      await more(() => lost(outcomes))
      server.resume()
      await more(() => saved(outcomes))
      await stop()
      expectOutages(outcomes)
      // The server may still run statements that it received before the pause.
      await until(async () => (await look(UNDER_WAY)).length === 0)
      expect(await look(HALVES)).toEqual([])
    })

    it('causes 503 responses while its replies are delayed, and is used again when they arrive', async () => {
      await start()
      const { outcomes, stop } = startLoad(add)
      await more(() => saved(outcomes))
      gate.hold()
      await more(() => lost(outcomes))
      gate.release()
      await more(() => saved(outcomes))
      await stop()
      expectOutages(outcomes)
      await until(async () => (await look(UNDER_WAY)).length === 0)
      expect(await look(HALVES)).toEqual([])
    })

    it('causes no error while it is slow within the timeouts', async () => {
      await start({ timeouts: { acquire: '1m', statement: '1m' } })
      gate.delay(20)
      const { outcomes, stop } = startLoad(add)
      await more(() => saved(outcomes))
      await stop()
      expect(lost(outcomes)).toBe(0)
      await expectTrueOutcomes(outcomes, look)
    })
  })

  describe('during a transaction', () => {
    it('saves nothing if the connection is cut between two statements', async () => {
      await start()
      const answer = add('half/slowly')
      await app.get(Barrier).reached
      gate.cut()
      app.get(Barrier).open()
      expect(await answer).toEqual({ status: 503, code: 'DATABASE_UNAVAILABLE' })
      gate.mend()
      await until(works)
      expect(await count('half')).toBe(0)
    })

    it('saves nothing if the server is killed between two statements', async () => {
      await start()
      const answer = add('half/slowly')
      await app.get(Barrier).reached
      await server.restart('kill9')
      app.get(Barrier).open()
      expect(await answer).toEqual({ status: 503, code: 'DATABASE_UNAVAILABLE' })
      await until(works)
      expect(await count('half')).toBe(0)
    })

    it('causes COMMIT_UNKNOWN if the connection is cut before the commit arrives', async () => {
      await start()
      const happened = gate.cutAt('before', 'commit')
      expect(await add('lost')).toEqual({ status: 503, code: 'COMMIT_UNKNOWN' })
      await happened
      await until(works)
      expect(await count('lost')).toBe(0)
    })

    it('causes COMMIT_UNKNOWN if the connection is cut after the commit', async () => {
      await start()
      const happened = gate.cutAt('after', 'commit')
      expect(await add('done')).toEqual({ status: 503, code: 'COMMIT_UNKNOWN' })
      await happened
      await until(works)
      expect(await count('done')).toBe(2)
    })

    it('causes COMMIT_UNKNOWN for a single statement, unless it only reads', async () => {
      await start({ connections: 1 })
      const db = app.get(Database)
      const query = (text: string) => runWithTenant('a', () => db.query(text))
      for (const moment of ['before', 'after'] as const) {
        const wrote = gate.cutAt(moment, 'commit')
        const insert = query(`insert into orders (note) values ('${moment}')`)
        await expect(insert).rejects.toMatchObject({ status: 503, code: 'COMMIT_UNKNOWN' })
        await wrote
        await until(works)
        const read = gate.cutAt(moment, 'commit')
        const select = query('select 1 from orders')
        await expect(select).rejects.toMatchObject({ status: 503, code: 'DATABASE_UNAVAILABLE' })
        await read
        await until(works)
      }
      expect([await count('before'), await count('after')]).toEqual([0, 1])
    })

    it('causes COMMIT_UNKNOWN for a SELECT or EXPLAIN that may write', async () => {
      await start({ connections: 1 })
      await look(`create or replace function add_order() returns void language sql
        as 'insert into orders (note) values (''added'')'`)
      const db = app.get(Database)
      for (const text of [
        'select add_order()',
        "explain analyze insert into orders (note) values ('added')",
      ]) {
        const wrote = gate.cutAt('after', 'commit')
        const answer = runWithTenant('a', () => db.query(text))
        await expect(answer, text).rejects.toMatchObject({ status: 503, code: 'COMMIT_UNKNOWN' })
        await wrote
        await until(works)
      }
      expect(await count('added')).toBe(2)
    })

    it('causes COMMIT_UNKNOWN for a transaction without a request', async () => {
      await start()
      const db = app.get(Database)
      const happened = gate.cutAt('after', 'commit')
      const whole = db.withTenantTransaction('a', async () => {
        await db.query("insert into orders (note) values ('job')")
        await db.query("insert into orders (note) values ('job')")
      })
      await expect(whole).rejects.toMatchObject({ status: 503, code: 'COMMIT_UNKNOWN' })
      await happened
      expect(await count('job')).toBe(2)
    })

    it('rolls back or commits both rows if its replies do not arrive', async () => {
      await start()
      await until(works)
      gate.hold()
      const { status, code } = await add('silent')
      expect([status, code]).toEqual([503, expect.stringMatching(OUTAGE)])
      gate.release()
      await until(works)
      await until(async () => (await look(UNDER_WAY)).length === 0)
      expect([0, 2]).toContain(await count('silent'))
    })

    it('rolls back a transaction that exceeds idleInTransaction', async () => {
      await start({ timeouts: { ...SHORT, idleInTransaction: '100ms' } })
      const answer = add('idle/slowly')
      await app.get(Barrier).reached
      await until(async () => (await look(UNDER_WAY)).length === 0)
      app.get(Barrier).open()
      const { status, code } = await answer
      expect([status, code]).toEqual([503, expect.stringMatching(OUTAGE)])
      await until(works)
      expect(await count('idle')).toBe(0)
    })

    it('cancels a statement that exceeds the statement timeout', async () => {
      await start({ timeouts: { ...SHORT, statement: '100ms' } })
      const db = app.get(Database)
      const sleep = runWithTenant('a', () => db.query('select pg_sleep(600)'))
      await expect(sleep).rejects.toMatchObject({ status: 503, code: 'DATABASE_TIMEOUT' })
      await until(async () => (await look(UNDER_WAY)).length === 0)
      await until(works)
    })
  })

  describe('with too few connections', () => {
    it('causes DATABASE_BUSY after the acquire timeout', async () => {
      await start({ connections: 2, timeouts: { ...SHORT, idleInTransaction: '1m' } })
      const busy = [add('1/slowly'), add('2/slowly')]
      await until(async () => (await look(UNDER_WAY)).length === 2)
      const refused = await Promise.all(Array.from({ length: 10 }, (_, i) => add(`refused-${i}`)))
      expect(new Set(refused.map(({ status, code }) => `${status} ${code}`))).toEqual(
        new Set(['503 DATABASE_BUSY']),
      )
      app.get(Barrier).open()
      expect((await Promise.all(busy)).map(({ status }) => status)).toEqual([201, 201])
      expect((await add('after')).status).toBe(201)
      expect(await look(HALVES)).toEqual([])
      expect(await look("select 1 from orders where note like 'refused%'")).toEqual([])
    })

    it('serves all requests with the connections that it accepts, and later with more connections', async () => {
      await start({ connections: 4, timeouts: { ...SHORT, acquire: '10s' } })
      await look(`alter role ${LOGIN} connection limit 2`)
      await until(works)
      const many = (prefix: string) =>
        Promise.all(Array.from({ length: 12 }, (_, i) => add(`${prefix}-${i}`)))
      for (const { status } of await many('many')) expect(status).toBe(201)
      expect(await open()).toBe(2)
      await look(`alter role ${LOGIN} connection limit -1`)
      await until(async () => {
        await many(`more-${Math.random()}`)
        return (await open()) > 2
      })
      expect(await look(HALVES)).toEqual([])
    })

    it('causes DATABASE_BUSY if all accepted connections are in use until the acquire timeout', async () => {
      await start({ connections: 3, timeouts: { ...SHORT, idleInTransaction: '1m' } })
      await look(`alter role ${LOGIN} connection limit 1`)
      await until(works)
      const slow = add('slow/slowly')
      await app.get(Barrier).reached
      expect(await add('late')).toEqual({ status: 503, code: 'DATABASE_BUSY' })
      app.get(Barrier).open()
      expect((await slow).status).toBe(201)
      await look(`alter role ${LOGIN} connection limit -1`)
    })

    it('causes an immediate 503 response if the server accepts no connection', async () => {
      await start({ timeouts: { ...SHORT, acquire: '1m' } })
      await look(`alter role ${LOGIN} connection limit 0`)
      await look(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${LOGIN}'`,
      )
      await until(async () => (await open()) === 0)
      await until(async () => (await add('none')).code === 'DATABASE_UNAVAILABLE')
      await look(`alter role ${LOGIN} connection limit -1`)
      await until(works)
    })
  })

  describe('in the health check', () => {
    const ready = async () => (await app.request().get('/ready')).status

    /** A report is used for one second. */
    const becomes = (status: number) => until(async () => (await ready()) === status)

    it('is down while it is stopped, and up after it restarts', async () => {
      await start()
      expect(await ready()).toBe(200)
      await server.stop()
      await becomes(503)
      const { plugins } = await app.get(Health).check()
      expect(plugins['postgres']).toMatchObject({ status: 'down' })
      await server.start()
      await becomes(200)
    })

    it('does not affect the liveness check while it is stopped, even if Redis is stopped too', async () => {
      await using redis = await RedisServer.start()
      const { url } = redis
      const stores = {
        cache: { store: redisCache({ url }) },
        rateLimit: limited(redisLimits({ url })),
      }
      await start({}, { health: true, ...stores })
      const get = async (path: string) => (await app.fetch(path)).status
      await until(async () => (await get('/readyz')) === 200)
      await Promise.all([server.stop(), redis.kill()])
      await until(async () => (await get('/readyz')) === 503)
      expect([await get('/livez'), await get('/startupz')]).toEqual([200, 200])
      await server.start()
      await until(async () => (await get('/readyz')) === 200)
    })

    it('is down while it is paused or unreachable, and up afterwards', async () => {
      await start()
      server.pause()
      await becomes(503)
      server.resume()
      await becomes(200)
      gate.hold()
      await becomes(503)
      gate.release()
      await becomes(200)
      gate.cut()
      await becomes(503)
      gate.mend()
      await becomes(200)
    })
  })

  describe('while the application closes', () => {
    it('does not delay the shutdown if it is paused or does not reply', async () => {
      await start()
      await until(works)
      server.pause()
      await app.close()
      server.resume()
      await start()
      await until(works)
      gate.hold()
      await app.close()
    })
  })
})

const UNDER_WAY = `select pid from pg_stat_activity where usename = '${LOGIN}' and state <> 'idle'`
