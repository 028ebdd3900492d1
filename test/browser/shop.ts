import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  ApiOperation,
  ApiTags,
  App,
  type AppOptions,
  Auth,
  type AuthGuard,
  Body,
  Controller,
  Delete,
  defineControllers,
  Get,
  Params,
  Post,
  Query,
  type Req,
  type Request,
} from 'blazon'
import express, { type RequestHandler } from 'express'
import { z } from 'zod'

const Order = z.object({
  id: z.number().int(),
  sku: z.string().meta({ description: 'What was bought.' }),
  quantity: z.number().int().min(1),
})
const NewOrder = Order.omit({ id: true })

@Controller('orders')
@ApiTags('Orders')
class OrdersController {
  @Get()
  @Query(
    z.object({
      state: z.enum(['open', 'sent']).default('open'),
      limit: z.coerce.number().int().max(100).default(20),
    }),
  )
  @ApiOperation({ summary: 'List the orders', description: 'Newest first.' })
  list({ query }: Request) {
    return { query }
  }

  @Get(':id')
  @Params(z.object({ id: z.coerce.number().int().min(1) }))
  getById({ params }: Request) {
    return { id: params.id }
  }

  @Auth()
  @Post()
  @Body(NewOrder)
  create({ body, user }: Req<{ auth: true; body: typeof NewOrder }>) {
    return { body, by: user.id }
  }

  @Auth()
  @Delete(':id')
  @ApiOperation({ deprecated: true })
  remove() {
    return { removed: true }
  }
}

@Controller('account')
@ApiTags('Account')
class AccountController {
  @Auth()
  @Get('me')
  me({ user }: Req<{ auth: true }>) {
    return { id: user.id }
  }
}

/** A shop that is listening. */
export interface Shop extends AsyncDisposable {
  readonly origin: string
  /** The URL of the root of the shop. */
  readonly url: string
  readonly app: App
  /** The `Authorization` headers that the guard has received, in order. */
  readonly seen: readonly (string | undefined)[]
}

interface Around {
  /** The path of the shop in an Express application. Default: the shop serves requests itself. */
  readonly prefix?: string
  /** Middlewares that run before the shop. */
  readonly middlewares?: readonly RequestHandler[]
}

/** Starts the shop on a free port; `ada` is the token that its guard accepts. */
export async function openShop(
  options: Partial<AppOptions> = {},
  around: Around = {},
): Promise<Shop> {
  const seen: (string | undefined)[] = []
  const guard: AuthGuard = {
    async canActivate(req: Request) {
      seen.push(req.headers.authorization)
      req.user = { id: 'ada' }
      return req.headers.authorization === 'Bearer ada'
    },
  }
  const app = await App.create({
    controllers: defineControllers(OrdersController, AccountController),
    swagger: { title: 'Shop', description: 'Takes orders, and tells where they are.' },
    auth: { guard },
    logger: false,
    ...options,
  })
  const server = createServer(mount(app, around))
  const { port } = await listen(server)
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    url: origin + (around.prefix ?? ''),
    app,
    seen,
    [Symbol.asyncDispose]: async () => {
      await close(server)
      await app.close()
    },
  }
}

function mount(app: App, { prefix, middlewares = [] }: Around): App['handler'] {
  if (prefix === undefined && middlewares.length === 0) return app.handler
  const outer = express().disable('x-powered-by')
  for (const middleware of middlewares) outer.use(middleware)
  outer.use(prefix ?? '/', app.handler)
  return outer
}

function listen(server: Server): Promise<AddressInfo> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo))
  })
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
