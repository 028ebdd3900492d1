// Hono with @hono/zod-openapi, which validates what it documents.
import { serve } from '@hono/node-server'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import helmet from 'helmet'

const variant = process.argv[2]
const app = new OpenAPIHono()
const json = (schema) => ({ content: { 'application/json': { schema } } })
const Found = z.object({ id: z.number(), name: z.string() })
const User = z.object({ name: z.string().min(1), email: z.email(), age: z.number().int().min(18) })

const getById = createRoute({
  method: 'get',
  path: '/users/{id}',
  request: { params: z.object({ id: z.coerce.number().int() }) },
  responses: { 200: { description: 'The user', ...json(Found) } },
})
const create = createRoute({
  method: 'post',
  path: '/users',
  request: { body: { ...json(User), required: true } },
  responses: { 201: { description: 'Created', ...json(Found) } },
})

if (variant === 'middleware') app.use(helmet({ referrerPolicy: { policy: 'origin' } }))
app.openapi(getById, (c) => c.json({ id: c.req.valid('param').id, name: 'Ada' }, 200))
app.openapi(create, (c) => c.json({ id: 2, ...c.req.valid('json') }, 201))
if (variant === 'clash') {
  const path = '/users/{name}'
  const request = { params: z.object({ name: z.string() }) }
  const { responses } = getById
  app.openapi(createRoute({ method: 'get', path, request, responses }), (c) => c.text('never'))
}
if (variant === 'mistake') {
  const request = { params: z.object({ teamId: z.string().optional() }) }
  const { responses } = getById
  app.openapi(createRoute({ method: 'get', path: '/teams/{id}', request, responses }), (c) =>
    c.text('not in the path'),
  )
}
app.doc('/document', { openapi: '3.0.0', info: { title: 'Users', version: '1' } })

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.on('disconnect', () => process.exit())
  process.send?.({ port, document: '/document' })
})
