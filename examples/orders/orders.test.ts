import { randomBytes } from 'node:crypto'
import type { Plugin, User } from 'blazon'
import { signTestToken } from 'blazon/jwt'
import { ContractCoverage, TestApp, type TestCaller } from 'blazon/testing'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { options } from './app.js'
import { CustomersRepository } from './customers/customers-repository.js'
import { databases, isServerMissing, server } from './databases.js'
import { OrdersRepository } from './orders/orders-repository.js'
import type { Order } from './orders/orders-schemas.js'
import { Receipts } from './orders/receipts.js'
import { DEMO_SECRET, Env } from './shared/env.js'
import { Now } from './shared/now.js'
import { AUDIENCE } from './shared/staff.js'
import { database } from './stores.js'

const NOW = '2030-01-02T03:04:05.000Z'

const ada = { name: 'Ada', email: 'ada@example.com' }
const newOrder = {
  customerId: 1,
  shipTo: { street: 'Lange Gasse 1', city: 'Wien', country: 'at' },
  lines: [
    { sku: 'TEA', quantity: 2, unitPrice: 450 },
    { sku: 'CUP', unitPrice: 1200 },
  ],
}

const permissions = ['customers:write', 'orders:write']

/** A user with all permissions. `asTenant` selects the shop. */
const carla: User = { id: 'carla', permissions }

/** The secret of these tests. */
const TOKEN_SECRET = randomBytes(32).toString('hex')
const environment = {
  token: Env,
  useValue: Env.read({ TOKEN_SECRET, PAYMENTS_URL: 'https://payments.example' }),
}

const CHARGES = 'https://payments.example/charges'

/** A client with a signed token, which the guard verifies. `aurora` is its shop, unless the claims name another. */
const withToken = (app: TestApp, claims: object = {}, secret = TOKEN_SECRET) => {
  const all = { aud: AUDIENCE, sub: 'amir', shop: 'aurora', ...claims }
  return app.with({ authorization: `Bearer ${signTestToken(all, secret, { clock: app.clock })}` })
}

/** Calls the function this number of times concurrently. */
const times = <T>(count: number, fn: (index: number) => PromiseLike<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => fn(index)))

const coverage = new ContractCoverage()
afterAll(() => coverage.check({ operations: 100, statuses: 100 }))

