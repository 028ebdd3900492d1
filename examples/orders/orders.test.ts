import { runWithTenant } from 'blazon'
import { ContractCoverage, TestApp } from 'blazon/testing'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { options } from './app.js'
import { OrdersRepository } from './orders/orders-repository.js'
import type { NewOrder } from './orders/orders-schemas.js'
import { Now } from './shared/now.js'

const NOW = '2030-01-02T03:04:05.000Z'

const newOrder = {
  customerId: 1,
  shipTo: { street: 'Lange Gasse 1', city: 'Wien', country: 'at' },
  lines: [
    { sku: 'TEA', quantity: 2, unitPrice: 450 },
    { sku: 'CUP', unitPrice: 1200 },
  ],
}

describe('orders API', () => {
  const coverage = new ContractCoverage()
  let app: TestApp

  beforeEach(async () => {
    app = await TestApp.create({
      ...options,
      contract: 'throw',
      coverage,
      testOverrides: [{ token: Now, useValue: () => new Date(NOW) }],
    })
    app.withAuth('clerk').withHeaders({ 'x-tenant-id': 'aurora' })
    await app.request().post('/customers').send({ name: 'Ada', email: 'ada@example.com' })
  })

  afterEach(() => app.close())
  afterAll(() => coverage.check({ operations: 100, statuses: 100 }))

  const place = (order: object = newOrder) => app.request().post('/orders').send(order)

  it('places an order, with defaults, the total, the clerk and the time', async () => {
    const { status, body } = await place()
    expect(status).toBe(201)
    expect(body).toMatchObject({ statusCode: 'success', message: 'Order placed' })
    expect(body.data).toMatchObject({
      id: 1,
      status: 'open',
      total: 2100,
      placedBy: 'carla',
      placedAt: NOW,
      shipTo: { country: 'AT' },
      lines: [{ quantity: 2 }, { quantity: 1 }],
    })
  })

  it('reports every field that is wrong, at once', async () => {
    const { status, body } = await place({
      ...newOrder,
      shipTo: { street: 'Lange Gasse 1', country: 'Austria' },
      lines: [{ sku: 'TEA', quantity: 0, unitPrice: 450 }],
    })
    expect(status).toBe(400)
    expect(body.code).toBe('VALIDATION_FAILED')
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'shipTo.city',
      'shipTo.country',
      'lines.0.quantity',
    ])
  })

  it('refuses an order for a customer who does not exist', async () => {
    const { status, body } = await place({ ...newOrder, customerId: 99 })
    expect(status).toBe(404)
    expect(body.message).toBe('Customer 99 does not exist')
  })

  it('pays an order once', async () => {
    await place()
    const paid = await app.request().post('/orders/1/payment')
    expect(paid.body.data.status).toBe('paid')
    const again = await app.request().post('/orders/1/payment')
    expect(again.status).toBe(409)
    expect(again.body.code).toBe('ORDER_NOT_OPEN')
  })

  it('cancels an order', async () => {
    await place()
    await app.request().delete('/orders/1').expect(200)
    const { body } = await app.request().get('/orders/1')
    expect(body.data.status).toBe('cancelled')
  })

  it('filters and pages', async () => {
    for (let i = 0; i < 5; i++) await place()
    await app.request().post('/orders/2/payment')
    const { body } = await app.request().get('/orders?status=open&page=2&pageSize=3')
    expect(body.data).toMatchObject({ total: 4, page: 2, pageSize: 3, items: [{ id: 5 }] })
    await app.request().get('/orders?page=0').expect(400)
  })

  it('registers an e-mail address once', async () => {
    const { status, body } = await app
      .request()
      .post('/customers')
      .send({ name: 'Another Ada', email: 'ADA@example.com' })
    expect(status).toBe(409)
    expect(body.message).toBe('ada@example.com is already registered')
  })

  it('lets nobody in without a token, and an auditor only look', async () => {
    const nobody = app.as(null)
    await nobody.request().get('/orders').expect(401)
    app.withAuth('auditor')
    await app.request().get('/orders').expect(200)
    await place().expect(403)
  })

  it('answers the health check to everybody', async () => {
    await app.clearHeaders().request().get('/health').expect(200)
  })

  it('shows a shop what is its own', async () => {
    const { body: placed } = await place()
    const baker = app.with({ authorization: 'Bearer baker' }).asTenant('borealis')
    const customer = { name: 'Bo', email: 'ada@example.com' }
    await baker.request().post('/customers').send(customer).expect(201)
    await baker.request().get('/orders/1').expect(404)
    const own = await baker.request().post('/orders').send(newOrder).expect(201)
    expect(own.body.data.id).toBe(placed.data.id)
    const auditor = app.with({ authorization: 'Bearer auditor' })
    for (const [shop, clerk] of Object.entries({ aurora: 'carla', borealis: 'bruno' })) {
      for (const cache of ['MISS', 'HIT']) {
        const answer = await auditor
          .asTenant(shop)
          .request()
          .get('/orders')
          .expect('X-Cache', cache)
        expect(answer.body.data.items).toMatchObject([{ placedBy: clerk }])
      }
    }
  })

  it.each(['/orders', '/orders/1', '/customers', '/customers/1'])(
    'wants to know the shop of %s, and takes only those of the user',
    async (path) => {
      await app.asTenant('borealis').request().get(path).expect(403)
      await app.asTenant('aurora, borealis').request().get(path).expect(400)
      const { body } = await app.clearHeaders().withAuth('clerk').request().get(path).expect(400)
      expect(body.code).toBe('TENANT_REQUIRED')
    },
  )

  it('shows an order as it is now, not as it was kept', async () => {
    await place()
    const statusOf = async () => (await app.request().get('/orders/1')).body.data.status
    expect(await statusOf()).toBe('open')
    await app.request().post('/orders/1/payment').expect(200)
    expect(await statusOf()).toBe('paid')
  })

  it('shows customers', async () => {
    const one = await app.request().get('/customers/1').expect(200)
    const all = await app.request().get('/customers').expect(200)
    expect(all.body.data.items).toEqual([one.body.data])
  })

  it('knows no more than it has', async () => {
    await app.request().get('/customers/9').expect(404)
    await app.request().post('/orders/9/payment').expect(404)
    await app.request().delete('/orders/9').expect(404)
    await place()
    await app.request().post('/orders/1/payment')
    await app.request().delete('/orders/1').expect(409)
  })

  it('lets these people do that', async () => {
    const principals = {
      nobody: null,
      auditor: app.with({ authorization: 'Bearer auditor' }),
      clerk: app.with({ authorization: 'Bearer clerk' }),
    }
    const matrix = await app.authMatrix(principals, { unguarded: 'fail' })
    expect(String(matrix)).toMatchInlineSnapshot(`
      "                          nobody   auditor  clerk
      GET /health               allowed  allowed  allowed
      GET /orders               401      allowed  allowed
      GET /orders/:id           401      allowed  allowed
      POST /orders              401      403      allowed
      POST /orders/:id/payment  401      403      allowed
      DELETE /orders/:id        401      403      allowed
      GET /customers            401      allowed  allowed
      GET /customers/:id        401      allowed  allowed
      POST /customers           401      403      allowed"
    `)
  })

  it('gives every answer a request id', async () => {
    const { headers, body } = await app.request().get('/orders/404').expect(404)
    expect(body.requestId).toBe(headers['x-request-id'])
  })
})

it('runs on a repository of the test', async () => {
  const orders = new OrdersRepository()
  const lines = [{ sku: 'TEA', quantity: 1, unitPrice: 450 }]
  const order: NewOrder = { customerId: 7, shipTo: { ...newOrder.shipTo }, lines }
  const placed = {
    status: 'paid',
    total: 450,
    placedBy: 'the test',
    placedAt: new Date(NOW),
  } as const
  await runWithTenant('aurora', () => orders.insert({ ...order, ...placed }))
  const app = await TestApp.create({
    ...options,
    contract: 'throw',
    testOverrides: [{ token: OrdersRepository, useValue: orders }],
  })
  const { body } = await app.withAuth('auditor').asTenant('aurora').request().get('/orders/1')
  expect(body.data.placedBy).toBe('the test')
  await app.close()
})
