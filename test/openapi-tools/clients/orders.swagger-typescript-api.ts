import assert from 'node:assert/strict'
import { demoToken } from '../../../examples/orders/demo-token.js'
import { Api } from '../.cache/generated/orders/swagger-typescript-api/api.js'

export async function drive(origin: string): Promise<void> {
  const api = new Api<string>({
    baseUrl: origin,
    securityWorker: (token) => ({ headers: { Authorization: `Bearer ${token}` } }),
  })
  const statusOf = (call: Promise<unknown>) => call.catch(({ status }) => status)

  assert.equal(await statusOf(api.orders.ordersList()), 401)
  api.setSecurityData(demoToken('clerk'))

  const ada = { name: 'Ada', email: 'ada@example.com' }
  const customer = await api.customers.customersRegister(ada)
  const customerId: number = customer.data.data.id
  assert.equal(await statusOf(api.customers.customersRegister(ada)), 409)

  const placed = await api.orders.ordersPlace({
    customerId,
    shipTo: { street: 'Lange Gasse 1', city: 'Wien', country: 'at' },
    lines: [{ sku: 'TEA', quantity: 2, unitPrice: 450 }],
  })
  const id: number = placed.data.data.id
  const read = await api.orders.ordersGetById(id)
  const status: 'open' | 'paid' | 'cancelled' = read.data.data.status
  assert.equal(status, 'open')
  const listed = await api.orders.ordersList({ status: 'open', customerId, pageSize: 1 })
  assert.equal(listed.data.data.items[0]?.total, 900)
  assert.equal(await statusOf(api.orders.ordersGetById(99)), 404)
}
