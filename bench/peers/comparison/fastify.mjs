// Fastify with JSON Schema and @fastify/swagger; its other settings are the defaults.
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import helmet from 'helmet'

const variant = process.argv[2]
const app = Fastify()
await app.register(swagger, { openapi: { info: { title: 'Users', version: '1' } } })

const params = { type: 'object', properties: { id: { type: 'integer' } } }
const body = {
  type: 'object',
  required: ['name', 'email', 'age'],
  properties: {
    name: { type: 'string', minLength: 1 },
    email: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 18 },
  },
}

if (variant === 'middleware') app.use(helmet({ referrerPolicy: { policy: 'origin' } }))
app.get('/users/:id', { schema: { params } }, ({ params: { id } }) => ({ id, name: 'Ada' }))
app.post('/users', { schema: { body } }, (request, reply) => {
  reply.code(201)
  return { id: 2, ...request.body }
})
if (variant === 'clash') app.get('/users/:name', () => 'never reached')
if (variant === 'mistake') {
  const wrong = { type: 'object', properties: { teamId: { type: 'string' } } }
  app.get('/teams/:id', { schema: { params: wrong } }, () => 'not in the path')
}
app.get('/document', { schema: { hide: true } }, () => app.swagger())

await app.listen({ port: 0, host: '127.0.0.1' })
process.on('disconnect', () => process.exit())
process.send?.({ port: app.server.address().port, document: '/document' })
