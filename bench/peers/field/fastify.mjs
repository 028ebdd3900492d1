// Fastify with its plugins for PostgreSQL and views, response schemas, and lru-cache.
import postgres from '@fastify/postgres'
import view from '@fastify/view'
import Fastify from 'fastify'
import Handlebars from 'handlebars'
import { LRUCache } from 'lru-cache'
import { announce } from '../../candidates/serve.mjs'
import {
  changeWorlds,
  countOf,
  DATABASE_URL,
  POOL_SIZE,
  randomIds,
  randomNumber,
  statementsOf,
  VIEWS,
  WORLDS,
  withAdded,
} from '../../field/world.mjs'
import { KEEP_ALIVE_SECONDS } from '../../orders.mjs'

const STATEMENTS = statementsOf()
const cache = new LRUCache({ max: WORLDS })

const integer = { type: 'integer' }
const world = { type: 'object', properties: { id: integer, randomNumber: integer } }
const responding = (schema) => ({ schema: { response: { 200: schema } } })
const worlds = responding({ type: 'array', items: world })

const app = Fastify({ keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000 })
await app.register(postgres, { connectionString: DATABASE_URL, max: POOL_SIZE })
await app.register(view, { engine: { handlebars: Handlebars }, root: VIEWS, viewExt: 'hbs' })

async function findWorld(id) {
  const { rows } = await app.pg.query(STATEMENTS.world, [id])
  return rows[0]
}

async function findCachedWorld(id) {
  const kept = cache.get(id)
  if (kept !== undefined) return kept
  const { rows } = await app.pg.query(STATEMENTS.cachedWorld, [id])
  cache.set(id, rows[0])
  return rows[0]
}

const message = { type: 'object', properties: { message: { type: 'string' } } }
app.get('/json', responding(message), async () => ({ message: 'Hello, World!' }))

app.get('/plaintext', async (_request, reply) => {
  reply.type('text/plain; charset=utf-8')
  return 'Hello, World!'
})

app.get('/db', responding(world), () => findWorld(randomNumber()))

app.get('/queries', worlds, ({ query }) =>
  Promise.all(randomIds(countOf(query.queries)).map(findWorld)),
)

app.get('/fortunes', async (_request, reply) => {
  const { rows } = await app.pg.query(STATEMENTS.fortunes)
  return reply.viewAsync('fortunes', { fortunes: withAdded(rows) })
})

app.get('/updates', worlds, async ({ query }) => {
  const found = await Promise.all(randomIds(countOf(query.queries)).map(findWorld))
  const [changed, values] = changeWorlds(found)
  await app.pg.query(STATEMENTS.update, values)
  return changed
})

app.get('/cached-worlds', worlds, ({ query }) =>
  Promise.all(randomIds(countOf(query.count)).map(findCachedWorld)),
)

await app.listen({ port: 0, host: '127.0.0.1' })
announce(app.server.address().port)
