// routing-controllers on the Express 4 that it brings, with class-validator and the usual middlewares.
import 'reflect-metadata'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import cors from 'cors'
import { rateLimit } from 'express-rate-limit'
import helmet from 'helmet'
import {
  type Action,
  Authorized,
  Body,
  CurrentUser,
  type ExpressErrorMiddlewareInterface,
  Get,
  HttpCode,
  JsonController,
  Middleware,
  Param,
  Post,
  useExpressServer,
} from 'routing-controllers'
import { serve, workload } from '../../candidates/serve.mjs'
import { currentTenant, runAs } from '../../candidates/tenant-context.mjs'
import {
  authenticate,
  envelope,
  findUser,
  HELMET,
  ORIGIN,
  placeOrder,
  RATE_LIMIT,
  RATE_WINDOW_SECONDS,
  tenantOf,
} from '../../orders.mjs'
import { OrderDto } from './order-dto.mjs'

// The Express that routing-controllers was written for, not the one that stands beside it.
const express = createRequire(import.meta.resolve('routing-controllers'))('express')

@JsonController('/users')
class UsersController {
  @Get('/:id')
  getById(@Param('id') id: string) {
    return envelope(200, 'User found', findUser(id))
  }
}

@JsonController('/account')
class AccountController {
  @Authorized()
  @Get()
  show(@CurrentUser() user: unknown) {
    return envelope(200, 'User found', user)
  }
}

@JsonController('/orders')
class OrdersController {
  @Authorized()
  @Post()
  @HttpCode(201)
  create(@Body() order: OrderDto) {
    return envelope(201, 'Order created', placeOrder(order, currentTenant()))
  }
}

/** Its default handler answers and then calls `next`, whereupon Express cuts the connection; so applications bring one. */
@Middleware({ type: 'after' })
class ErrorHandler implements ExpressErrorMiddlewareInterface {
  error(error, _req, res, _next: () => void) {
    const errors = error.errors === undefined ? undefined : flatten(error.errors)
    res.status(error.httpCode ?? error.status ?? 500).json({ message: error.message, errors })
  }
}

/** The errors of class-validator, which are a tree, as a list with whole paths. */
function flatten(errors, prefix = '') {
  return errors.flatMap(({ property, constraints = {}, children = [] }) => [
    ...Object.values(constraints).map((message) => ({ path: `${prefix}${property}`, message })),
    ...flatten(children, `${prefix}${property}.`),
  ])
}

async function authorizationChecker({ request }: Action) {
  request.user = await authenticate(request.headers.authorization)
  return request.user !== undefined
}

function tenant(req, res, next: () => void) {
  const id = tenantOf(req.headers['x-tenant-id'])
  if (id === undefined) return res.status(400).json({ message: 'X-Tenant-Id is required' })
  runAs(id, next)
}

function useFullStack() {
  app.use(helmet(HELMET))
  app.use(cors({ origin: ORIGIN }))
  app.use(
    rateLimit({
      limit: RATE_LIMIT,
      windowMs: RATE_WINDOW_SECONDS * 1000,
      standardHeaders: 'draft-8',
      legacyHeaders: false,
      identifier: 'default',
    }),
  )
  app.use(tenant)
}

const CONTROLLERS = { plain: UsersController, guarded: AccountController, full: OrdersController }

const app = express()
app.disable('x-powered-by')
app.disable('etag')
if (workload === 'full') useFullStack()
useExpressServer(app, {
  controllers: [CONTROLLERS[workload]],
  middlewares: [ErrorHandler],
  defaultErrorHandler: false,
  authorizationChecker,
  currentUserChecker: ({ request }) => request.user,
})
serve(createServer(app))
