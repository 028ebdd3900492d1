import type { Plugin } from 'blazon'
import type { PluginContext } from 'blazon/plugin'
import { Database } from 'blazon/postgres'
import { CustomersService } from './customers/customers-service.js'
import { OrdersService } from './orders/orders-service.js'

const SHOPS = {
  aurora: {
    clerk: 'carla',
    shipTo: { street: 'Lange Gasse 1', city: 'Wien', country: 'AT' },
    customers: {
      Iris: [
        { sku: 'TEA', quantity: 2, unitPrice: 450 },
        { sku: 'CUP', quantity: 1, unitPrice: 1200 },
      ],
      Noor: [{ sku: 'POT', quantity: 1, unitPrice: 3900 }],
    },
  },
  borealis: {
    clerk: 'bruno',
    shipTo: { street: 'Storgata 7', city: 'Tromsø', country: 'NO' },
    customers: { Otto: [{ sku: 'BREAD', quantity: 3, unitPrice: 520 }] },
  },
}

type Shop = (typeof SHOPS)[keyof typeof SHOPS]

/** Adds demo data to two shops, only once, even if several processes start at the same time. */
export const demoData: Plugin = {
  name: 'demo-data',
  async setup({ get }) {
    const db = get(Database)
    for (const [shop, content] of Object.entries(SHOPS)) {
      await db.withTenantTransaction(shop, () => fill(content, { get, db }))
    }
  },
}

async function fill(
  { clerk, shipTo, customers: content }: Shop,
  { get, db }: Pick<PluginContext, 'get'> & { db: Database },
): Promise<void> {
  const [customers, orders] = [get(CustomersService), get(OrdersService)]
  // A second process waits here until the first process has committed, and then finds the data.
  await db.sql`select pg_advisory_xact_lock(hashtext('orders: demo data'))`
  const [customer] = await db.sql`select id from customers limit 1`
  if (customer !== undefined) return
  for (const [name, lines] of Object.entries(content)) {
    const { id } = await customers.register({ name, email: `${name.toLowerCase()}@example.com` })
    await orders.place({ customerId: id, shipTo, lines }, clerk)
  }
  await orders.pay(1)
}
