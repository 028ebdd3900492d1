// Blazon as its users write it. Only the default `security.helmet` is off where nobody sends its headers.
import type { AppOptions, Req, Request, Response } from 'blazon'
import {
  ApiResponseDoc,
  App,
  Auth,
  BaseController,
  Body,
  Cache,
  Controller,
  Delete,
  defineControllers,
  Get,
  getTenantId,
  Post,
  Put,
  Tenant,
} from 'blazon'
import { Order, Placed } from '../order-schema.mjs'
import {
  authenticate,
  findUser,
  ORIGIN,
  placeOrder,
  RATE_LIMIT,
  RATE_WINDOW_SECONDS,
} from '../orders.mjs'
import { isRoutes, routesOf } from '../routes.mjs'
import { announce, workload } from './serve.mjs'

@Controller('users')
class UsersController extends BaseController {
  @Get(':id')
  getById(req: Request, res: Response) {
    return this.ok(res, 'User found', findUser(req.params.id))
  }
}

@Controller('users')
class CachedUsersController extends BaseController {
  @Get(':id')
  @Cache({ ttl: '1h' })
  getById(req: Request, res: Response) {
    return this.ok(res, 'User found', findUser(req.params.id))
  }
}

@Controller('account')
class AccountController extends BaseController {
  @Auth()
  @Get()
  show(req: Request, res: Response) {
    return this.ok(res, 'User found', req.user)
  }
}

@Controller('orders')
class OrdersController extends BaseController {
  @Auth()
  @Tenant()
  @Post()
  @Body(Order)
  create(req: Req<{ body: typeof Order }>, res: Response) {
    return this.ok(res, 'Order created', placeOrder(req.body, getTenantId()), 201)
  }
}

@Controller('orders')
class DescribedOrdersController extends BaseController {
  @Auth()
  @Tenant()
  @Post()
  @Body(Order)
  @ApiResponseDoc({ status: 201, description: 'The order', schema: Placed })
  create(req: Req<{ body: typeof Order }>, res: Response) {
    return this.ok(res, 'Order created', placeOrder(req.body, getTenantId()), 201)
  }
}

const guard = {
  async canActivate(req: Request) {
    req.user = await authenticate(req.headers.authorization)
    return req.user !== undefined
  },
}

const full: AppOptions = {
  controllers: defineControllers(OrdersController),
  auth: { guard },
  tenant: {},
  security: { cors: { origin: ORIGIN } },
  rateLimit: { limit: RATE_LIMIT, window: RATE_WINDOW_SECONDS },
}

/** Its log goes to stdout, which is `/dev/null` here. */
const observed: AppOptions = {
  ...full,
  controllers: defineControllers(DescribedOrdersController),
  responses: 'strip',
  logs: true,
  metrics: true,
}

const VERBS = { get: Get, post: Post, put: Put, delete: Delete }

interface Route {
  method: keyof typeof VERBS
  path: string
}

/** A controller for the routes that begin alike; decorators are functions, so a loop may call them. */
function controllerOf(prefix: string, routes: Route[]) {
  class RoutesController extends BaseController {}
  for (const [index, { method, path }] of routes.entries()) {
    const key = `${method}${index}`
    const value = function answer(this: BaseController, _req: Request, res: Response) {
      return this.ok(res, 'Found', findUser('42'))
    }
    const descriptor = { value, writable: true, configurable: true }
    Object.defineProperty(RoutesController.prototype, key, descriptor)
    VERBS[method](path.slice(prefix.length))(RoutesController.prototype, key, descriptor)
  }
  Controller(prefix)(RoutesController)
  return RoutesController
}

function routeControllers(routes: Route[]) {
  const byPrefix = new Map<string, Route[]>()
  for (const route of routes) {
    const prefix = `/${route.path.split('/')[1]}`
    byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), route])
  }
  return [...byPrefix].map(([prefix, ofPrefix]) => controllerOf(prefix, ofPrefix))
}

const bare: AppOptions = { security: { helmet: false } }

const apps: Record<string, AppOptions> = {
  plain: { ...bare, controllers: defineControllers(UsersController) },
  cached: { ...bare, controllers: defineControllers(CachedUsersController) },
  guarded: { ...bare, controllers: defineControllers(AccountController), auth: { guard } },
  full,
  observed,
}

/** The application that this process was asked for; what it does not use is not loaded. */
async function optionsFor(name: string): Promise<AppOptions> {
  if (name === 'middlewares') {
    const { tenMiddlewares } = await import('../middlewares.mjs')
    return { ...full, middlewares: tenMiddlewares() }
  }
  return isRoutes(name) ? { ...bare, controllers: routeControllers(routesOf(name)) } : apps[name]
}

const options = await optionsFor(workload)
const app = new App(options.logs ? options : { ...options, logger: false })
const { port } = await app.listen(0, '127.0.0.1')
announce(port)
