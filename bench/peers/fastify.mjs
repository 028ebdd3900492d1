// Fastify 5 as its documentation recommends: JSON Schema in and out, hooks, and its own plugins for helmet, CORS and limits.
import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import { announce, workload } from '../candidates/serve.mjs'
import { currentTenant, runAs } from '../candidates/tenant-context.mjs'
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
import { answerRoute, isRoutes, routesOf } from '../routes.mjs'
import { account, enveloped, order, placed, user } from './order-json-schema.mjs'

/** Its own logger, with the two lines that it writes for each request, and ids as Blazon makes them. */
const OBSERVED = { logger: { stream: { write() {} } }, genReqId: () => randomUUID() }

const app = Fastify({
  ...(workload === 'observed' && OBSERVED),
  keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
  // All errors of a body at once, as the others answer.
  ajv: { customOptions: { allErrors: true } },
})
app.decorateRequest('user', null)
app.setErrorHandler((error, _request, reply) => {
  const errors = error.validation?.map(({ instancePath, message }) => ({
    path: instancePath,
    message,
  }))
  reply.code(error.statusCode ?? 500).send({ message: error.message, errors })
})

const httpError = (statusCode, message) => Object.assign(new Error(message), { statusCode })

async function guard(request) {
  request.user = await authenticate(request.headers.authorization)
  if (request.user === undefined) throw httpError(401, 'Authentication is required')
}

/** A hook that calls back, so that what follows runs in the context; @fastify/request-context does the same. */
function tenant(request, _reply, done) {
  const id = tenantOf(request.headers['x-tenant-id'])
  if (id === undefined) return done(httpError(400, 'X-Tenant-Id is required'))
  runAs(id, done)
}

function addUsers() {
  app.get('/users/:id', { schema: { response: { 200: enveloped(user) } } }, (request, reply) => {
    reply.send(envelope(200, 'User found', findUser(request.params.id)))
  })
}

function addAccount() {
  const schema = { response: { 200: enveloped(account) } }
  app.get('/account', { schema, onRequest: guard }, (request, reply) => {
    reply.send(envelope(200, 'User found', request.user))
  })
}

async function addFullStack(corsOptions = {}) {
  await app.register(helmet, HELMET)
  await app.register(cors, { origin: ORIGIN, ...corsOptions })
  await app.register(rateLimit, {
    max: RATE_LIMIT,
    timeWindow: RATE_WINDOW_SECONDS * 1000,
    enableDraftSpec: true,
  })
  // The reader of bodies loses the context, so it is entered once the body is there.
  app.addHook('preValidation', tenant)
  const schema = { body: order, response: { 201: enveloped(placed) } }
  app.post('/orders', { schema, onRequest: guard }, (request, reply) => {
    const created = placeOrder(request.body, currentTenant())
    reply.code(201).send(envelope(201, 'Order created', created))
  })
}

/** One histogram for all routes, measured in a hook, as the plugins for metrics do. */
async function addObservedStack() {
  const { collectDefaultMetrics, Histogram, register } = await import('prom-client')
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'The time of requests.',
    labelNames: ['method', 'route', 'status_code'],
  })
  collectDefaultMetrics()
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', ({ method, routeOptions }, reply, done) => {
    const labels = { method, route: routeOptions.url ?? '(none)', status_code: reply.statusCode }
    duration.observe(labels, reply.elapsedTime / 1000)
    done()
  })
  app.get('/metrics', { logLevel: 'silent' }, async (_request, reply) => {
    reply.type(register.contentType)
    return register.metrics()
  })
  await addFullStack({ exposedHeaders: ['X-Request-Id'] })
}

function addRoutes() {
  const schema = { response: { 200: enveloped(user) } }
  for (const { method, path } of routesOf(workload)) {
    app[method](path, { schema }, (_request, reply) => reply.send(answerRoute()))
  }
}

const APPS = {
  plain: addUsers,
  guarded: addAccount,
  full: addFullStack,
  observed: addObservedStack,
}

if (isRoutes(workload)) addRoutes()
else await APPS[workload]()
await app.listen({ port: 0, host: '127.0.0.1' })
announce(app.server.address().port)
