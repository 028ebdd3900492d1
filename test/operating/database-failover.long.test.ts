import { runWithTenant } from 'blazon'
import { Database, type PostgresOptions, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { Barrier } from '../conformance/tenant-orders.js'
import { Gate } from '../integrations/gate.js'
import { PairsController, ReadyController } from '../integrations/postgres/pairs.js'
import { describeWithServer, runAt, Server } from '../integrations/postgres/server.js'
import { createShop, LOGIN, shopUrl } from '../integrations/postgres/support.js'
import { until } from '../integrations/until.js'

const UNAVAILABLE = { status: 503, code: 'DATABASE_UNAVAILABLE' }
const SAVED = { status: 201, code: undefined }

// In this order, because the last test ends the primary server.
describeWithServer('a database during a failover', { shuffle: false }, () => {
  let primary: Server
  let standby: Server
  let gate: Gate
  let app: TestApp | undefined

  beforeAll(async () => {
    primary = await Server.start()
    await createShop(primary)
    standby = await Server.start({
      standbyOf: primary,
      settings: { max_standby_streaming_delay: '0', hot_standby_feedback: 'off' },
    })
  })
  afterAll(async () => {
    await standby?.[Symbol.asyncDispose]()
    await primary?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    gate = await Gate.before(primary.port)
  })
  afterEach(async () => {
    await app?.close()
    await gate[Symbol.asyncDispose]()
  })

  const url = (hosts: string, parameters = '') =>
    shopUrl(primary, LOGIN).replace(/127[^/]*/, hosts) + parameters

  async function start(options: PostgresOptions): Promise<TestApp> {
    app = await TestApp.create({
      controllers: [PairsController, ReadyController],
      providers: [Barrier],
      plugins: [postgres({ connections: 4, timeouts: { acquire: '2s' }, ...options })],
      tenant: {},
      logger: false,
      contract: 'off',
    })
    return app
  }
  const add = async (name: string) => {
    const { status, body } = await (app as TestApp).asTenant('a').request().post(`/pairs/${name}`)
    return { status, code: body.code }
  }
  const isReady = async () => (await (app as TestApp).request().get('/ready')).status === 200

  it('loses its read-only connections, and makes the application not ready until it accepts writes', async () => {
    gate.lead(standby.port)
    await start({ url: url(`127.0.0.1:${gate.port}`) })
    const read = async () => (await app?.asTenant('a').request().get('/pairs'))?.status
    // Several connections are open.
    expect(await Promise.all([read(), read(), read()])).toEqual([200, 200, 200])
    expect(await isReady()).toBe(true)
    expect(await add('early')).toEqual(UNAVAILABLE)
    await until(async () => !(await isReady()))
    gate.lead(primary.port)
    expect(await Promise.all([add('one'), add('two'), add('three')])).toEqual([SAVED, SAVED, SAVED])
    await until(isReady)
    const rows = await runAt(shopUrl(primary), 'select distinct note from orders order by note')
    expect(rows).toEqual([{ note: 'one' }, { note: 'three' }, { note: 'two' }])
  })

  it('makes a write outside a transaction fail with DATABASE_UNAVAILABLE until it accepts writes', async () => {
    gate.lead(standby.port)
    const db = (await start({ url: url(`127.0.0.1:${gate.port}`) })).get(Database)
    const write = () => runWithTenant('a', () => db.sql`insert into orders (note) values ('x')`)
    await expect(write()).rejects.toMatchObject(UNAVAILABLE)
    gate.lead(primary.port)
    await expect(write()).resolves.toEqual([])
  })

  it.each([
    ['a running statement', 'select pg_sleep(60)', { name: 'PostgresError', code: '40001' }],
    ['a transaction between two statements', 'select count(*) from orders', UNAVAILABLE],
  ])('cancels work that conflicts with changes from the primary: %s', async (_, text, expected) => {
    const db = (await start({ url: url(`127.0.0.1:${standby.port}`) })).get(Database)
    await runAt(shopUrl(primary), "insert into orders (tenant_id, note) values ('a', 'old')")
    const conflict = async () => {
      await db.sql`select count(*) from orders`
      const last = db.query(text)
      last.catch(() => {})
      const isActive = `select 1 from pg_stat_activity where usename = '${LOGIN}' and query = '${text}'`
      await until(async () => (await standby.run(isActive)).length === 1)
      await runAt(shopUrl(primary), "delete from orders where note = 'old'")
      await runAt(shopUrl(primary), 'vacuum orders')
      await last
      await until(async () => (await standby.run(isActive)).length === 0)
      await db.sql`select 1`
    }
    const refused = db.withTenantTransaction('a', conflict, { isolation: 'repeatable read' })
    await expect(refused).rejects.toMatchObject(expected)
    expect(await app?.asTenant('a').request().get('/pairs')).toMatchObject({ status: 200 })
  })

  it('is reached through the writable server of a list, even after another server is promoted', async () => {
    const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`
    await start({ url: url(hosts, '?target_session_attrs=read-write') })
    expect(await add('before')).toEqual(SAVED)
    await until(async () => {
      const behind = 'select count(*)::int as rows from orders where note = $1'
      const [found] = await runAt<{ rows: number }>(shopUrl(standby), behind, ['before'])
      return found?.rows === 2
    })
    await primary.kill9()
    expect(await add('meanwhile')).toMatchObject({ status: 503 })
    await standby.run('select pg_promote()')
    await until(async () => (await add('after')).status === 201)
    const look = "select distinct note from orders where note in ('before', 'after') order by note"
    expect(await runAt(shopUrl(standby), look)).toEqual([{ note: 'after' }, { note: 'before' }])
  })
})