describe.each(databases)('the orders API with the database $name', ({ make }) => {
  let drop: (() => Promise<void>) | undefined
  let app: TestApp
  let shops = 0
  /** Each test uses its own shop, as a clerk of the shop. All tests share one application. */
  let shop: string
  let clerk: TestCaller

  beforeAll(async () => {
    const made = await make()
    drop = made.drop
    app = await TestApp.create({
      ...options,
      plugins: [database(made.places)],
      rateLimit: false,
      contract: 'throw',
      coverage,
      testOverrides: [environment, { token: Now, useValue: () => new Date(NOW) }],
    })
    app.outgoing.answer('POST', CHARGES, { status: 201 })
  })

  afterAll(async () => {
    await app?.close()
    await drop?.()
  })

  beforeEach(async () => {
    shop = `shop-${++shops}`
    clerk = app.as(carla).asTenant(shop)
    await clerk.request().post('/customers').send(ada).expect(201)
  })

  const place = (order: object = newOrder) => clerk.request().post('/orders').send(order)

  it('exports orders only as JSON or CSV', async () => {
    await place()
    await place()
    await clerk.request().post('/orders/2/payment').expect(200)
    const ask = (accept: string) =>
      clerk.request().get('/orders/export?status=paid').set('Accept', accept)
    const { body } = await ask('application/json').expect(200)
    expect(body.data).toMatchObject([{ id: 2, status: 'paid', total: 2100 }])
    const { text, type } = await ask('text/csv').expect(200)
    expect([type, text]).toEqual([
      'text/csv',
      `id,status,customerId,total,placedBy,placedAt\r\n2,paid,1,2100,carla,${NOW}\r\n`,
    ])
    await ask('image/png').expect(406)
    const newer = await clerk.version('2').request().get('/orders/export').expect(200)
    expect(newer.body.data[1]).toMatchObject({ id: 2, amount: 21, currency: 'EUR' })
    const baker = withToken(app, { shop: 'borealis', permissions }).asTenant('aurora')
    await baker.version('2').request().get('/orders/export').expect(403)
  })

  it('adds defaults, the total, the clerk and the time to a new order', async () => {
    const { status, body } = await place()
    expect(status).toBe(201)
    expect(body).toMatchObject({ statusCode: 'success', message: 'Created' })
    expect(body.data).toMatchObject({
      id: 1,
      status: 'open',
      total: 2100,
      placedBy: 'carla',
      placedAt: NOW,
      shipTo: { country: 'AT' },
      lines: [{ quantity: 2 }, { quantity: 1 }],
    })
    const read = await clerk.request().get('/orders/1').expect(200)
    expect(read.body.data).toEqual(body.data)
  })

  it('stores the exact total of the largest possible order', async () => {
    const line = { sku: 'X', quantity: 10_000, unitPrice: 99_999_999 }
    await place({ ...newOrder, lines: Array(100).fill(line) }).expect(201)
    const { body } = await clerk.request().get('/orders/1')
    expect(body.data.total).toBe(100 * 10_000 * 99_999_999)
  })

  it('reports all invalid fields in one response', async () => {
    const { status, body } = await place({
      ...newOrder,
      shipTo: { street: 'Lange Gasse 1', country: 'Austria' },
      lines: [{ sku: 'TEA\0', quantity: 0, unitPrice: 450 }],
    })
    expect(status).toBe(400)
    expect(body.code).toBe('VALIDATION_FAILED')
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'shipTo.city',
      'shipTo.country',
      'lines.0.sku',
      'lines.0.quantity',
    ])
  })

  it('stores a name that contains SQL as text', async () => {
    const name = `Robert'); drop table customers; -- $1 \\ "`
    const { body } = await clerk.request().post('/customers').send({ name, email: 'r@example.com' })
    const read = await clerk.request().get(`/customers/${body.data.id}`).expect(200)
    expect(read.body.data.name).toBe(name)
  })

  it('refuses an order for an unknown customer, and gives its number to the next order', async () => {
    const { status, body } = await place({ ...newOrder, customerId: 99 })
    expect(status).toBe(404)
    expect(body.message).toBe('Customer 99 does not exist')
    expect((await place()).body.data.id).toBe(1)
  })

  it('accepts only one payment of an order', async () => {
    await place()
    const paid = await clerk.request().post('/orders/1/payment')
    expect(paid.body.data.status).toBe('paid')
    const again = await clerk.request().post('/orders/1/payment')
    expect(again.status).toBe(409)
    expect(again.body.code).toBe('ORDER_NOT_OPEN')
  })

  it('charges the total of an order when the order is paid', async () => {
    await place()
    const before = app.outgoing.calls.length
    await clerk.request().post('/orders/1/payment').expect(200)
    expect(app.outgoing.calls.slice(before)).toEqual([
      { method: 'POST', url: CHARGES, body: JSON.stringify({ order: 1, cents: 2100 }) },
    ])
  })

  it('leaves an order open if its payment is declined', async () => {
    await place()
    app.outgoing.answer('POST', CHARGES, { status: 402 })
    onTestFinished(() => app.outgoing.answer('POST', CHARGES, { status: 201 }))
    await clerk
      .request()
      .post('/orders/1/payment')
      .expect(409, /PAYMENT_DECLINED/)
    const { body } = await clerk.request().get('/orders/1').expect(200)
    expect(body.data.status).toBe('open')
  })

  it('accepts only one of many concurrent payments of an order', async () => {
    await place()
    const answers = await times(8, () => clerk.request().post('/orders/1/payment'))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  })

  it('cancels an order', async () => {
    await place()
    await clerk.request().delete('/orders/1').expect(200)
    const { body } = await clerk.request().get('/orders/1')
    expect(body.data.status).toBe('cancelled')
  })

  it('sends each change of an order only to the clients that follow the shop', async () => {
    const follow = async (caller: TestCaller) => {
      const leaving = new AbortController()
      onTestFinished(() => leaving.abort())
      const { body } = await caller.fetch('/orders/feed', { signal: leaving.signal })
      const reader = (body as ReadableStream<Uint8Array>).getReader()
      const read = async () => new TextDecoder().decode((await reader.read()).value)
      return read
    }
    const own = await follow(clerk)
    const other = await follow(app.as(carla).asTenant('another'))
    expect(await own()).toBe(': open\n\n')
    expect(await other()).toBe(': open\n\n')
    await place().expect(201)
    expect(await own()).toContain('"status":"open"')
    await clerk.request().post('/orders/1/payment').expect(200)
    expect(await own()).toContain('"status":"paid"')
    const nothing = new Promise((resolve) => setImmediate(resolve, 'nothing'))
    expect(await Promise.race([other(), nothing])).toBe('nothing')
  })

  it('exports all orders of the shop as JSON lines', async () => {
    await times(3, () => place().expect(201))
    const text = await (await clerk.fetch('/orders/all')).text()
    const orders: Order[] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(orders.map(({ id }) => id)).toEqual([1, 2, 3])
    await app.fetch('/orders/all')
  })

  it('stores a receipt of an order, and supports range and conditional requests for it', async () => {
    await place()
    const add = (bytes: Buffer, contentType: string) =>
      clerk
        .request()
        .post('/orders/1/receipt')
        .field('note', 'Two teas')
        .attach('receipt', bytes, { filename: 'receipt.pdf', contentType })
    const ask = () => clerk.request().get('/orders/1/receipt')
    await ask().expect(404)
    const added = await add(Buffer.from('%PDF-1.7 old'), 'application/pdf').expect(201)
    const facts = { note: 'Two teas', type: 'application/pdf', size: 12, addedAt: NOW }
    expect(added.body.data).toEqual(facts)
    const png = Buffer.from('89504e470d0a1a0a00ff', 'hex')
    await add(png, 'image/png').expect(201)
    const { headers, body } = await ask().expect(200)
    expect(body).toEqual(png)
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="Receipt 1.png"',
    })
    await ask().set('Range', 'bytes=0-3').expect(206, Buffer.from('89504e47', 'hex'))
    await ask().set('Range', 'bytes=10-').expect(416)
    await ask().set('If-None-Match', String(headers['etag'])).expect(304)
    await ask().set('If-Match', '"another"').expect(412)
  })

  it('refuses a receipt that is too large, has a wrong type, or is for an unknown order', async () => {
    await place()
    const add = (id: string) => clerk.request().post(`/orders/${id}/receipt`)
    const pdf = Buffer.from('%PDF-1.7')
    const attached = (bytes: Buffer, id = '1') =>
      add(id).field('note', 'Tea').attach('receipt', bytes, 'receipt.pdf')
    await attached(pdf, '9').expect(404)
    await attached(Buffer.alloc(5 * 1024 * 1024 + 1, pdf)).expect(413)
    await attached(Buffer.from('<script>')).expect(415)
    await add('1').send({ note: 'Tea' }).expect(415)
    await add('1').field('note', '').attach('receipt', pdf, 'receipt.pdf').expect(400)
    await add('1').field('note', 'Tea').expect(400)
    await clerk.request().get('/orders/1/receipt').expect(404)
  })

  it('numbers the orders of a shop from 1, even if many orders are placed concurrently', async () => {
    const answers = await times(8, () => place())
    const numbers = answers.map(({ body }) => body.data.id)
    expect(numbers.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('filters orders, and divides them into pages in a stable sequence', async () => {
    for (let i = 0; i < 5; i++) await place()
    await clerk.request().post('/orders/2/payment')
    const list = async (query: string) =>
      (await clerk.request().get(`/orders?${query}`).expect(200)).body.data
    const first = await list('status=open&pageSize=3')
    expect(first).toMatchObject({ total: 4, items: [{ id: 1 }, { id: 3 }, { id: 4 }] })
    const second = await list('status=open&page=2&pageSize=3')
    expect(second).toMatchObject({ total: 4, page: 2, pageSize: 3, items: [{ id: 5 }] })
    expect(await list('page=1000')).toMatchObject({ total: 5, items: [] })
    await clerk.request().get('/orders?page=1001').expect(400)
    expect(await list('customerId=1&status=paid')).toMatchObject({ total: 1, items: [{ id: 2 }] })
    expect(await list('customerId=2')).toMatchObject({ total: 0, items: [] })
    await clerk.request().get('/orders?page=0').expect(400)
  })

  it('refuses an e-mail address that is already registered', async () => {
    const another = { name: 'Another Ada', email: 'ADA@example.com' }
    const { status, body } = await clerk.request().post('/customers').send(another)
    expect(status).toBe(409)
    expect(body.message).toBe('ada@example.com is already registered')
  })

  it('registers an e-mail address only once, even if many requests are concurrent', async () => {
    const grace = { name: 'Grace', email: 'grace@example.com' }
    const answers = await times(8, () => clerk.request().post('/customers').send(grace))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
    const { body } = await clerk.request().get('/customers')
    expect(body.data).toMatchObject({ total: 2, items: [{ name: 'Ada' }, { name: 'Grace' }] })
  })

  it('refuses a request without a token, and allows an auditor only to read', async () => {
    await app.request().get('/orders').expect(401)
    const auditor = withToken(app)
    await auditor.request().get('/orders').expect(200)
    await auditor.request().post('/orders').send(newOrder).expect(403)
  })

  it('stores the subject and the shop of the token in an order', async () => {
    const bruno = withToken(app, { sub: 'bruno', shop, permissions })
    const { body } = await bruno.request().post('/orders').send(newOrder).expect(201)
    expect(body.data.placedBy).toBe('bruno')
    const read = await clerk.request().get(`/orders/${body.data.id}`).expect(200)
    expect(read.body.data).toEqual(body.data)
  })

  it('refuses a token that has a wrong signature or audience, has expired, or has no shop', async () => {
    const callers = [
      withToken(app, {}, randomBytes(32).toString('hex')),
      withToken(app, {}, DEMO_SECRET),
      withToken(app, { aud: 'invoices' }),
      withToken(app, { exp: Math.floor(app.clock.now() / 1000) - 60 }),
      withToken(app, { shop: undefined }),
    ]
    for (const caller of callers) {
      const { headers } = await caller.request().get('/orders').expect(401)
      expect(headers['www-authenticate']).toContain('Bearer error="invalid_token"')
    }
  })

  it('responds to a health check even without a token', async () => {
    for (const path of ['/livez', '/readyz', '/startupz']) {
      await app.request().get(path).expect(200, { status: 'up' })
    }
  })

  it("returns only the data of the caller's shop, even from the cache", async () => {
    const { body: placed } = await place()
    const other = app.as({ id: 'bruno', permissions }).asTenant('other')
    await other.request().post('/customers').send(ada).expect(201)
    await other.request().get('/orders/1').expect(404)
    const own = await other.request().post('/orders').send(newOrder).expect(201)
    expect(own.body.data.id).toBe(placed.data.id)
    const auditor = app.as({ id: 'amir' })
    for (const [tenant, placedBy] of Object.entries({ [shop]: 'carla', other: 'bruno' })) {
      for (const cache of ['MISS', 'HIT']) {
        const caller = auditor.asTenant(tenant)
        const answer = await caller.request().get('/orders').expect('X-Cache', cache)
        expect(answer.body.data.items).toMatchObject([{ placedBy }])
      }
    }
  })

  const reads = ['', '/export', '/feed', '/all', '/1', '/1/receipt'].map((path) => `/orders${path}`)

  it.each([...reads, '/customers', '/customers/1'])(
    'refuses a token of another shop for %s',
    async (path) => {
      const baker = withToken(app, { shop: 'borealis', permissions })
      const { body } = await baker.asTenant('aurora').request().get(path).expect(403)
      expect(body.code).toBe('TENANT_FORBIDDEN')
      await baker.asTenant('aurora, borealis').request().get(path).expect(400)
      await withToken(app, { shop: 'au rora' }).request().get(path).expect(403)
    },
  )

  it('returns the current status of an order after a payment', async () => {
    await place()
    const statusOf = async () => (await clerk.request().get('/orders/1')).body.data.status
    expect(await statusOf()).toBe('open')
    await clerk.request().post('/orders/1/payment').expect(200)
    expect(await statusOf()).toBe('paid')
  })

  it('returns one customer, and the list of customers', async () => {
    const one = await clerk.request().get('/customers/1').expect(200)
    const all = await clerk.request().get('/customers').expect(200)
    expect(all.body.data.items).toEqual([one.body.data])
    expect(one.body.data).toEqual({ id: 1, ...ada, createdAt: NOW })
  })

  it('responds with 404 for a missing order or customer, and with 409 for a closed order', async () => {
    await clerk.request().get('/customers/9').expect(404)
    await clerk.request().get('/orders/2147483647').expect(404)
    await clerk.request().get('/orders/2147483648').expect(400)
    await clerk.request().post('/orders/9/payment').expect(404)
    await clerk.request().delete('/orders/9').expect(404)
    await place()
    await clerk.request().post('/orders/1/payment')
    await clerk.request().delete('/orders/1').expect(409)
  })

  it('allows each kind of user only the listed operations', async () => {
    const principals = {
      nobody: null,
      auditor: withToken(app),
      clerk: withToken(app, { permissions }),
    }
    const matrix = await app.authMatrix(principals, { unguarded: 'fail' })
    expect(String(matrix)).toMatchInlineSnapshot(`
      "                                nobody  auditor  clerk
      GET /orders                     401     allowed  allowed
      GET /orders/export (version 1)  401     allowed  allowed
      GET /orders/export (version 2)  401     allowed  allowed
      GET /orders/feed                401     allowed  allowed
      GET /orders/all                 401     allowed  allowed
      GET /orders/:id                 401     allowed  allowed
      POST /orders                    401     403      allowed
      POST /orders/:id/payment        401     403      allowed
      DELETE /orders/:id              401     403      allowed
      POST /orders/:id/receipt        401     403      allowed
      GET /orders/:id/receipt         401     allowed  allowed
      GET /customers                  401     allowed  allowed
      GET /customers/:id              401     allowed  allowed
      POST /customers                 401     403      allowed"
    `)
  })

  it('sends the same request ID in the header and the body of an error response', async () => {
    const { headers, body } = await clerk.request().get('/orders/404').expect(404)
    expect(body.requestId).toBe(headers['x-request-id'])
  })

  it('does not return data of another shop to concurrent requests', async () => {
    const as = (_tenant: string, id: string) => ({ id, permissions })
    const report = await app.proveIsolation({ seed: 1, rounds: 1, tenants: ['one', 'two'], as })
    expect(report.leaks).toEqual([])
    const passed = report.verdicts.filter(({ verdict }) => verdict === 'PASS')
    // All operations except the feed, which does not send orders that were placed earlier.
    expect(passed).toHaveLength(13)
  })
})

describe.skipIf(isServerMissing)('the orders API during a slow transaction', () => {
  it('does not cache a response that was made before a payment was committed', async () => {
    const { places, drop } = await server.make()
    onTestFinished(drop)
    const app = await TestApp.create({
      ...options,
      plugins: [database(places)],
      rateLimit: false,
      contract: 'throw',
    })
    onTestFinished(() => app.close())
    const gate = new pg.Client({ connectionString: places.DATABASE_URL })
    await gate.connect()
    onTestFinished(() => gate.end())
    // A change of an order is committed only when the gate is open.
    await gate.query(`
      create function wait_at_gate() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(1); return null; end $$;
      create constraint trigger gate after update on orders deferrable initially deferred
        for each row execute function wait_at_gate()`)
    const WAITING = `select from pg_locks where locktype = 'advisory' and not granted`
    const isSomebodyWaiting = async () => (await gate.query(WAITING)).rows.length > 0
    const clerk = app.as(carla).asTenant('aurora')
    const statusOf = async () => (await clerk.request().get('/orders/1')).body.data.status
    await clerk.request().post('/customers').send(ada).expect(201)
    await clerk.request().post('/orders').send(newOrder).expect(201)

    await gate.query('select pg_advisory_lock(1)')
    const payment = clerk.request().post('/orders/1/payment').expect(200).then()
    await expect.poll(isSomebodyWaiting).toBe(true)
    expect(await statusOf()).toBe('open')
    await gate.query('select pg_advisory_unlock(1)')
    await payment
    expect(await statusOf()).toBe('paid')
  })
})

describe('the orders API without a database', () => {
  const create = (plugins: readonly Plugin[], orders: Partial<OrdersRepository> = {}) =>
    TestApp.create({
      ...options,
      plugins,
      contract: 'throw',
      coverage,
      testOverrides: [
        environment,
        { token: OrdersRepository, useValue: orders },
        { token: CustomersRepository, useValue: {} },
        { token: Receipts, useValue: {} },
      ],
    })

  it('can use a repository that a test provides', async () => {
    const order: Order = {
      ...newOrder,
      id: 1,
      lines: [{ sku: 'TEA', quantity: 1, unitPrice: 450 }],
      status: 'paid',
      total: 450,
      placedBy: 'the test',
      placedAt: new Date(NOW),
    }
    const app = await create([], { findById: async (id) => (id === 1 ? order : undefined) })
    const auditor = withToken(app)
    const { body } = await auditor.request().get('/orders/1').expect(200)
    expect(body.data.placedBy).toBe('the test')
    await auditor.request().get('/orders/2').expect(404)
    await app.close()
  })

  it('is not ready when a dependency is down, and does not send the reason', async () => {
    const health = () => {
      throw new Error('The mail server does not answer')
    }
    const app = await create([{ name: 'mail', health }])
    await app.request().get('/readyz').expect(503, { status: 'down' })
    expect(app.logs).toMatchObject([
      { level: 'warn', facts: { plugin: 'mail', reason: 'The mail server does not answer' } },
    ])
    await app.close()
  })

  it('counts requests by route, not by URL, and includes no shop in its metrics', async () => {
    const app = await create([], { findById: async () => undefined })
    const auditor = withToken(app)
    for (const id of [1, 2, 3]) await auditor.request().get(`/orders/${id}`).expect(404)
    await app.request().get('/customers').expect(401)
    const { text, type } = await app.request().get('/metrics').expect(200)
    expect(type).toBe('text/plain')
    const counts = text.split('\n').filter((line) => /^http_server_.*_count.* [1-9]/.test(line))
    expect(counts.map((line) => line.replace(/.*\{(.*)\}/, '$1'))).toEqual([
      'method="GET",route="/orders/:id",status="4xx" 3',
      'method="GET",route="/customers",status="4xx" 1',
    ])
    expect(text).not.toMatch(/aurora|amir/)
    await app.close()
  })

  it('requires its own secret in production, and refuses a token with the demo secret', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const given of [{}, { TOKEN_SECRET: DEMO_SECRET }, { TOKEN_SECRET: 'short' }]) {
      expect(() => Env.read(given)).toThrow('[E_ENV_INVALID] TOKEN_SECRET')
    }
    const app = await create([])
    await withToken(app, {}, DEMO_SECRET).request().get('/orders').expect(401)
    // There is a warning about the public page, but no warning about tenants.
    expect(app.logs.map(({ facts }) => facts['code'])).toEqual(['W_DOCS_EXPOSED'])
    await app.close()
  })

  it('sends the rate limit of the client in a header', async () => {
    const app = await create([])
    const { headers } = await app.request().get('/orders')
    expect(headers['ratelimit']).toBe('"default";r=299;t=60')
    await app.close()
  })
})
