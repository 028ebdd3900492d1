// Hono on node-server, with the middlewares it brings and the ones its documentation points to.
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { contextStorage, getContext } from 'hono/context-storage'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { secureHeaders } from 'hono/secure-headers'
import { rateLimiter } from 'hono-rate-limiter'
import { announce, workload } from '../candidates/serve.mjs'
import {
  authenticate,
  envelope,
  findUser,
  HELMET,
  KEEP_ALIVE_SECONDS,
  ORIGIN,
  placeOrder,
  RATE_LIMIT,
  RATE_WINDOW_SECONDS,
  tenantOf,
} from '../orders.mjs'

/** What helmet's defaults come down to. */
const SECURE_HEADERS = {
  contentSecurityPolicy: HELMET.contentSecurityPolicy.directives,
  strictTransportSecurity: 'max-age=31536000; includeSubDomains',
}

const app = new Hono()
app.notFound((c) => c.json({ message: `Cannot ${c.req.method} ${c.req.path}` }, 404))

const guard = createMiddleware(async (c, next) => {
  const user = await authenticate(c.req.header('authorization'))
  if (user === undefined) return c.json({ message: 'Authentication is required' }, 401)
  c.set('user', user)
  await next()
})

/** The tenant is kept by the request's context, which `contextStorage` keeps in an asynchronous one. */
const tenant = createMiddleware(async (c, next) => {
  const id = tenantOf(c.req.header('x-tenant-id'))
  if (id === undefined) return c.json({ message: 'X-Tenant-Id is required' }, 400)
  c.set('tenant', id)
  await next()
})

function refuseInvalid(result, c) {
  if (result.success) return
  const errors = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  return c.json({ message: 'Validation failed', errors }, 400)
}

const limiter = () =>
  rateLimiter({
    limit: RATE_LIMIT,
    windowMs: RATE_WINDOW_SECONDS * 1000,
    standardHeaders: 'draft-7',
    keyGenerator: (c) => getConnInfo(c).remote.address,
  })

function createOrder(c) {
  const created = placeOrder(c.req.valid('json'), getContext().get('tenant'))
  return c.json(envelope(201, 'Order created', created), 201)
}

const APPS = {
  plain() {
    app.get('/users/:id', (c) => c.json(envelope(200, 'User found', findUser(c.req.param('id')))))
  },
  guarded() {
    app.get('/account', guard, (c) => c.json(envelope(200, 'User found', c.get('user'))))
  },
  async full() {
    const { Order } = await import('../order-schema.mjs')
    app.use(secureHeaders(SECURE_HEADERS))
    app.use(cors({ origin: ORIGIN }))
    app.use(limiter())
    app.use(contextStorage())
    app.use(tenant)
    app.post('/orders', guard, zValidator('json', Order, refuseInvalid), createOrder)
  },
}

await APPS[workload]()
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  announce(port),
)
server.keepAliveTimeout = KEEP_ALIVE_SECONDS * 1000
