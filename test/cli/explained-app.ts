import { STEPS } from '../../src/pipeline/route-steps.js'

/** A controller with every kind of decorator, in the syntax of both dialects. Tests expect its lines. */
export const ORDERS_CONTROLLER = `import {
  ApiOperation, ApiResponseDoc, Auth, Cache, Can, Controller, Delete, Get, Header, HttpCode,
  Params, Post, Public, Query, RateLimit, type Request, Tenant, Use,
} from 'blazon'
import * as blazon from 'blazon'
import { z } from 'zod'
import { Audit, ForAccountants, Limited } from './decorators.js'

const Order = z.object({ id: z.number().int(), note: z.string().optional() }).meta({ id: 'Order' })

class Timing {
  intercept(_req: Request, next: () => unknown) {
    return next()
  }
}

function upload(_req: unknown, _res: unknown, next: () => void) {
  next()
}

class ReadController {
  @Get(':id')
  @Auth()
  @Params(z.object({ id: z.coerce.number() }))
  getById() {
    return { id: 1 }
  }

  @Get('all')
  list() {
    return []
  }
}

@ForAccountants
@Tenant()
@Limited(5)
@Use(
  Timing,
)
@Controller('orders')
export class OrdersController extends ReadController {
  @Audit('read')
  @Can('orders:read')
  @Cache({ ttl: '5m', tags: ['orders'] })
  @Header('X-Kind', 'order')
  @(ApiResponseDoc({ status: 200, description: 'The order', schema: Order }))
  override getById() {
    return { id: 2 }
  }

  @blazon.Post('', { body: Order })
  @RateLimit({ limit: 2, window: '1m', by: 'user' })
  @HttpCode(201)
  @Use(upload)
  @Audit('create')
  create() {
    return { id: 3 }
  }

  @Public()
  @Delete(':id')
  @Query({ type: 'object', properties: { force: { type: 'boolean' } } })
  @ApiOperation({ summary: 'Remove' })
  remove() {
    return null
  }
}
`

/** Decorators of the application itself: combined, and made by a function. */
export const DECORATORS = `import { ApiTags, Auth, compose, defineOption, RateLimit } from 'blazon'

export const Audit = defineOption<string>('Audit')

export const ForAccountants = compose(
  Auth(),
  ApiTags('Accounting'),
)

export function Limited(limit: number) {
  return RateLimit({ limit, window: '1m' })
}
`

export const EXPLAINED_APP = `import { App, Controller, Get } from 'blazon'
import { OrdersController } from './orders-controller.js'

function requestLog(_req: unknown, _res: unknown, next: () => void) {
  next()
}

class Token {
  canActivate() {
    return true
  }
}

class Trace {
  intercept(_req: unknown, next: () => unknown) {
    return next()
  }
}

@Controller('echo')
class EchoController {
  @Get()
  echo() {
    return 'echo'
  }
}

export const app = new App({
  controllers: [OrdersController, EchoController],
  middlewares: [[requestLog]],
  interceptors: [Trace],
  auth: { guard: Token },
  tenant: { jwtClaim: 'org', authorize: () => true },
  plugins: [
    {
      name: 'traces',
      middlewares: [function traceId(_req, _res, next) { next() }],
      steps: () => { throw new Error('a plugin was asked for steps') },
      contract: (route) => (route.isProtected ? { errors: [451], headers: { 'X-Trace': { schema: { type: 'string' } } } } : null),
      setup() { throw new Error('a plugin was set up') },
    },
  ],
})

console.log('printed by the application')
await app.listen(3000)
`

const FILE = 'src/orders-controller.ts'
const PLUGIN = "plugin 'traces'"
const SOURCES = ['header x-tenant-id', 'claim org of the bearer token']

