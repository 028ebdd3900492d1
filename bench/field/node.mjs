// The floor: node:http and pg alone, with the template that the others render. It knows its paths by heart, and checks no token.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import Handlebars from 'handlebars'
import pg from 'pg'
import { serve, workload } from '../candidates/serve.mjs'
import { SETTINGS, settingsFor } from '../candidates/tenant-settings.mjs'
import {
  changeWorlds,
  countOf,
  DATABASE_URL,
  POOL_SIZE,
  randomIds,
  randomNumber,
  statementsOf,
  TENANT_DATABASE_URL,
  VIEWS,
  withAdded,
} from './world.mjs'

const isTenant = workload === 'tenant'
const STATEMENTS = statementsOf(isTenant ? 'tenant_' : '')

const url = isTenant ? TENANT_DATABASE_URL : DATABASE_URL
const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE, pipeline: isTenant })
const render = Handlebars.compile(readFileSync(join(VIEWS, 'fortunes.hbs'), 'utf8'))
const cache = new Map()

/** Calls a function with what asks the database: the pool, or the connection on which a transaction of the tenant runs. */
async function withDatabase(req, use) {
  return isTenant ? inTransaction(req.headers['x-tenant-id'], use) : use(pool)
}

/** The statements that Blazon sends for a tenant, in as few flights: the first statements beside the beginning. */
async function inTransaction(tenant, use) {
  const client = await pool.connect()
  const [, , result] = await Promise.all([
    client.query('BEGIN'),
    client.query(SETTINGS, settingsFor(tenant)),
    use(client),
  ])
  await client.query('COMMIT')
  client.release()
  return result
}

async function findWorld(db, id) {
  const { rows } = await db.query(STATEMENTS.world, [id])
  return rows[0]
}

function findWorlds(db, count) {
  return Promise.all(randomIds(count).map((id) => findWorld(db, id)))
}

async function findCachedWorld(req, id) {
  const key = isTenant ? `${req.headers['x-tenant-id']}:${id}` : id
  const kept = cache.get(key)
  if (kept !== undefined) return kept
  const { rows } = await withDatabase(req, (db) => db.query(STATEMENTS.cachedWorld, [id]))
  cache.set(key, rows[0])
  return rows[0]
}

const ROUTES = {
  '/json': (_req, res) => sendJson(res, { message: 'Hello, World!' }),
  '/plaintext': (_req, res) => send(res, 'text/plain; charset=utf-8', 'Hello, World!'),
  async '/db'(req, res) {
    sendJson(res, await withDatabase(req, (db) => findWorld(db, randomNumber())))
  },
  async '/queries'(req, res) {
    const count = countIn(req)
    sendJson(res, await withDatabase(req, (db) => findWorlds(db, count)))
  },
  async '/fortunes'(req, res) {
    const { rows } = await withDatabase(req, (db) => db.query(STATEMENTS.fortunes))
    send(res, 'text/html; charset=utf-8', render({ fortunes: withAdded(rows) }))
  },
  async '/updates'(req, res) {
    const changed = await withDatabase(req, async (db) => {
      const [worlds, values] = changeWorlds(await findWorlds(db, countIn(req)))
      await db.query(STATEMENTS.update, values)
      return worlds
    })
    sendJson(res, changed)
  },
  async '/cached-worlds'(req, res) {
    const ids = randomIds(countIn(req))
    sendJson(res, await Promise.all(ids.map((id) => findCachedWorld(req, id))))
  },
}

function countIn({ url }) {
  return countOf(url.slice(url.indexOf('=') + 1))
}

function sendJson(res, data) {
  send(res, 'application/json; charset=utf-8', JSON.stringify(data))
}

function send(res, type, text) {
  const length = Buffer.byteLength(text)
  res.writeHead(200, ['Content-Type', type, 'Content-Length', length]).end(text)
}

serve(
  createServer((req, res) => {
    const end = req.url.indexOf('?')
    const path = end < 0 ? req.url : req.url.slice(0, end)
    return ROUTES[path](req, res)
  }),
)
