import { Controller, Post, type Request } from 'blazon'
import { type RedisOptions, redisCache, redisLimits, redisSessions } from 'blazon/redis'
import { sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { createClient, type RedisClientType } from 'redis'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { Gate } from '../integrations/gate.js'
import { describeWithServer, ownPrefix, Server } from '../integrations/redis/server.js'
import { entry, testContext } from '../integrations/redis/support.js'
import { until } from '../integrations/until.js'

const MINUTE = 60_000

describeWithServer('Redis during a failover', () => {
  let primary: Server
  let replica: Server
  let gate: Gate
  /** The administrator's connection to the replica. */
  let admin: RedisClientType
  let app: TestApp | undefined
  let web: ReturnType<typeof sessions>
  let logged: { level: string; facts: object; message: string }[]

  beforeAll(async () => {
    primary = await Server.start()
    replica = await Server.start('--replicaof', '127.0.0.1', String(primary.port))
    admin = createClient({ url: replica.url })
    await admin.connect()
  })
  afterAll(async () => {
    admin?.destroy()
    await replica?.[Symbol.asyncDispose]()
    await primary?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    gate = await Gate.before(replica.port)
  })
  afterEach(async () => {
    await app?.close()
    app = undefined
    await gate[Symbol.asyncDispose]()
  })

  async function start(more: RedisOptions = {}): Promise<TestApp> {
    const place = more.client === undefined ? { url: `redis://127.0.0.1:${gate.port}` } : {}
    const options = { ...place, prefix: ownPrefix(), ...more }
    web = sessions({ store: redisSessions({ timeout: '10s', ...options }) })

    @Controller('visits')
    class VisitsController {
      @Post()
      async login(req: Request) {
        await (await web.of(req)).login({ id: '7' })
        return {}
      }
    }
    const { context, logged: lines } = testContext()
    logged = lines
    app = await TestApp.create({
      controllers: [VisitsController],
      plugins: [web],
      health: true,
      logger: context.logger,
      contract: 'off',
    })
    return app
  }
  const login = async () => {
    const { status, body } = await (app as TestApp).request().post('/visits')
    return { status, code: body.code }
  }
  const isReady = async () => {
    await app?.clock.advance('2s')
    return (await (app as TestApp).request().get('/readyz')).status === 200
  }
  /** The lines about Redis itself, without those of requests and of readiness. */
  const lines = () =>
    logged
      .filter(({ message }) => message.startsWith('Redis is'))
      .map(({ level, facts }) => [level, 'reason' in facts ? facts.reason : undefined])

  const REFUSED = { status: 503, code: 'SESSIONS_UNAVAILABLE' }
  const DONE = { status: 200, code: undefined }

  it('gets a new connection after its server has become a replica, and causes only one warning', async () => {
    await start()
    expect(await login()).toEqual(REFUSED)
    await until(async () => !(await isReady()))
    for (let i = 0; i < 20; i++) expect(await login()).toEqual(REFUSED)
    // One line for the outage, however many logins and connections fail.
    expect(lines()).toEqual([['warn', 'READONLY']])
    gate.lead(primary.port)
    await until(async () => (await login()).status === 200)
    expect(lines()).toEqual([
      ['warn', 'READONLY'],
      ['info', undefined],
    ])
    expect(await isReady()).toBe(true)
  })

  it('is reported as not ready on a replica, even before any request has failed', async () => {
    await start()
    expect(await isReady()).toBe(false)
    gate.lead(primary.port)
    await until(isReady)
    expect(await login()).toEqual(DONE)
  })

  it.each(['LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'NOAUTH', 'NOREPLICAS'])(
    'gets a new connection if its server replies with %s',
    async (word) => {
      gate.translate(["-READONLY You can't", `-${word} No.`])
      await start()
      expect(await login()).toEqual(REFUSED)
      gate.lead(primary.port)
      await until(async () => (await login()).status === 200)
      expect(lines()).toEqual([
        ['warn', word],
        ['info', undefined],
      ])
    },
  )

  it('gets a new connection after a script error from Redis 6', async () => {
    const said = "-READONLY You can't write against a read only replica. script:"
    gate.translate([
      said,
      '-ERR Error running script (call to f_0): @u: 1: -READONLY No.'.slice(0, said.length),
    ])
    await start()
    expect(await login()).toEqual(REFUSED)
    gate.lead(primary.port)
    await until(async () => (await login()).status === 200)
  })

  it('does not cause a passed client to be closed, and the client is used again after recovery', async () => {
    const client = createClient({ url: replica.url, disableOfflineQueue: true })
    await client.connect()
    await start({ client })
    try {
      expect(await login()).toEqual(REFUSED)
      await admin.sendCommand(['REPLICAOF', 'NO', 'ONE'])
      expect(client.isReady).toBe(true)
      expect(await login()).toEqual(REFUSED)
      await until(async () => {
        await app?.clock.advance('10s')
        return (await login()).status === 200
      })
    } finally {
      client.destroy()
      await admin.sendCommand(['REPLICAOF', '127.0.0.1', String(primary.port)])
    }
  })

  it('is replaced by memory for rate limits until the next server is available', async () => {
    const options = { url: `redis://127.0.0.1:${gate.port}`, prefix: ownPrefix(), timeout: '10s' }
    const [cache, limits] = [redisCache(options), redisLimits(options)]
    const { context, logged: found } = testContext()
    await Promise.all([cache.open?.(context), limits.open?.(context)])
    const count = async () => limits.consume({ key: 'ip', limit: 2, windowMs: MINUTE })
    expect([(await count()).isAllowed, (await count()).isAllowed]).toEqual([true, true])
    expect((await count()).isAllowed).toBe(false)
    await cache.set('a', entry('1'), MINUTE)
    expect(await cache.get('a')).toBeUndefined()
    expect(found.map(({ level, facts }) => [level, facts])).toEqual([
      ['warn', { reason: 'READONLY' }],
    ])
    await expect(cache.check?.()).rejects.toThrow('Redis is not available.')
    await expect(limits.check?.()).rejects.toThrow('Redis is not available.')
    gate.lead(primary.port)
    await until(async () => {
      await cache.set('a', entry('1'), MINUTE)
      return (await cache.get('a')) !== undefined
    })
    expect((await count()).remaining).toBe(1)
    await Promise.all([cache.check?.(), limits.check?.()])
    await Promise.all([cache.close?.(), limits.close?.()])
  })
})
