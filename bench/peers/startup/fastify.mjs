// Fastify 5 as its documentation shows it: JSON Schema, @fastify/swagger before the routes, the document on a route.
import helmet from '@fastify/helmet'
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import { announce } from '../../candidates/serve.mjs'
import { HELMET } from '../../orders.mjs'
import { orders, users } from '../../startup/shop.mjs'

const text = (minLength, maxLength) => ({ type: 'string', minLength, maxLength })
const object = (properties, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const newUser = { name: text(1, 100), email: { type: 'string', format: 'email' } }
const newOrder = { sku: text(1, 40), quantity: { type: 'integer', minimum: 1, maximum: 1000 } }
const bodies = {
  users: [object(newUser), object({ ...newUser, nickname: text(0, 40) }, Object.keys(newUser))],
  orders: [object(newOrder), object({ ...newOrder, note: text(0, 500) }, Object.keys(newOrder))],
}

const app = Fastify()
await app.register(helmet, HELMET)
await app.register(swagger, { openapi: { info: { title: 'Shop', version: '1.0.0' } } })

const params = object({ id: { type: 'string' } })

function define(path, things, [created, replaced]) {
  app.get(path, async () => things.list())
  app.get(`${path}/:id`, { schema: { params } }, async (req) => things.read(req.params.id))
  app.post(path, { schema: { body: created } }, async (req, reply) => {
    reply.code(201)
    return things.create(req.body)
  })
  app.put(`${path}/:id`, { schema: { params, body: replaced } }, async (req) =>
    things.replace(req.params.id, req.body),
  )
  app.delete(`${path}/:id`, { schema: { params } }, async (req) => things.remove(req.params.id))
}

define('/users', users, bodies.users)
define('/orders', orders, bodies.orders)
app.get('/api-docs.json', { schema: { hide: true } }, async () => app.swagger())

await app.listen({ port: 0, host: '127.0.0.1' })
announce(app.server.address().port)
