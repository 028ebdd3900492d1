// npm run soak [-- --requests 1000000 --seconds 60 --keys 1000000]: many tenants for a long time, and what is left of them.
import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CacheManager, Clock, memoryRateLimit } from 'blazon'
import { compile } from './compile.mjs'
import { markdownTable } from './report.mjs'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '60' },
    keys: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
  },
})
const [requests, seconds, keys, seed] = [
  values.requests,
  values.seconds,
  values.keys,
  values.seed,
].map(Number)

/** The memory cache may hold 64 MB and the limiter 20; the rest is what a process breathes. */
const MOST_MEGABYTES = 128
const WARM_UP = 20_000
const STEP = 10_000
const TENANTS = 50
const loadBefore = loadavg()[0]

const sources = join(import.meta.dirname, 'soak')
const { createShops, canaryOf } = await import(await compile(join(sources, 'shops.ts')))
const { sendTraffic } = await import(await compile(join(sources, 'traffic.ts')))

/** Megabytes that are in use, once what is not has been collected. */
function megabytes() {
  if (globalThis.gc === undefined) throw new Error('Run it with node --expose-gc.')
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed / 2 ** 20
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function soakRequests(app) {
  const { port } = await app.listen(0, '127.0.0.1')
  const options = { port, canaryOf, tenants: TENANTS, seed }
  await sendTraffic({ ...options, requests: WARM_UP })
  const before = megabytes()
  const start = performance.now()
  const end = start + seconds * 1000
  const report = await sendTraffic({
    ...options,
    requests,
    isOver: () => performance.now() > end,
  })
  const took = (performance.now() - start) / 1000
  const after = megabytes()
  return { ...report, took, before, after }
}

/** Fills something with a key of a tenant of its own each time. */
async function soakKeys(put) {
  const before = megabytes()
  let most = before
  const start = performance.now()
  for (let n = 0; n < keys; n++) {
    await put(n)
    if (n % STEP === 0) await turn()
    if (n % (keys / 10) === 0) most = Math.max(most, megabytes())
  }
  const after = megabytes()
  return { took: (performance.now() - start) / 1000, before, most: Math.max(most, after), after }
}

function soakCache(app) {
  const cache = app.get(CacheManager)
  return soakKeys((n) =>
    cache.forTenant(`tenant-${n}`).set(`key-${n}`, { text: canaryOf(`${n}`) }, '1h'),
  )
}

function soakLimiter(app) {
  const store = memoryRateLimit()
  const logger = { info() {}, warn() {}, error() {} }
  store.open({ clock: app.get(Clock), logger })
  return soakKeys((n) => {
    store.consume({ key: `tenant-${n}`, limit: 100, windowMs: 3_600_000 })
  })
}

const mb = (value) => `${value.toFixed(1)} MB`
const count = (value) => value.toLocaleString('en')

function requestTable(report) {
  const { took, before, after } = report
  const refused = [...report.answers].filter(([key]) => !/ (200|201|404)$/.test(key))
  const other = refused.map(([key, times]) => `${key}: ${count(times)}`).join(', ') || '0'
  return markdownTable(
    ['', 'measured'],
    [
      ['requests', count(report.requests)],
      [`of the ${TENANTS} known tenants`, count(report.requests - report.strangers)],
      ['of tenants never seen before, each its own', count(report.strangers)],
      ['answered from the cache', count(report.hits)],
      ['cut by their client', count(report.aborted)],
      ['answers other than 200, 201, 404', other],
      ['answers without their tenant’s canary', count(report.unmarked)],
      ['**bytes of other tenants**', `**${count(report.foreignBytes)}**`],
      ['seconds', took.toFixed(1)],
      ['heap before, after', `${mb(before)}, ${mb(after)}`],
    ],
  )
}

function keyTable(rows) {
  return markdownTable(
    ['', 'distinct tenants and keys', 'heap before', 'most', 'after', 'bound', ''],
    rows.map(({ title, before, most, after }) => {
      const verdict = most - before <= MOST_MEGABYTES ? 'kept' : 'BROKEN'
      return [title, count(keys), mb(before), mb(most), mb(after), `+${MOST_MEGABYTES} MB`, verdict]
    }),
  )
}

function page(sent, kept) {
  return `# Many tenants for a long time

Written by \`npm run soak\`. Node ${process.versions.node}, ${cpus()[0].model}, ${cpus().length} cores. Load average of the machine when the run began:
${loadBefore.toFixed(1)}. Seed ${seed}.

## Requests

${sent}

Server and clients in one process, 64 connections that are kept alive over a real socket. Handlers wait in random ways; tenants share the
names of pages, keys and notes. Answers come from \`@Cache\` with refreshing behind, \`getOrSet\`, notes of each tenant, callbacks of a pool, a route limited by tenant,
and streams. Every byte of every answer is searched for canaries.

## Tenants and keys without end

${kept}

An entry in \`CacheManager\`, and a window of \`memoryRateLimit\`, for each. Heap is what is in use after a full collection, ten times on the way.
`
}

const app = createShops()
const report = await soakRequests(app)
const sent = requestTable(report)
console.log(`\n${sent}\n`)
const cached = { title: 'cache', ...(await soakCache(app)) }
const limited = { title: 'limiter', ...(await soakLimiter(app)) }
const kept = keyTable([cached, limited])
console.log(`${kept}\n`)
await app.close()

writeFileSync(join(import.meta.dirname, 'SOAK.md'), page(sent, kept))
console.log('Written to bench/SOAK.md.')
const grew = [cached, limited].some(({ most, before }) => most - before > MOST_MEGABYTES)
if (report.foreignBytes > 0 || report.unmarked > 0 || grew) process.exitCode = 1
