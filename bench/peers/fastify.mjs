// Fastify 5 as its documentation recommends: JSON Schema in and out, an asynchronous `onRequest` hook, its own helmet plugin.
import helmet from '@fastify/helmet'
import Fastify from 'fastify'
import { announce, workload } from '../candidates/serve.mjs'
import {
  authenticate,
  envelope,
  findUser,
  HELMET,
  KEEP_ALIVE_SECONDS,
  placeOrder,
} from '../workloads.mjs'

const string = { type: 'string' }
const number = { type: 'number' }
const object = (properties, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const text = (minLength, maxLength) => ({ type: 'string', minLength, maxLength })
const enveloped = (data) =>
  object({ statusCode: string, status: { type: 'integer' }, message: string, data })

const user = object({
  id: string,
  name: string,
  email: string,
  roles: { type: 'array', items: string },
})

const order = object(
  {
    customer: object({
      name: text(1, 100),
      email: { type: 'string', format: 'email' },
      address: object({
        street: text(1, 200),
        city: text(1, 100),
        zip: text(3, 12),
        country: text(2, 2),
      }),
    }),
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: object({
        sku: text(1, 40),
        quantity: { type: 'integer', minimum: 1, maximum: 1000 },
        price: { type: 'number', minimum: 0 },
      }),
    },
    note: { type: 'string', maxLength: 500 },
  },
  ['customer', 'items'],
)

const placed = object({
  id: string,
  customer: order.properties.customer,
  items: { type: 'array', items: order.properties.items.items },
  total: number,
})

const app = Fastify({ keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000 })

async function guard(request, reply) {
  request.user = await authenticate(request.headers.authorization)
  if (request.user === undefined) {
    reply.code(401)
    throw new Error('Authentication is required')
  }
}

if (workload === 'get') {
  app.get('/users/:id', { schema: { response: { 200: enveloped(user) } } }, (request, reply) => {
    reply.send(envelope(200, 'User found', findUser(request.params.id)))
  })
} else {
  app.decorateRequest('user', null)
  await app.register(helmet, HELMET)
  const schema = { body: order, response: { 201: enveloped(placed) } }
  app.post('/orders', { schema, onRequest: guard }, (request, reply) => {
    reply.code(201).send(envelope(201, 'Order created', placeOrder(request.body)))
  })
}

await app.listen({ port: 0, host: '127.0.0.1' })
announce(app.server.address().port)
