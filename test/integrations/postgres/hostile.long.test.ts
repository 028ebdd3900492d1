import { inspect } from 'node:util'
import { ConfigError, Health } from 'blazon'
import { type PostgresOptions, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { OrdersController } from '../../conformance/tenant-orders.js'
import { freePort } from '../free-port.js'
import { until } from '../until.js'
import { describeWithServer, runAt, Server } from './server.js'
import { createShop, LOGIN, shopUrl } from './support.js'

/** A password that must not be found anywhere, in any encoding. */
const SECRET = 'Tr0ub4dor&3/%:@ x'
const WRITTEN = [SECRET, encodeURIComponent(SECRET), encodeURI(SECRET), 'Tr0ub4dor']

/** Records everything that an application writes: logs, errors, and its output. */
class Recorder {
  readonly texts: string[] = []
  readonly logger = { info: this.#log('info'), warn: this.#log('warn'), error: this.#log('error') }

  constructor() {
    for (const stream of [process.stderr, process.stdout]) {
      vi.spyOn(stream, 'write').mockImplementation((chunk) => {
        this.texts.push(String(chunk))
        return true
      })
    }
  }

  #log(level: string) {
    return (...facts: unknown[]) => void this.record([level, ...facts])
  }

  /** Records a value in each form in which a program could print it, with its hidden properties. */
  record(thing: unknown): void {
    this.texts.push(inspect(thing, { depth: 12, showHidden: true }), String(thing))
    this.texts.push(
      JSON.stringify(thing, (_, value) => (typeof value === 'bigint' ? '' : value)) ?? '',
    )
  }

  get all(): string {
    return this.texts.join('\n')
  }
}

describeWithServer('the URL and the roles of postgres()', () => {
  let server: Server
  let recorder: Recorder
  let app: TestApp | undefined
  beforeAll(async () => {
    server = await Server.start({ hasPasswords: true })
    await createShop(server)
    await server.run(`alter role ${LOGIN} password '${SECRET}'`)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())
  afterEach(async () => {
    vi.restoreAllMocks()
    await app?.close()
    app = undefined
  })

  async function start(how: PostgresOptions): Promise<TestApp> {
    recorder = new Recorder()
    app = await TestApp.create({
      controllers: [OrdersController],
      plugins: [postgres({ timeouts: { acquire: '5s' }, ...how })],
      tenant: {},
      logger: recorder.logger,
      contract: 'off',
    })
    return app
  }

  const url = ({ user = LOGIN, password = SECRET, database = 'shop', port = server.port } = {}) =>
    server.url(user, { password, database, port })

  /** The error with which the boot of an application fails. */
  async function refusal(how: PostgresOptions): Promise<Error> {
    const error = await start(how).then(
      () => undefined,
      (reason) => reason as Error,
    )
    expect(error).toBeInstanceOf(Error)
    recorder.record(error)
    return error as Error
  }

  function expectNoSecret(): void {
    for (const written of WRITTEN) expect(recorder.all).not.toContain(written)
  }

  it('work with a password that contains special characters', async () => {
    const { status } = await (await start({ url: url() })).asTenant('a').request().get('/orders')
    expect(status).toBe(200)
    expectNoSecret()
  })

  describe('with wrong values', () => {
    it('fail at boot, without the password in the error, if the password is wrong', async () => {
      const error = await refusal({ url: url({ password: `${SECRET}!` }) })
      expect(inspect(error)).toMatch(/password authentication failed/)
      expectNoSecret()
    })

    it('fail at boot, without the password in the error, if the password is missing', async () => {
      await refusal({ url: url({ password: '' }) })
      expectNoSecret()
    })

    it('fail at boot, without the password in the error, if the user does not exist', async () => {
      await refusal({ url: url({ user: 'nobody_at_all' }) })
      expectNoSecret()
    })

    it('fail at boot, without the password in the error, if the database does not exist', async () => {
      const error = await refusal({ url: url({ database: 'nowhere' }) })
      expect(inspect(error)).toContain('nowhere')
      expectNoSecret()
    })

    it('fail at boot, without the password in the error, if no server listens on the port', async () => {
      const error = await refusal({ url: url({ port: await freePort() }) })
      expect(inspect(error)).toContain('ECONNREFUSED')
      expectNoSecret()
    })

    it('fail at boot, without the password in the error, if the host does not exist', async () => {
      await refusal({ url: url().replace('127.0.0.1', 'nowhere.invalid') })
      expectNoSecret()
    })

    it.each([
      ['a string that is not a URL', () => 'not a url'],
      ['a URL with another protocol', () => url().replace('postgres:', 'http:')],
      ['a Redis URL', () => url().replace('postgres:', 'redis:')],
      ['a URL with a port that is too high', () => url().replace(`:${server.port}/`, ':99999/')],
      [
        'a URL with a password that is not encoded',
        () => `postgres://${LOGIN}:${SECRET}@127.0.0.1/shop`,
      ],
      ['an empty string', () => ''],
    ])('fail at boot, before a connection is opened, if the URL is %s', async (_, make) => {
      const error = await refusal({ url: make() })
      expect(error).toBeInstanceOf(ConfigError)
      expectNoSecret()
    })
  })

  it('cause 503 responses without the password while the server has another password', async () => {
    const { request, get } = bound(await start({ url: url() }))
    expect((await request('/orders')).status).toBe(200)
    await server.run(`alter role ${LOGIN} password 'another'`)
    await server.run(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${LOGIN}'`,
    )
    await until(async () => (await request('/orders')).status === 503)
    const answer = await request('/orders')
    recorder.record([answer.text, answer.headers, await get(Health).check()])
    expect(answer.body.code).toBe('DATABASE_UNAVAILABLE')
    expect(answer.text).not.toMatch(/password|authentication|service|shop|127\.0/)
    await server.run(`alter role ${LOGIN} password '${SECRET}'`)
    await until(async () => (await request('/orders')).status === 200)
    expectNoSecret()
  })

  function bound(of: TestApp) {
    const request = (path: string) =>
      of
        .asTenant('a')
        .request()
        .get(path)
        .then((answer) => answer)
    return { request, get: of.get.bind(of) as TestApp['get'] }
  }

  describe('with unusual roles', () => {
    const tenant = (path = '/orders') => (app as TestApp).asTenant('a').request().get(path)

    it('cause a 500 response without the role name if the role does not exist', async () => {
      await start({ url: url(), tenantRole: 'app_nobody' })
      const { status, text } = await tenant()
      expect(status).toBe(500)
      expect(text).not.toMatch(/app_nobody|role|exist/)
      expect(recorder.all).toContain('app_nobody')
    })

    it('cause a 500 response without the role name if the login may not switch to the role', async () => {
      await server.run('create role app_stranger nologin')
      await runAt(shop(), 'grant select on orders to app_stranger')
      await start({ url: url(), tenantRole: 'app_stranger' })
      const { status, text } = await tenant()
      expect(status).toBe(500)
      expect(text).not.toMatch(/app_stranger|permission/)
      expect(recorder.all).toContain('app_stranger')
    })

    it('cause a 500 response without the database error if the role may not read the table', async () => {
      await server.run(`create role app_blind nologin; grant app_blind to ${LOGIN}`)
      await start({ url: url(), tenantRole: 'app_blind' })
      const { status, text } = await tenant()
      expect(status).toBe(500)
      expect(text).not.toMatch(/permission|orders/)
    })

    it.each(["app'; drop table orders; --", '"', 'app tenant', '$1'])(
      'do not run SQL in a role name: %s',
      async (name) => {
        const refused = await start({ url: url(), tenantRole: name, allTenantsRole: name }).then(
          async () => (await tenant()).status,
          (error) => error,
        )
        expect(refused === 500 || refused instanceof ConfigError).toBe(true)
        expect(await runAt(shop(), 'select 1 from orders limit 1')).toEqual([])
      },
    )

    it('work with role names that must be quoted', async () => {
      await server.run(`create role "Tenant's" nologin; create role "All of 'em" nologin;
        grant "Tenant's", "All of 'em" to ${LOGIN}`)
      await runAt(shop(), `grant app_tenant to "Tenant's"; grant app_all_tenants to "All of 'em"`)
      await start({ url: url(), tenantRole: "Tenant's", allTenantsRole: "All of 'em" })
      const { status, body } = await (app as TestApp)
        .asTenant('a')
        .request()
        .post('/orders')
        .send({ note: 'x' })
      expect([status, body.data.note]).toEqual([201, 'x'])
      await runAt(shop(), 'truncate orders, items')
    })
  })

  const shop = () => shopUrl(server)
})
