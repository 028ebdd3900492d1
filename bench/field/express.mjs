// Express 5 with pg, hbs for its views, and lru-cache. ETag and X-Powered-By are off, which saves it time: the others send neither.
import { createServer } from 'node:http'
import express from 'express'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { serve } from '../candidates/serve.mjs'
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
} from './world.mjs'

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

const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.set('view engine', 'hbs')
app.set('views', VIEWS)
app.set('view options', { layout: false })

app.get('/json', (_req, res) => {
  res.json({ message: 'Hello, World!' })
})

app.get('/plaintext', (_req, res) => {
  res.type('text/plain').send('Hello, World!')
})

app.get('/db', async (_req, res) => {
  res.json(await findWorld(randomNumber()))
})

app.get('/queries', async (req, res) => {
  res.json(await Promise.all(randomIds(countOf(req.query.queries)).map(findWorld)))
})

app.get('/fortunes', async (_req, res) => {
  const { rows } = await pool.query(STATEMENTS.fortunes)
  res.render('fortunes', { fortunes: withAdded(rows) })
})

app.get('/updates', async (req, res) => {
  const worlds = await Promise.all(randomIds(countOf(req.query.queries)).map(findWorld))
  const [changed, values] = changeWorlds(worlds)
  await pool.query(STATEMENTS.update, values)
  res.json(changed)
})

app.get('/cached-worlds', async (req, res) => {
  res.json(await Promise.all(randomIds(countOf(req.query.count)).map(findCachedWorld)))
})

serve(createServer(app))
