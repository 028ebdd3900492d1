// Hono on node-server with pg, its own helper for HTML, and lru-cache.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { announce } from '../../candidates/serve.mjs'
import {
  changeWorlds,
  countOf,
  DATABASE_URL,
  POOL_SIZE,
  randomIds,
  randomNumber,
  statementsOf,
  WORLDS,
  withAdded,
} from '../../field/world.mjs'
import { KEEP_ALIVE_SECONDS } from '../../orders.mjs'

const STATEMENTS = statementsOf()
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: POOL_SIZE })
const cache = new LRUCache({ max: WORLDS })

async function findWorld(id) {
  const { rows } = await pool.query(STATEMENTS.world, [id])
  return rows[0]
}

async function findCachedWorld(id) {
  const kept = cache.get(id)
  if (kept !== undefined) return kept
  const { rows } = await pool.query(STATEMENTS.cachedWorld, [id])
  cache.set(id, rows[0])
  return rows[0]
}

const page = (fortunes) =>
  html`<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>${fortunes.map(
    ({ id, message }) => html`<tr><td>${id}</td><td>${message}</td></tr>`,
  )}</table></body></html>`

const app = new Hono()

app.get('/json', (c) => c.json({ message: 'Hello, World!' }))

app.get('/plaintext', (c) => c.text('Hello, World!'))

app.get('/db', async (c) => c.json(await findWorld(randomNumber())))

app.get('/queries', async (c) => {
  const ids = randomIds(countOf(c.req.query('queries')))
  return c.json(await Promise.all(ids.map(findWorld)))
})

app.get('/fortunes', async (c) => {
  const { rows } = await pool.query(STATEMENTS.fortunes)
  return c.html(page(withAdded(rows)))
})

app.get('/updates', async (c) => {
  const ids = randomIds(countOf(c.req.query('queries')))
  const [changed, values] = changeWorlds(await Promise.all(ids.map(findWorld)))
  await pool.query(STATEMENTS.update, values)
  return c.json(changed)
})

app.get('/cached-worlds', async (c) => {
  const ids = randomIds(countOf(c.req.query('count')))
  return c.json(await Promise.all(ids.map(findCachedWorld)))
})

const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  announce(port),
)
server.keepAliveTimeout = KEEP_ALIVE_SECONDS * 1000
