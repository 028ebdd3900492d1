import { App, Controller, Get, Query, type Req } from 'blazon'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { semanticProblems } from '../checks/semantics.js'
import { STRUCTURE_CHECKS } from '../checks/structure.js'
import { undocumented } from './documented.js'
import { type Exchange, send } from './exchange.js'
import { openGateway } from './gateway.js'
import { createBackend } from './openapi-backend.js'

const Filter = z.object({
  range: z.object({ from: z.string(), to: z.string().optional() }).describe('Both ends'),
  tag: z.array(z.string()).optional().describe('Any of these'),
})

@Controller('nested')
class NestedController {
  @Get()
  @Query(Filter)
  list({ query }: Req<{ query: typeof Filter }>) {
    return query
  }
}

const get = { method: 'GET' }
const exchanges: readonly Exchange[] = [
  { name: 'half', ...get, path: '/nested?range[from]=a', status: 200 },
  { name: 'both', ...get, path: '/nested?range[from]=a&range[to]=b&tag=c', status: 200 },
  { name: 'none', ...get, path: '/nested?tag=c', status: 400, isRefused: true },
  { name: 'other', ...get, path: '/nested?range[to]=b', status: 400, isRefused: true },
]

it('the document describes nested query objects if the query parser supports them', async () => {
  const app = new App({
    controllers: [NestedController],
    logger: false,
    swagger: {
      description: 'Objects in the query.',
      contact: { name: 'API', url: 'https://example.com', email: 'api@example.com' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      tags: [{ name: 'Nested', description: 'What is nested.' }],
    },
  })
  app.express.set('query parser', 'extended')
  const { document } = app
  for (const check of Object.values(STRUCTURE_CHECKS)) expect(await check(document)).toEqual([])
  expect(semanticProblems(document)).toEqual([])

  const { port } = await app.listen(0, '127.0.0.1')
  const upstream = `http://127.0.0.1:${port}`
  const gateway = await openGateway({ document, upstream, exchanges, validatesRequests: true })
  const validate = await createBackend(document)
  for (const [index, exchange] of exchanges.entries()) {
    const answer = await send(upstream, exchange)
    expect(answer.status, exchange.name).toBe(exchange.status)
    expect(undocumented(document, exchange, answer)).toEqual([])
    expect(validate(exchange, answer).answer).toEqual([])
    const guarded = await send(gateway.origin, exchange, { 'x-exchange': String(index) })
    expect(guarded.status, exchange.name).toBe(exchange.status)
  }
  expect(gateway.takeProblems()).toEqual([])
  await gateway.close()
  await app.close()
})
