import type { RouteExplanation } from '../../../src/app/explain/explanation.js'

/** What `routes --explain` says about `GET /orders/:id`. */
export const ROUTE: RouteExplanation = {
  method: 'GET',
  path: '/orders/:id',
  controller: 'OrdersController',
  handler: 'getById',
  isProtected: true,
  isAuthOptional: false,
  before: [{ name: 'compression', from: 'middlewares[0]' }],
  steps: [
    {
      name: 'guard',
      phase: 'authenticate',
      does: 'asks the guard',
      isCertain: true,
      sources: ['TokenGuard'],
    },
    {
      name: 'validate',
      phase: 'prepare',
      does: 'compares the inputs',
      isCertain: true,
      sources: ['params (zod)'],
    },
    {
      name: 'handler',
      phase: 'handle',
      does: 'runs the handler',
      isCertain: true,
      sources: ['OrdersController.getById'],
    },
  ],
  decorators: [
    { name: '@Get', on: 'OrdersController.getById', at: { file: 'src/orders.ts', line: 12 } },
  ],
}
