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

await app.listen(3000)
`
