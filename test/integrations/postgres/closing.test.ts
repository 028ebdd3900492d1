import { setTimeout as wait } from 'node:timers/promises'
import { App, runWithTenant } from 'blazon'
import { Database, type PostgresOptions, postgres } from 'blazon/postgres'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { describeWithServer, Server } from './server.js'
import { createShop, LOGIN, shopUrl } from './support.js'

let server: Server

/** Starts an application, uses it, closes it, and returns the timers that had to run for it to close. */
async function timersOfClosing(
  use: (app: App) => Promise<unknown>,
  options: PostgresOptions = {},
): Promise<number[]> {
  const plugins = [postgres({ url: shopUrl(server, LOGIN), ...options })]
  const app = await App.create({ plugins, tenant: {}, logger: false })
  await use(app)
  const fired: number[] = []
  const { setTimeout: original } = globalThis
  const spy = vi.spyOn(globalThis, 'setTimeout')
  spy.mockImplementation(((run: () => void, ms?: number) =>
    original(() => {
      fired.push(ms ?? 0)
      run()
    }, ms)) as typeof setTimeout)
  try {
    await app.close()
  } finally {
    spy.mockRestore()
  }
  return fired
}

const query = (app: App) => app.get(Database).query('select 1')

describeWithServer('closing an idle application with PostgreSQL', () => {
  beforeAll(async () => {
    server = await Server.start()
    await createShop(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  // The time that closing takes is that of the system calls, unless it waits until a timer ends the wait.
  it.each<[string, (app: App) => Promise<unknown>, PostgresOptions]>([
    ['that was never used', async () => {}, {}],
    ['that the doctor has checked', async () => {}, { doctor: true }],
    ['with one connection', query, {}],
    ['with several connections', (app) => Promise.all([query(app), query(app), query(app)]), {}],
    [
      'with a connection that had a tenant',
      (app) => runWithTenant('a', () => app.get(Database).query('select count(*) from orders')),
      {},
    ],
    [
      'whose connections the pool has closed already',
      async (app) => {
        await query(app)
        await wait(50)
      },
      { poolOptions: { idleTimeoutMillis: 10 } },
    ],
    [
      'with a session that is not clean',
      (app) => app.get(Database).query("set application_name = 'x'"),
      {},
    ],
  ])('%s does not wait for a timeout', async (_name, use, options) => {
    expect(await timersOfClosing(use, options)).toEqual([])
  })
})
