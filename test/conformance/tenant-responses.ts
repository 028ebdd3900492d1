import { type Duration, runWithTenant } from 'blazon'
import { Database, type PostgresOptions } from 'blazon/postgres'
import type { TestApp, TestOptions } from 'blazon/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../integrations/until.js'
import { Client } from './tenant-client.js'
import type { TenantDatabase } from './tenant-database.js'
import {
  ALL_FAILURES,
  ALL_WAYS,
  AnswersController,
  Barrier,
  FailuresController,
  OrdersController,
  SlowController,
} from './tenant-orders.js'
import { cancelSleeper, UNINTERRUPTED } from './tenant-sessions.js'

const OPTIONS: TestOptions = {
  controllers: [OrdersController, AnswersController, FailuresController, SlowController],
  providers: [Barrier],
  tenant: {},
  cache: {},
  contract: 'off',
}

/** Which statements of a request are saved, and when its response is sent. */
export function describeResponses(databaseOf: () => TenantDatabase): void {
  describe('a request', () => {
    let database: TenantDatabase
    let app: TestApp
    beforeAll(async () => {
      database = databaseOf()
      app = await database.start(OPTIONS, { connections: 1, timeouts: { acquire: '1m' } })
      return () => app.close()
    })
    beforeEach(async () => {
      app.get(Barrier).reset()
      await database.asOwner('truncate orders, items')
    })
    // After each test, the one connection is free and shows no rows of another tenant.
    afterEach(async () => {
      app.get(Barrier).open()
      expect((await app.asTenant('b').request().get('/orders')).body.data).toEqual([])
    })

    const saved = () => database.look('select tenant_id, note from orders order by id')
    const post = (path: string, body: object = {}) =>
      app.asTenant('a').request().post(path).send(body)
    const at = (first: string, second: string) => `/${first}/${encodeURIComponent(second)}`

    describe('with a committed transaction', () => {
      const row = { tenant_id: 'a', note: 'held back' }

      it.each(ALL_WAYS)('gets its response after the commit: %s', async (way) => {
        const client = new Client(app)
        const held = await database.holdCommits?.()
        try {
          client.post(at('answers', way), { note: 'held back' })
          if (held !== undefined) {
            await held.reached()
            expect(client.received).toBe('')
            expect(await saved()).toEqual([])
          }
        } finally {
          await held?.release()
        }
        await client.firstByte
        expect(await saved()).toEqual([row])
        expect(await client.status()).toBeLessThan(400)
        client.destroy()
      })

      it.each(['a returned value', 'res.sendFile', 'res.redirect', 'res.json'] as const)(
        'gets its response after the commit if its method is HEAD: %s',
        async (way) => {
          const client = new Client(app)
          const held = await database.holdCommits?.()
          try {
            client.send('HEAD', `${at('answers', way)}/held%20back`)
            if (held !== undefined) {
              await held.reached()
              expect(client.received).toBe('')
            }
          } finally {
            await held?.release()
          }
          await client.firstByte
          expect(await saved()).toEqual([row])
          client.destroy()
        },
      )

      it.each(ALL_WAYS)('gets the status and body of its handler: %s', async (way) => {
        const answer = await app.asTenant('a').fetch(at('answers', way), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ note: 'x' }),
          redirect: 'manual',
        })
        const status = {
          'res.status(204).end': 204,
          'res.sendStatus': 202,
          'res.redirect': 302,
          'res.writeHead first': 201,
        }
        expect(answer.status).toBe((status as Record<string, number>)[way] ?? 200)
        const text = await answer.text()
        if (way === 'a returned value') expect(JSON.parse(text).data).toEqual({ saved: true })
        else if (/json|callback/.test(way)) expect(JSON.parse(text)).toEqual({ saved: true })
        else if (/without|204|redirect/.test(way)) expect(text).not.toContain('saved')
        else if (way === 'res.sendFile') expect(text).toContain('export class AnswersController')
        else if (way === 'res.sendStatus') expect(text).toBe('Accepted')
        else expect(text).toBe('saved')
      })
    })

    describe('with a transaction that is not committed', () => {
      it.each(ALL_WAYS)(
        'gets a 500 response without the data and headers of its handler: %s',
        async (way) => {
          const answer = await post(at('answers', way), { note: 'x', number: '1' })
          expect([answer.status, answer.body.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
          expect(answer.headers['content-type']).toContain('json')
          expect(answer.headers).not.toHaveProperty('location')
          expect(answer.headers).not.toHaveProperty('x-first')
          expect(answer.text).not.toMatch(/saved|duplicate|orders_number_key/)
          expect(await saved()).toEqual([])
        },
      )

      it.each(ALL_FAILURES)('saves nothing if the handler ends with %s', async (how, status) => {
        const answer = await post(at('failures', how))
        expect(answer.status).toBe(status)
        expect(await saved()).toEqual([])
      })
    })

    describe('with a waiting handler', () => {
      it('saves nothing when the handler times out', async () => {
        await using own = await startAnother()
        const answer = own.asTenant('a').request().post('/slow/waiting')
        const answered = answer.then((it) => it)
        await own.get(Barrier).reached
        await own.clock.advance('31s')
        expect((await answered).status).toBe(503)
        own.get(Barrier).open()
        expect((await own.asTenant('b').request().get('/orders')).status).toBe(200)
        expect(await database.look('select 1 from orders')).toEqual([])
      })

      it('saves nothing when the client disconnects', async () => {
        const client = new Client(app)
        client.post('/slow/waiting', {})
        await app.get(Barrier).reached
        client.destroy()
        // The one connection is free before the handler has ended.
        expect((await app.asTenant('b').request().get('/orders')).status).toBe(200)
        app.get(Barrier).open()
        expect(await saved()).toEqual([])
      })

      it('frees the connection when the client disconnects during a statement', async ({
        skip,
      }) => {
        skip(database.isEmbedded, UNINTERRUPTED)
        // Behind a pooler, the statement cannot be cancelled. There, the timeout of the server ends it.
        const statement = database.isPooled ? '2s' : '10m'
        await using own = await startAnother({ timeouts: { statement } })
        const client = new Client(own)
        client.post('/slow/asleep', {})
        await asleep()
        client.destroy()
        expect((await own.asTenant('b').request().get('/orders')).status).toBe(200)
        expect(await saved()).toEqual([])
        await until(async () => (await sleepers()).length === 0)
      })

      it('gets a 500 if its statement is canceled, and a 503 if its connection is ended', async ({
        skip,
      }) => {
        skip(database.isEmbedded, UNINTERRUPTED)
        const cancelled = post('/slow/asleep').then(({ status }) => status)
        await cancelSleeper(database, 602)
        expect(await cancelled).toBe(500)
        const cut = post('/slow/asleep').then(({ status, body }) => [status, body.code])
        await cancelSleeper(database, 602, 'terminate')
        expect(await cut).toEqual([503, 'DATABASE_UNAVAILABLE'])
        expect(await saved()).toEqual([])
      })

      const sleepers = () =>
        database.look(
          "select pid from pg_stat_activity where state = 'active' and query like 'select pg_sleep(602)%'",
        )
      const asleep = () => until(async () => (await sleepers()).length > 0)
      const startAnother = (how: PostgresOptions = {}) =>
        database.start(OPTIONS, { connections: 1, ...how })
    })

    describe('with a handler that continues after the response', () => {
      it('saves a late statement in a separate transaction', async () => {
        expect((await post('/slow/background')).status).toBe(200)
        const { outcome } = app.get(SlowController).after
        expect(await saved()).toEqual([{ tenant_id: 'a', note: 'of the request' }])
        app.get(Barrier).open()
        await outcome
        expect(await saved()).toEqual([
          { tenant_id: 'a', note: 'of the request' },
          { tenant_id: 'a', note: 'of what goes on' },
        ])
      })

      it('refuses a late statement if the request has failed', async () => {
        expect((await post('/slow/background', { fails: true })).status).toBe(500)
        app.get(Barrier).open()
        const { outcome } = app.get(SlowController).after
        await expect(outcome).rejects.toThrow('rolled back')
        expect(await saved()).toEqual([])
      })
    })

    describe('with a cached response', () => {
      const ask = (how: string, by: string) =>
        app
          .asTenant('a')
          .request()
          .get('/slow/cached')
          .query({ how, by, key: `${how} ${by}` })

      it.each(
        ['refused at commit', 'swallowed', 'thrown'].flatMap((how) => [
          [how, 'value'],
          [how, 'res.json'],
        ]),
      )(
        'does not cache a response whose transaction failed: %s, response by %s',
        async (how, by) => {
          for (let i = 0; i < 3; i++) expect((await ask(how, by)).status).toBe(500)
          expect(
            (await Promise.all([ask(how, by), ask(how, by)])).map(({ status }) => status),
          ).toEqual([500, 500])
          expect(await saved()).toEqual([])
        },
      )

      it.each(['value', 'res.json'])(
        'caches a response whose transaction was committed: response by %s',
        async (by) => {
          expect((await ask('good', by)).headers['x-cache']).toBe('MISS')
          expect((await ask('good', by)).headers['x-cache']).toBe('HIT')
          expect(await saved()).toHaveLength(1)
        },
      )
    })

    it('never reads rows of another tenant among 40 concurrent requests', async () => {
      const tenants = ['a', 'c', 'd', 'e']
      await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const tenant = tenants[i % 4] as string
          const caller = app.asTenant(tenant)
          await caller
            .request()
            .post('/orders')
            .send({ note: `of ${tenant}` })
            .expect(201)
          const { body } = await caller.request().get('/orders')
          const strangers = body.data.filter(
            (each: { note: string }) => each.note !== `of ${tenant}`,
          )
          expect(strangers).toEqual([])
        }),
      )
    })
  })

  describe('guards and middlewares', () => {
    it('use no connection while a client sends its body', async () => {
      const database = databaseOf()
      let asked = 0
      class AskingGuard {
        async canActivate() {
          await app.get(Database).query('select count_orders()')
          asked++
          return true
        }
      }
      const middleware = async (_req: unknown, _res: unknown, next: () => void) => {
        await app.get(Database).query('select name from plans')
        asked++
        next()
      }
      await using app = await database.start(
        {
          ...OPTIONS,
          auth: { guard: new AskingGuard(), default: 'protected' },
          middlewares: [middleware],
        },
        { connections: 1 },
      )
      const client = new Client(app)
      const body = '{"note":"slow"}'
      client.begin('/slow/upload', body.length)
      client.socket.write(body.slice(0, 5))
      await until(() => asked === 2)
      for (let i = 0; i < 3; i++) {
        expect((await app.asTenant('b').request().get('/orders')).status).toBe(200)
      }
      expect(client.received).toBe('')
      client.socket.write(body.slice(5))
      expect(await client.status()).toBe(200)
      client.destroy()
      expect(await database.look("select note from orders where note = 'slow'")).toHaveLength(1)
    })
  })

  describe('a closing application', () => {
    /** Starts an application, and collects the rows that are saved when all its requests have ended. */
    async function start(close: Duration) {
      const database = databaseOf()
      const saved: unknown[] = []
      const look = {
        name: 'look',
        onClose: async () => {
          saved.push(...(await database.look('select note from orders order by id')))
        },
      }
      const app = await database.start({ ...OPTIONS, plugins: [look], timeouts: { close } })
      await database.asOwner('truncate orders, items')
      return { app, saved }
    }

    it('saves the rows of a stream, including rows written after the abort signal', async () => {
      const { app, saved } = await start('1h')
      const client = new Client(app)
      client.post('/slow/streaming', {})
      await client.firstByte
      await app.close()
      expect(saved).toEqual([{ note: 'of a stream' }, { note: 'of its end' }])
      expect(client.received).toMatch(/2\r\n0\r\n\r\n$/)
    })

    it('saves nothing from a request that it aborts', async () => {
      const { app, saved } = await start('20ms')
      new Client(app).post('/slow/waiting', {})
      await app.get(Barrier).reached
      await app.close()
      app.get(Barrier).open()
      expect(saved).toEqual([])
    })
  })

  describe('a transaction without a request', () => {
    it('runs for the tenant passed to runWithTenant()', async () => {
      const database = databaseOf()
      await using app = await database.start(OPTIONS, { connections: 2 })
      const db = app.get(Database)
      const count = async (tenant: string) =>
        runWithTenant(tenant, async () => {
          await db.query("insert into orders (note) values ('of a job')")
          return (await db.query('select note from orders')).rowCount
        })
      expect(await Promise.all(['job1', 'job2', 'job3'].map(count))).toEqual([1, 1, 1])
    })
  })
}
