import { defineAppOptions } from 'blazon'
import { customersModule } from './customers/customers-module.js'
import { ordersModule } from './orders/orders-module.js'
import { Env } from './shared/env.js'
import { Now } from './shared/now.js'
import { staff } from './shared/staff.js'

/** The application without its stores. `main.ts` starts it, and `orders.test.ts` tests it. */
export const options = defineAppOptions({
  modules: [customersModule, ordersModule],
  providers: [{ token: Now, useValue: () => new Date() }, Env.provider],
  requestIds: true,
  auth: { guard: staff },
  // The token determines the shop. A request with another shop in X-Tenant-Id is refused.
  tenant: {},
  rateLimit: { limit: 300, window: '1m' },
  // Old clients do not send the header, so they receive version 1.
  versions: { by: { header: 'X-API-Version' }, default: '1' },
  // For load balancers, which have no token: /livez, /readyz and /startupz.
  health: true,
  // For Prometheus, at /metrics.
  metrics: true,
  swagger: {
    title: 'Orders',
    description:
      'Customers of several shops and their orders. Try it with a token: `npm run --silent token clerk` prints one for the shop `aurora`, `auditor` prints one that may only read, and `baker` prints one for the shop `borealis`.',
    contact: { name: 'Orders', url: 'https://example.com', email: 'orders@example.com' },
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    tags: [
      { name: 'Customers', description: 'The customers of a shop.' },
      { name: 'Orders', description: 'Orders, their payments and their cancellations.' },
    ],
  },
})
