import type { Request, Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { options as orders } from '../../../examples/orders/app.js'
import { demoToken } from '../../../examples/orders/demo-token.js'
import { database } from '../../../examples/orders/stores.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

const options = {
  ...orders,
  plugins: [database({ DATABASE_FOLDER: 'memory' })],
  rateLimit: false,
}

const IDS = { Customers_register: 'POST /customers', Orders_place: 'POST /orders' }

/** Without the shop, requests would name invented ones, which the guard refuses. */
const clerk = { authorization: `Bearer ${demoToken('clerk')}`, 'x-tenant-id': 'aurora' }

/** The requests that fuzzing sends to the orders application. */
async function requestsOf(seed: number) {
  const requests: string[] = []
  const recorder = {
    name: 'recorder',
    middlewares: [
      function record(req: Request, res: Response, next: () => void) {
        const { method, url } = req
        res.once('finish', () => requests.push(`${method} ${url} ${JSON.stringify(req.headers)}`))
        next()
      },
    ],
  }
  const plugins = [...options.plugins, recorder]
  await using app = await TestApp.create({ ...options, plugins })
  const operations = ({ name }: { name: string }) => Object.values(IDS).includes(name)
  await app.withHeaders(clerk).fuzz({ seed, runs: 20, operations })
  return requests
}

it('fuzz() finds no problem in the orders example', async () => {
  await using app = await TestApp.create(options)
  const customer = { name: 'Ada', email: 'ada@example.com' }
  await app.withHeaders(clerk).request().post('/customers').send(customer).expect(201)
  const report = await app.fuzz({ seed: 4 })
  expect(report).toEqual({ operations: 14, requests: 700, seed: 4, skipped: [], refused: [] })
  expect(app.contractReport()).toEqual([])
  // The last operation finds that every order in its requests is already paid.
  const never = app.coverage().rows.filter(({ isExercised }) => !isExercised)
  expect(never.map(({ operationId }) => operationId)).toEqual(['Orders_cancel'])
})

it('fuzz() sends the same requests for the same seed, and different requests for another seed', async () => {
  const requests = await requestsOf(7)
  // The recorder does not see the requests that are refused before it.
  expect(requests.length).toBeGreaterThan(30)
  expect(await requestsOf(7)).toEqual(requests)
  expect(await requestsOf(8)).not.toEqual(requests)
})

it('fuzz() fails if all operations refuse all valid requests', async () => {
  await using app = await TestApp.create(options)
  app.withHeaders({ 'x-tenant-id': 'aurora' })
  await expect(app.fuzz({ seed: 1, runs: 20 })).rejects.toThrow(
    'every request was refused, with 401',
  )
  const asClerk = { id: 'carla', permissions: ['customers:write', 'orders:write'] }
  expect(await app.fuzz({ seed: 1, runs: 20, as: asClerk })).toMatchObject({ refused: [] })
  expect(await app.fuzz({ seed: 1, runs: 20, headers: clerk })).toMatchObject({ refused: [] })
})

it('fuzz() does not call operations that the options exclude', async () => {
  await using app = await TestApp.create(options)
  const { operations, requests, skipped } = await app.withHeaders(clerk).fuzz({
    seed: 1,
    runs: 3,
    skip: ['Orders_place'],
    operations: ({ handler }) => handler.startsWith('OrdersController.'),
  })
  expect({ operations, requests }).toEqual({ operations: 8, requests: 24 })
  expect(skipped.toSorted()).toEqual([
    'Customers_getById',
    'Customers_list',
    'Customers_register',
    'Orders_place',
    'Receipts_add',
    'Receipts_download',
  ])
})
