import { runWithTenant } from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeWithServer, runAt, Server } from './server.js'
import { StepProxy } from './step-proxy.js'
import { createShop, LOGIN, shopUrl } from './support.js'

const CANCELLED = { code: '57014' }
/** As whoever may do everything would add it outside of a transaction. */
const INSERT = "insert into orders (tenant_id, note) values ('a', 'added')"

// What is tried here at the steps that matter, `test/hostile/cancellations.test.ts` tries at all of them.
describeWithServer('a step that is cancelled', () => {
  let server: Server
  let proxy: StepProxy
  let app: TestApp
  let db: Database

  beforeAll(async () => {
    server = await Server.start()
    await createShop(server)
    // Nothing but its transaction keeps this one from the rows of others.
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

  /** Finds the step with this text, of those that a call takes, and has it refused the next time. */
  async function refuseAt(text: string, call: () => Promise<unknown>): Promise<void> {
    proxy.reset()
    await call()
    const index = proxy.steps.findIndex((step) => step.text === text)
    expect(index).toBeGreaterThanOrEqual(0)
    await look('truncate orders, items')
    void proxy.plan(index, 'refuse')
  }

  const calls: Record<string, () => Promise<unknown>> = {
    'a query of its own': () => asA(() => db.query(INSERT)),
    'a transaction': () => db.withTenantTransaction('a', () => db.query(INSERT)),
    'all tenants': () => db.withoutTenant('the test', () => db.query(INSERT)),
  }

  describe.each(Object.entries(calls))('of %s', (_, call) => {
    it.each(['BEGIN', 'COMMIT'])('lets nothing run or be saved without it: %s', async (text) => {
      await refuseAt(text, call)
      await expect(call()).rejects.toMatchObject(CANCELLED)
      expect(await look('select note from orders')).toEqual([])
      await call()
      expect(await look('select note from orders')).toHaveLength(1)
    })
  })

  it('keeps what comes behind it from being sent: BEGIN, and statements that do not wait', async () => {
    const call = () =>
      db.withTenantTransaction('a', async () => {
        const first = db.query(INSERT).catch((error) => error)
        await new Promise((resolve) => setImmediate(resolve))
        const second = db.query(INSERT).catch((error) => error)
        return [await first, await second]
      })
    await refuseAt('BEGIN', call)
    // Whoever catches what the statements throw is told by the commit.
    await expect(call()).rejects.toMatchObject(CANCELLED)
    expect(await look('select note from orders')).toEqual([])
  })

  it.each([
    'ROLLBACK TO SAVEPOINT part_2',
    'RELEASE SAVEPOINT part_2',
    'ROLLBACK TO SAVEPOINT part_1',
  ])('saves nothing of a part that could not be undone: %s', async (text) => {
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
    await expect(call()).rejects.toThrow('could not be rolled back alone')
    expect(await look('select note from orders')).toEqual([])
    await call()
    expect(await look('select note from orders')).toEqual([{ note: 'kept' }])
  })
})
