// Fastify 5 with the bodies in zod: what its providers of types do, a compiler for validators and a transform for @fastify/swagger.
import helmet from '@fastify/helmet'
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import { z } from 'zod'
import { announce } from '../../candidates/serve.mjs'
import { HELMET } from '../../orders.mjs'
import { NewOrder, NewUser, ReplacedOrder, ReplacedUser } from '../../startup/schemas.mjs'
import { orders, users } from '../../startup/shop.mjs'

const app = Fastify()
app.setValidatorCompiler(({ schema }) => (value) => {
  const { error, data } = schema.safeParse(value)
  return error === undefined ? { value: data } : { error }
})
const options = { target: 'draft-7', io: 'input' }
const asJson = (schema) =>
  Object.fromEntries(
    Object.entries(schema).map(([part, value]) => [
      part,
      value instanceof z.ZodType ? z.toJSONSchema(value, options) : value,
    ]),
  )
await app.register(helmet, HELMET)
await app.register(swagger, {
  openapi: { info: { title: 'Shop', version: '1.0.0' } },
  transform: ({ schema, url }) => ({ schema: schema && asJson(schema), url }),
})

const params = z.object({ id: z.string() })

function define(path, things, created, replaced) {
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

define('/users', users, NewUser, ReplacedUser)
define('/orders', orders, NewOrder, ReplacedOrder)
app.get('/api-docs.json', { schema: { hide: true } }, async () => app.swagger())

await app.listen({ port: 0, host: '127.0.0.1' })
announce(app.server.address().port)
