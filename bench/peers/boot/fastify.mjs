// The API of the boot benchmark as Fastify's documentation recommends: a plugin a resource, JSON Schema, @fastify/swagger.
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import { beginPhase, CONTROLLERS, endPhase } from '../../boot/phase.mjs'
import { defineResource } from './resource.mjs'

const phase = beginPhase()

/** Every schema is made anew, and says something else than any other. */
function defineBody(n) {
  return {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 100 + n },
      email: { type: 'string', format: 'email' },
      quantity: { type: 'integer', minimum: 1, maximum: 1000 },
      price: { type: 'number', minimum: 0 },
      status: { type: 'string', enum: ['draft', 'open', 'closed'] },
      tags: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 40 } },
      isActive: { type: 'boolean' },
      address: {
        type: 'object',
        properties: {
          street: { type: 'string', minLength: 1, maxLength: 200 },
          city: { type: 'string', minLength: 1, maxLength: 100 },
          zip: { type: 'string', minLength: 3, maxLength: 12 },
        },
        required: ['street', 'city', 'zip'],
      },
    },
    required: ['name', 'email', 'quantity', 'price', 'status', 'tags', 'address'],
  }
}

const app = Fastify()
await app.register(swagger, { openapi: { info: { title: 'API', version: '1.0.0' } } })
for (let n = 0; n < CONTROLLERS; n++) {
  app.register(defineResource(n, defineBody), { prefix: `/things-${n}` })
}
await app.listen({ port: 0, host: '127.0.0.1' })
endPhase(phase, { port: app.server.address().port, text: JSON.stringify(app.swagger()) })
