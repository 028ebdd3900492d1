import { defineAppOptions } from 'blazon'
import { customersModule } from './customers/customers-module.js'
import { ordersModule } from './orders/orders-module.js'
import { BearerGuard } from './shared/bearer-guard.js'
import { Now } from './shared/now.js'

/** Everything the application is made of, but for where it keeps things. `main.ts` listens with it, `orders.test.ts` tests it. */
export const options = defineAppOptions({
  modules: [customersModule, ordersModule],
  providers: [{ token: Now, useValue: () => new Date() }],
  requestIds: true,
  auth: { guard: BearerGuard },
  // The header says which shop is meant; whether the user belongs there is decided here, after the guard.
  tenant: { authorize: (_req, shop, user) => user?.shops?.includes(shop) === true },
  rateLimit: { limit: 300, window: '1m' },
  // For load balancers, which have no token: /livez, /readyz and /startupz.
  health: true,
  swagger: {
    title: 'Orders',
    description:
      'Customers of several shops, and what they order. Try it with the tenant `aurora` and the token `clerk`, or `auditor`, who may only look. The token `baker` is for the tenant `borealis`.',
    contact: { name: 'Orders', url: 'https://example.com', email: 'orders@example.com' },
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    tags: [
      { name: 'Customers', description: 'Who orders.' },
      { name: 'Orders', description: 'What is ordered, paid and cancelled.' },
    ],
  },
})
