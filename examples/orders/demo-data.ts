import type { Plugin } from 'blazon'
import { Database } from 'blazon/postgres'
import { CustomersService } from './customers/customers-service.js'
import { OrdersService } from './orders/orders-service.js'

const SHOPS = {
  aurora: {
    clerk: 'carla',
    customers: ['Iris', 'Noor'],
    shipTo: { street: 'Lange Gasse 1', city: 'Wien', country: 'AT' },
    lines: [
      { sku: 'TEA', quantity: 2, unitPrice: 450 },
      { sku: 'CUP', quantity: 1, unitPrice: 1200 },
    ],
  },
  borealis: {
    clerk: 'bruno',
    customers: ['Otto'],
    shipTo: { street: 'Storgata 7', city: 'Tromsø', country: 'NO' },
    lines: [{ sku: 'BREAD', quantity: 3, unitPrice: 520 }],
  },
}

type Shop = (typeof SHOPS)[keyof typeof SHOPS]

/** Gives two shops customers and orders to look at: once, however many processes start at the same time. */
export const demoData: Plugin = {
  name: 'demo-data',
  async setup({ get }) {
    const db = get(Database)
    const [customers, orders] = [get(CustomersService), get(OrdersService)]
    const fill = async ({ clerk, customers: names, shipTo, lines }: Shop) => {
      // Whoever comes second waits here, and then finds what the first has saved.
      await db.sql`select pg_advisory_xact_lock(hashtext('orders: demo data'))`
      const { total } = await customers.list({ page: 1, pageSize: 1 })
      if (total > 0) return
      for (const name of names) {
        const email = `${name.toLowerCase()}@example.com`
        const customer = await customers.register({ name, email })
        await orders.place({ customerId: customer.id, shipTo, lines }, clerk)
      }
      await orders.pay(1)
    }
    for (const [shop, content] of Object.entries(SHOPS)) {
      await db.withTenantTransaction(shop, () => fill(content))
    }
  },
}
