// What a tenant's session adds to the time of a query, in one process, one query after the other.
import { App, runWithTenant } from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import pg from 'pg'
import { median } from '../report.mjs'

const SELECT = 'select id, what, amount from orders where id = $1'
const SELECT_PLAIN = 'select id, what, amount from items where id = $1'
const BATCH = 200

/** Medians of the milliseconds of each way, and of what they are above the plain one in the same round. */
export async function measureSessions(url, rounds) {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  const app = await App.create({ plugins: [postgres({ url, connections: 1 })], logger: false })
  const db = app.get(Database)
  const ways = {
    plain: () => pool.query(SELECT_PLAIN, [1]),
    alone: () => runWithTenant('acme', () => db.query(SELECT, [1])),
    transaction: () => db.withTenantTransaction('acme', () => db.query(SELECT, [1])),
  }
  const measured = []
  for (let round = 0; round < rounds + 1; round++) {
    const names = Object.keys(ways)
    const times = {}
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const start = performance.now()
      for (let i = 0; i < BATCH; i++) await ways[name]()
      times[name] = (performance.now() - start) / BATCH
    }
    // The first one warms up.
    if (round > 0) measured.push(times)
  }
  await app.close()
  await pool.end()
  return Object.keys(ways).map((name) => ({
    name,
    ms: median(measured.map((times) => times[name])),
    added: median(measured.map((times) => times[name] - times.plain)),
  }))
}
