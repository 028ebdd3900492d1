// The seven workloads of the field: what is asked, and what the answers must be before anything is timed.
import assert from 'node:assert/strict'
import { ask } from '../check.mjs'
import { AUTHORIZATION, TENANT } from '../orders.mjs'
import { cachedNumber, FORTUNES, resetCached, spoilCached } from './database.mjs'
import { WORLDS, withAdded } from './world.mjs'

const ROWS = 20
const MOST_ROWS = 500

/** `warmUp` is after how many requests the code of a candidate has been compiled: one that asks for 20 rows compiles it earlier. */
export const WORKLOADS = {
  json: { title: 'JSON', path: '/json', check: checkJson, warmUp: 15_000 },
  plaintext: { title: 'plaintext', path: '/plaintext', check: checkPlaintext, warmUp: 15_000 },
  db: { title: 'one query', path: '/db', check: checkOne, warmUp: 8000 },
  queries: {
    title: '20 queries',
    path: `/queries?queries=${ROWS}`,
    check: checkMany,
    warmUp: 1500,
  },
  fortunes: { title: 'fortunes, rendered', path: '/fortunes', check: checkFortunes, warmUp: 5000 },
  updates: {
    title: 'updates of 20 rows',
    path: `/updates?queries=${ROWS}`,
    check: checkUpdates,
    warmUp: 1000,
  },
  cached: {
    title: '20 cached queries',
    path: `/cached-worlds?count=${ROWS}`,
    check: checkCached,
    warmUp: 8000,
  },
}

/** What is sent beside the path; a tenant is named, and its user known. */
export function headersOf(isTenant) {
  return isTenant ? { authorization: AUTHORIZATION, 'x-tenant-id': TENANT } : {}
}

/**
 * Asks a candidate for a workload, and what it must do besides. Throws when an answer is wrong.
 *
 * @param server `name`, `port`, `isTenant`, and `isFloor` of what checks no token.
 * @param owner a client of the database that sees everything.
 */
export async function checkWorkload(server, workload, owner) {
  const { path, check } = WORKLOADS[workload]
  const asked = { ...server, path, owner, headers: headersOf(server.isTenant) }
  await check(asked)
  if (server.isTenant && !server.isFloor) await checkRefusals(asked)
}

async function get({ name, port, headers }, path, type) {
  const answer = await ask(port, { method: 'GET', path, headers })
  assert.equal(answer.status, 200, `${name}: ${path}: ${answer.body}`)
  assert.match(answer.headers['content-type'], type, `${name}: ${path}`)
  assert.equal(answer.headers.etag, undefined, `${name}: ${path}: nobody else sends an ETag`)
  assert.ok(answer.headers['content-length'] > 0, `${name}: ${path}: the length is sent`)
  return answer.body
}

const JSON_TYPE = /^application\/json(; charset=utf-8)?$/

async function getJson(server, path) {
  return JSON.parse(await get(server, path, JSON_TYPE))
}

async function checkJson(server) {
  const body = await get(server, server.path, JSON_TYPE)
  assert.equal(body, '{"message":"Hello, World!"}', server.name)
}

async function checkPlaintext(server) {
  const body = await get(server, server.path, /^text\/plain(; charset=utf-8)?$/i)
  assert.equal(body, 'Hello, World!', server.name)
}

/** A row has its id and its number, and nothing else; no other tenant has such a number. */
function checkWorld({ id, randomNumber, ...others }, name) {
  const isPossible = (value) => Number.isInteger(value) && value >= 1 && value <= WORLDS
  assert.ok(isPossible(id) && isPossible(randomNumber), `${name}: ${id}: ${randomNumber}`)
  assert.deepEqual(others, {}, name)
}

async function storedNumbers({ owner, isTenant }, ids) {
  const table = isTenant ? `(select * from tenant_world where tenant_id = '${TENANT}') w` : 'world'
  const select = `select id, randomnumber from ${table} where id = any($1::integer[])`
  const { rows } = await owner.query(select, [ids])
  return new Map(rows.map((row) => [row.id, row.randomnumber]))
}

/** Rows as they are in the database, each once. */
async function checkStored(server, worlds, count) {
  assert.equal(worlds.length, count, `${server.name}: the number of rows`)
  const stored = await storedNumbers(
    server,
    worlds.map(({ id }) => id),
  )
  assert.equal(stored.size, count, `${server.name}: every row is another one`)
  for (const world of worlds) {
    checkWorld(world, server.name)
    assert.equal(world.randomNumber, stored.get(world.id), `${server.name}: row ${world.id}`)
  }
}

