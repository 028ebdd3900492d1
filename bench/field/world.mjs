// What every candidate does alike in the workloads of the field: the same statements, random numbers, and order of fortunes.
import { join } from 'node:path'

/** Rows of `world`, and of `cached_world`. Their ids begin at 1. */
export const WORLDS = 10_000

/** Connections to the database that a candidate may have. */
export const POOL_SIZE = 10

/** Where the template `fortunes.hbs` is, for those who render Handlebars. */
export const VIEWS = join(import.meta.dirname, 'views')

/** The database, by a login for the plain tables, and by one for those of tenants. */
export const DATABASE_URL = process.env.BENCH_DATABASE_URL
export const TENANT_DATABASE_URL = process.env.BENCH_TENANT_DATABASE_URL

const MOST_QUERIES = 500

/** The statements; tables of tenants have a prefix. */
export function statementsOf(prefix = '') {
  const select = (table) =>
    `select id, randomnumber as "randomNumber" from ${prefix}${table} where id = $1`
  return {
    world: select('world'),
    cachedWorld: select('cached_world'),
    fortunes: `select id, message from ${prefix}fortune`,
    // In the order of the ids, so that two requests cannot wait for each other.
    update: `update ${prefix}world set randomnumber = changed.number
      from unnest($1::integer[], $2::integer[]) as changed (id, number) where ${prefix}world.id = changed.id`,
  }
}

export function randomNumber() {
  return Math.floor(Math.random() * WORLDS) + 1
}

/** How many rows a request wants: 1 where it does not say or says no number, and 500 at most. */
export function countOf(text) {
  const count = Number.parseInt(text, 10)
  return count > 1 ? Math.min(count, MOST_QUERIES) : 1
}

/** Different random ids, the least first: rows are locked in this order. */
export function randomIds(count) {
  const ids = new Set()
  while (ids.size < count) ids.add(randomNumber())
  return [...ids].sort((a, b) => a - b)
}

/** Rows with new random numbers, and what `update` is told of them. */
export function changeWorlds(worlds) {
  const changed = worlds.map(({ id }) => ({ id, randomNumber: randomNumber() }))
  return [changed, [changed.map((each) => each.id), changed.map((each) => each.randomNumber)]]
}

/** The rows with the one that is added at each request, in the order of their messages. */
export function withAdded(rows) {
  const all = [...rows, { id: 0, message: 'Added while the request was answered.' }]
  return all.sort((a, b) => (a.message < b.message ? -1 : 1))
}
