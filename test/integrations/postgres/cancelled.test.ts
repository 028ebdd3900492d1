import { runWithTenant } from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeWithServer, runAt, Server } from './server.js'
import { StepProxy } from './step-proxy.js'
import { createShop, LOGIN, shopUrl } from './support.js'

const CANCELLED = { code: '57014' }
/** Names the tenant, because the login is a superuser and could add the row outside of a transaction, too. */
const INSERT = "insert into orders (tenant_id, note) values ('a', 'added')"

// These tests cancel the most important statements. `test/hostile/cancellations.test.ts` cancels each message.
describeWithServer('a canceled statement', () => {
  let server: Server
  let proxy: StepProxy
  let app: TestApp
  let db: Database

  beforeAll(async () => {
    server = await Server.start()
    await createShop(server)
    // For a superuser, only the role that the transaction sets keeps tenants apart.
    await runAt(shopUrl(server), `alter role ${LOGIN} superuser`)
    proxy = await StepProxy.before(server.port)
    const url = shopUrl(server, LOGIN).replace(`:${server.port}/`, `:${proxy.port}/`)
    const plugins = [postgres({ url, connections: 1 })]
    app = await TestApp.create({ plugins, tenant: {}, logger: false })
    db = app.get(Database)
  })
  beforeEach(() => look('truncate orders, items'))
  afterAll(async () => {
    await app?.close()
    await proxy?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const look = (text: string) => runAt(shopUrl(server), text)
  const asA = <T>(run: () => Promise<T>) => runWithTenant('a', run)

  /** Finds the message with this text among those of a call, and makes the server refuse it in the next call. */
  async function refuseAt(text: string, call: () => Promise<unknown>): Promise<void> {
    proxy.reset()
    await call()
    const index = proxy.steps.findIndex((step) => step.text === text)
    expect(index).toBeGreaterThanOrEqual(0)
    await look('truncate orders, items')
    void proxy.plan(index, 'refuse')
  }

  const calls: Record<string, () => Promise<unknown>> = {
    'a single query': () => asA(() => db.query(INSERT)),
    'a transaction': () => db.withTenantTransaction('a', () => db.query(INSERT)),
    'a query for all tenants': () => db.withoutTenant('the test', () => db.query(INSERT)),
  }

  describe.each(Object.entries(calls))('in %s', (_, call) => {
    it.each(['BEGIN', 'COMMIT'])(
      'saves nothing, and does not affect the next call: %s',
      async (text) => {
        await refuseAt(text, call)
        await expect(call()).rejects.toMatchObject(CANCELLED)
        expect(await look('select note from orders')).toEqual([])
        await call()
        expect(await look('select note from orders')).toHaveLength(1)
      },
    )
  })

  it('saves nothing if it is BEGIN and later statements do not wait for it', async () => {
    const call = () =>
      db.withTenantTransaction('a', async () => {
        const first = db.query(INSERT).catch((error) => error)
        await new Promise((resolve) => setImmediate(resolve))
        const second = db.query(INSERT).catch((error) => error)
        return [await first, await second]
      })
    await refuseAt('BEGIN', call)
    // The statements catch their errors, so the commit rejects.
    await expect(call()).rejects.toMatchObject(CANCELLED)
    expect(await look('select note from orders')).toEqual([])
  })

  it.each([
    'ROLLBACK TO SAVEPOINT part_2',
    'RELEASE SAVEPOINT part_2',
    'ROLLBACK TO SAVEPOINT part_1',
  ])('saves nothing if a nested transaction could not be rolled back: %s', async (text) => {
    const undone = () => Promise.reject(new Error('Undone'))
    const part = (more: () => Promise<unknown>) =>
      db
        .transaction(async () => {
          await db.query(INSERT)
          await more()
        })
        .catch(() => {})
    const call = () =>
      db.withTenantTransaction('a', async () => {
        await db.query("insert into orders (tenant_id, note) values ('a', 'kept')")
        await part(async () => {
          await part(undone)
          await db.query('select 1')
          await undone()
        })
      })
    await refuseAt(text, call)
    await expect(call()).rejects.toThrow('could not be rolled back separately')
    expect(await look('select note from orders')).toEqual([])
    await call()
    expect(await look('select note from orders')).toEqual([{ note: 'kept' }])
  })
})