async function checkOne(server) {
  const [first, second, third] = [
    await getJson(server, server.path),
    await getJson(server, server.path),
    await getJson(server, server.path),
  ]
  for (const world of [first, second, third]) await checkStored(server, [world], 1)
  const isRandom = first.id !== second.id || second.id !== third.id
  assert.ok(isRandom, `${server.name}: the row is a random one`)
}

/** How many rows are sent where the request says no number, or one that is too great. */
async function checkCounts(server) {
  const path = server.path.replace(/\d+$/, '')
  const countOf = async (text) => (await getJson(server, `${path}${text}`)).length
  for (const text of ['', '0', 'many', '1']) {
    assert.equal(await countOf(text), 1, `${server.name}: ${path}${text}`)
  }
  assert.equal(await countOf('501'), MOST_ROWS, `${server.name}: ${path}501`)
}

async function checkMany(server) {
  await checkStored(server, await getJson(server, server.path), ROWS)
  await checkCounts(server)
}

async function checkUpdates(server) {
  // The number may be the old one, in one of ten thousand cases; 20 of them are never all the old ones.
  const before = await storedNumbers(
    server,
    Array.from({ length: WORLDS }, (_, index) => index + 1),
  )
  const worlds = await getJson(server, server.path)
  await checkStored(server, worlds, ROWS)
  const isChanged = worlds.some(({ id, randomNumber }) => before.get(id) !== randomNumber)
  assert.ok(isChanged, `${server.name}: rows have new numbers`)
  await checkCounts(server)
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"' }

function unescapeHtml(text) {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (_, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name]
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
  })
}

const ROW = /<tr><td>(\d+)<\/td><td>(.*?)<\/td><\/tr>/g

/** Every message is there, escaped, in order, and with the one that was added. */
async function checkFortunes(server) {
  const page = await get(server, server.path, /^text\/html; charset=utf-8$/i)
  const rows = [...page.matchAll(ROW)].map(([, id, message]) => ({ id: Number(id), message }))
  for (const { message } of rows) assert.doesNotMatch(message, /[<>"]/, `${server.name}: escaping`)
  const found = rows.map(({ id, message }) => ({ id, message: unescapeHtml(message) }))
  const stored = FORTUNES.map((message, index) => ({ id: index + 1, message }))
  assert.deepEqual(found, withAdded(stored), server.name)
  assert.match(page, /^<!DOCTYPE html><html><head><title>Fortunes<\/title>/, server.name)
}

const FILLING_REQUESTS = 60
const LEAST_KEPT = 0.8

/** Rows that were asked before do not come from the database, where they are other ones by now. */
async function checkCached(server) {
  const path = server.path.replace(/\d+$/, String(MOST_ROWS))
  const seen = new Set()
  for (let request = 0; request < FILLING_REQUESTS; request++) {
    for (const world of await getJson(server, path)) {
      checkWorld(world, server.name)
      assert.equal(world.randomNumber, cachedNumber(world.id), `${server.name}: row ${world.id}`)
      seen.add(world.id)
    }
  }
  await spoilCached(server.owner)
  const again = await getJson(server, path)
  await resetCached(server.owner)
  const kept = again.filter(({ id, randomNumber }) => randomNumber === cachedNumber(id))
  assert.ok(kept.length >= LEAST_KEPT * MOST_ROWS, `${server.name}: rows are cached`)
  for (const { id } of kept) assert.ok(seen.has(id), `${server.name}: row ${id}`)
  assert.equal((await getJson(server, server.path)).length, ROWS, server.name)
  await checkCounts(server)
}

const REFUSALS = [
  { because: 'no token', status: 401, headers: { authorization: undefined } },
  { because: 'a wrong token', status: 401, headers: { authorization: 'Bearer wrong' } },
  { because: "somebody else's tenant", status: 403, headers: { 'x-tenant-id': 'another' } },
]

/** Who may not act for the tenant is refused. */
async function checkRefusals({ name, port, path, headers }) {
  for (const { because, status, headers: others } of REFUSALS) {
    const answer = await ask(port, { method: 'GET', path, headers: { ...headers, ...others } })
    assert.equal(answer.status, status, `${name}: ${path} with ${because}: ${answer.body}`)
  }
}
