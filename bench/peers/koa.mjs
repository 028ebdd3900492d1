// Koa 3 with its organisation's middlewares, and its own asynchronous context.
import { createServer } from 'node:http'
import { bodyParser } from '@koa/bodyparser'
import cors from '@koa/cors'
import Router from '@koa/router'
import Koa from 'koa'
import helmet from 'koa-helmet'
import ratelimit from 'koa-ratelimit'
import { serve, workload } from '../candidates/serve.mjs'
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
} from '../orders.mjs'

const app = new Koa({ asyncLocalStorage: workload === 'full' })
const router = new Router()

async function renderErrors(ctx, next) {
  try {
    await next()
    if (ctx.status === 404) ctx.throw(404, `Cannot ${ctx.method} ${ctx.path}`)
  } catch (error) {
    ctx.status = error.status ?? 500
    ctx.body = { message: error.message, errors: error.errors }
  }
}

async function guard(ctx, next) {
  ctx.state.user = await authenticate(ctx.get('authorization'))
  if (ctx.state.user === undefined) ctx.throw(401, 'Authentication is required')
  await next()
}

async function tenant(ctx, next) {
  ctx.state.tenant = tenantOf(ctx.get('x-tenant-id'))
  if (ctx.state.tenant === undefined) ctx.throw(400, 'X-Tenant-Id is required')
  await next()
}

function validate(schema) {
  return async (ctx, next) => {
    const { success, data, error } = schema.safeParse(ctx.request.body)
    if (!success) {
      const errors = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
      ctx.throw(400, 'Validation failed', { errors })
    }
    ctx.request.body = data
    await next()
  }
}

const limiter = () =>
  ratelimit({
    driver: 'memory',
    db: new Map(),
    duration: RATE_WINDOW_SECONDS * 1000,
    max: RATE_LIMIT,
    id: (ctx) => ctx.ip,
  })

function createOrder(ctx) {
  ctx.status = 201
  const created = placeOrder(ctx.request.body, app.currentContext.state.tenant)
  ctx.body = envelope(201, 'Order created', created)
}

const APPS = {
  plain() {
    router.get('/users/:id', (ctx) => {
      ctx.body = envelope(200, 'User found', findUser(ctx.params.id))
    })
  },
  guarded() {
    router.get('/account', guard, (ctx) => {
      ctx.body = envelope(200, 'User found', ctx.state.user)
    })
  },
  async full() {
    const { Order } = await import('../order-schema.mjs')
    app.use(helmet(HELMET))
    app.use(cors({ origin: ORIGIN }))
    app.use(limiter())
    app.use(bodyParser())
    app.use(tenant)
    router.post('/orders', guard, validate(Order), createOrder)
  },
}

app.use(renderErrors)
await APPS[workload]()
app.use(router.routes())
serve(createServer(app.callback()))
