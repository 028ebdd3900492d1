// The API of the boot benchmark in Fastify with the bodies in zod: what its providers of types do, a compiler for validators and a
// transform for @fastify/swagger.
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import { z } from 'zod'
import { defineBody } from '../../boot/bodies.mjs'
import { beginPhase, CONTROLLERS, endPhase } from '../../boot/phase.mjs'
import { defineResource } from './resource.mjs'

const phase = beginPhase()
const app = Fastify()
app.setValidatorCompiler(({ schema }) => (value) => {
  const { error, data } = schema.safeParse(value)
  return error === undefined ? { value: data } : { error }
})
const asJson = ({ body, ...others }) => {
  if (body === undefined) return others
  return { ...others, body: z.toJSONSchema(body, { target: 'draft-7', io: 'input' }) }
}
await app.register(swagger, {
  openapi: { info: { title: 'API', version: '1.0.0' } },
  transform: ({ schema, url }) => ({ schema: schema && asJson(schema), url }),
})
for (let n = 0; n < CONTROLLERS; n++) {
  app.register(defineResource(n, defineBody), { prefix: `/things-${n}` })
}
await app.listen({ port: 0, host: '127.0.0.1' })
endPhase(phase, { port: app.server.address().port, text: JSON.stringify(app.swagger()) })