const ofClass = 'class OrdersController'
const ofMethod = 'OrdersController.getById'
const ofBase = 'ReadController.getById'
const at = (line: number) => ({ file: FILE, line })
const step = (name: string, does: string, sources: string[] = [], isCertain = true) => ({
  name,
  phase: STEPS.find((each) => each.name === name)?.phase,
  does,
  isCertain,
  sources,
})
const possible = (name: string, does: string) => step(name, does, [PLUGIN], false)
/** What `blazon routes --explain GET /orders/:id --json` prints for this application. */
export const ORDERS_ROUTE = {
  method: 'GET',
  path: '/orders/:id',
  controller: 'OrdersController',
  handler: 'getById',
  isProtected: true,
  isAuthOptional: false,
  before: [
    { name: 'requestLog', from: 'middlewares[0][0]' },
    { name: 'traceId', from: "plugin 'traces', middlewares[0]" },
  ],
  steps: [
    step('scope', 'enters the async context, which contains the tenant of the request', SOURCES),
    possible('observe', 'registers `onResponse` and `onEnd` of plugins'),
    possible('enter', 'runs the `enter` steps of plugins; the first plugin is the outermost'),
    step('respond', 'sends exactly one response for the value or the error of the later steps'),
    step('ipRateLimit', 'counts the request against rate limits by address: 429', [
      'Orders: 5 requests in 60 s by ip',
    ]),
    possible('beforeGuard', 'runs the `beforeGuard` steps of plugins'),
    step(
      'unverifiedTenant',
      'passes the requested tenant to the guard, before `authorize` has allowed it',
    ),
    step(
      'guard',
      'calls the guard of `auth`; any result other than `true` leads to a 401 response',
      ['Token'],
    ),
    step('tenant', 'refuses a request without a tenant if the route needs one: 400', SOURCES),
    step(
      'authorizeTenant',
      'calls `tenant.authorize`; any result other than `true` leads to a 403 response',
      ['tenant.authorize: authorize'],
    ),
    possible('afterGuard', 'runs the `afterGuard` steps of plugins'),
    step(
      'can',
      'checks the abilities of `@Can`, or calls `auth.can`; any result other than `true` leads to a 403 response',
      ['orders:read'],
    ),
    possible('beforeBody', 'runs the `beforeBody` steps of plugins'),
    step(
      'cache',
      'sends the response from the cache, or stores the response that the later steps produce',
      ['fresh for 300 s', 'key: default', 'tags: orders'],
    ),
    step(
      'validate',
      'checks `params`, `query`, `headers`, `cookies` and `body` against their schemas: 400 by default',
      ['params (zod)'],
    ),
    step('unexpired', 'stops a request that the handler timeout or a late error has already ended'),
    step('headers', 'sets the headers of `@Header`', ['X-Kind: order']),
    step('dates', 'converts the dates of documented responses faster than `JSON.stringify` does'),
    possible('beforeHandler', 'runs the `beforeHandler` steps of plugins'),
    step(
      'intercept',
      'runs the interceptors of the application, then of the class, then of the method',
      ['Trace (interceptors[0])', 'Timing (@Use)'],
    ),
    possible('aroundHandler', 'runs the `aroundHandler` steps of plugins'),
    step('handler', 'calls the method of the controller', [
      'OrdersController.getById, at most 30 s',
    ]),
  ],
  decorators: [
    // A combined decorator is at the line of its class.
    { name: '@Auth', on: ofClass, at: at(42) },
    { name: '@ApiTags', on: ofClass, at: at(42) },
    { name: '@Tenant', on: ofClass, at: at(36) },
    // A decorator that a function makes is at the call of the function.
    { name: '@RateLimit', on: ofClass, at: at(37) },
    { name: '@Use', on: ofClass, at: at(38) },
    { name: '@Controller', on: ofClass, at: at(41) },
    { name: '@Audit', on: ofMethod, at: at(43) },
    { name: '@Can', on: ofMethod, at: at(44) },
    { name: '@Cache', on: ofMethod, at: at(45) },
    { name: '@Header', on: ofMethod, at: at(46) },
    { name: '@ApiResponseDoc', on: ofMethod, at: at(47) },
    { name: '@Get', on: ofBase, at: at(22) },
    { name: '@Auth', on: ofBase, at: at(23) },
    { name: '@Params', on: ofBase, at: at(24) },
  ],
}
