import assert from 'node:assert/strict'
import { demoToken } from '../../../examples/orders/demo-token.js'
import { createClient } from '../.cache/generated/orders/hey-api/client/index.js'
import {
  customersRegister,
  ordersGetById,
  ordersList,
  ordersPay,
  ordersPlace,
} from '../.cache/generated/orders/hey-api/sdk.gen.js'

export async function drive(origin: string): Promise<void> {
  const client = createClient({ baseUrl: origin, auth: demoToken('clerk') })

  const body = { name: 'Ada', email: 'ada@example.com' }
  const customer = await customersRegister({ client, body })
  const customerId: number = customer.data?.data.id ?? 0
  const placed = await ordersPlace({
    client,
    body: {
      customerId,
      shipTo: { street: 'Lange Gasse 1', city: 'Wien', country: 'at' },
      lines: [{ sku: 'TEA', unitPrice: 450 }],
    },
  })
  const id: number = placed.data?.data.id ?? 0
  assert.equal(placed.data?.data.lines[0]?.quantity, 1)

  const read = await ordersGetById({ client, path: { id } })
  const status: 'open' | 'paid' | 'cancelled' | undefined = read.data?.data.status
  assert.equal(status, 'open')
  const listed = await ordersList({
    client,
    query: { status: 'open', customerId, page: 1 },
  })
  assert.equal(listed.data?.data.total, 1)

  await ordersPay({ client, path: { id } })
  const again = await ordersPay({ client, path: { id } })
  assert.equal(again.error?.status, 409)
  const unknown = await ordersList({ client: createClient({ baseUrl: origin }) })
  assert.equal(unknown.response?.status, 401)
}
