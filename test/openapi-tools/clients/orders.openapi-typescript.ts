import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import { demoToken } from '../../../examples/orders/demo-token.js'
import type { paths } from '../.cache/generated/orders/openapi-typescript/schema.js'

export async function drive(origin: string): Promise<void> {
  const headers = { Authorization: `Bearer ${demoToken('clerk')}` }
  const clerk = createClient<paths>({ baseUrl: origin, headers })
  const withoutToken = createClient<paths>({ baseUrl: origin })

  const customer = await clerk.POST('/customers', {
    body: { name: 'Ada', email: 'ada@example.com' },
  })
  const customerId: number = customer.data?.data.id ?? 0
  const placed = await clerk.POST('/orders', {
    body: {
      customerId,
      shipTo: { street: 'Lange Gasse 1', city: 'Wien', country: 'at' },
      lines: [{ sku: 'TEA', quantity: 2, unitPrice: 450 }],
    },
  })
  assert.equal(placed.data?.data.total, 900)
  const id = placed.data?.data.id ?? 0

  const read = await clerk.GET('/orders/{id}', { params: { path: { id } } })
  const status: 'open' | 'paid' | 'cancelled' | undefined = read.data?.data.status
  assert.equal(status, 'open')

  const query = { status: 'open', customerId, pageSize: 1 } as const
  const listed = await clerk.GET('/orders', { params: { query } })
  assert.deepEqual(
    listed.data?.data.items.map((order) => order.id),
    [id],
  )

  const missing = await clerk.GET('/orders/{id}', { params: { path: { id: 99 } } })
  assert.equal(missing.error?.status, 404)
  const unknown = await withoutToken.GET('/orders')
  assert.equal(unknown.response.status, 401)
}
