// Express 5 with the usual middlewares. ETag and X-Powered-By are off, which saves it time: the others send neither.
import { createServer } from 'node:http'
import cors from 'cors'
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import helmet from 'helmet'
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
import { answerRoute, isRoutes, routesOf } from '../routes.mjs'
import { serve, workload } from './serve.mjs'
import { currentTenant, runAs } from './tenant-context.mjs'

const app = express()
app.disable('x-powered-by')
app.disable('etag')

function getUser(req, res) {
  res.json(envelope(200, 'User found', findUser(req.params.id)))
}

function getAccount(req, res) {
  res.json(envelope(200, 'User found', req.user))
}

function createOrder(req, res) {
  res.status(201).json(envelope(201, 'Order created', placeOrder(req.body, currentTenant())))
}

async function guard(req, res, next) {
  req.user = await authenticate(req.headers.authorization)
  if (req.user === undefined) return res.status(401).json({ message: 'Authentication is required' })
  next()
}

function tenant(req, res, next) {
  const id = tenantOf(req.headers['x-tenant-id'])
  if (id === undefined) return res.status(400).json({ message: 'X-Tenant-Id is required' })
  runAs(id, next)
}

function validate(schema) {
  return (req, res, next) => {
    const { success, data, error } = schema.safeParse(req.body)
    if (!success) {
      const errors = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
      return res.status(400).json({ message: 'Validation failed', errors })
    }
    req.body = data
    next()
  }
}

const limiter = () =>
  rateLimit({
    limit: RATE_LIMIT,
    windowMs: RATE_WINDOW_SECONDS * 1000,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: 'default',
  })

/** zod is loaded by those who validate only. */
async function useFullStack() {
  const { Order } = await import('../order-schema.mjs')
  app.use(helmet(HELMET))
  app.use(cors({ origin: ORIGIN }))
  app.use(limiter())
  app.use(express.json())
  app.use(tenant)
  app.post('/orders', guard, validate(Order), createOrder)
}

const APPS = {
  plain: () => app.get('/users/:id', getUser),
  guarded: () => app.get('/account', guard, getAccount),
  full: useFullStack,
  async middlewares() {
    const { tenMiddlewares } = await import('../middlewares.mjs')
    app.use(...tenMiddlewares())
    await useFullStack()
  },
}

function useRoutes() {
  const answer = (_req, res) => res.json(answerRoute())
  for (const { method, path } of routesOf(workload)) app[method](path, answer)
}

if (isRoutes(workload)) useRoutes()
else await APPS[workload]()

app.use((req, res) => {
  res.status(404).json({ message: `Cannot ${req.method} ${req.path}` })
})
app.use((error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ message: error.message })
})

serve(createServer(app))
