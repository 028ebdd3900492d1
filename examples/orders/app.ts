import { defineAppOptions, defineControllers } from 'blazon'
import { customersModule } from './customers/customers-module.js'
import { HealthController } from './health-controller.js'
import { ordersModule } from './orders/orders-module.js'
import { BearerGuard } from './shared/bearer-guard.js'
import { Now } from './shared/now.js'
import { requestIds } from './shared/request-ids.js'

/** Everything the application is made of. `main.ts` listens with it, `orders.test.ts` tests it. */
export const options = defineAppOptions({
  controllers: defineControllers(HealthController),
  modules: [customersModule, ordersModule],
  providers: [{ token: Now, useValue: () => new Date() }],
  plugins: [requestIds],
  auth: { guard: BearerGuard },
})
