import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type App, CacheManager, Clock, memoryCache, memoryRateLimit } from 'blazon'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { canaryOf, createShops } from '../../bench/soak/shops.js'
import { sendTraffic } from '../../bench/soak/traffic.js'
import { rounds } from '../rounds.js'

// `npm run soak` sends a million requests.
const REQUESTS = rounds(3000, 1000)

let app: App
let port: number

beforeEach(async () => {
  app = createShops({ cache: { store: memoryCache({ maxEntries: 100 }) } })
  port = (await app.listen(0, '127.0.0.1')).port
})
afterEach(() => app.close())

it('the soak application sends no data of one tenant to another under mixed traffic', async () => {
  const report = await sendTraffic({ port, canaryOf, requests: REQUESTS, tenants: 20 })
  expect(report.foreignBytes).toBe(0)
  expect(report.unmarked).toBe(0)
  expect(report.requests).toBe(REQUESTS)
  expect(report.hits).toBeGreaterThan(0)
  expect(report.strangers).toBeGreaterThan(50)
  const answers = [...report.answers.keys()]
  expect(answers.filter((key) => !/ (200|201|404)$/.test(key))).toEqual([])
  expect(answers.length).toBeGreaterThan(8)
})

it('the soak traffic detects data of another tenant, and responses without a canary', async () => {
  let before = ''
  const server = createServer((req, res) => {
    const text = `${canaryOf(before)} ${canaryOf(String(req.headers['x-tenant-id']))}`
    before = String(req.headers['x-tenant-id'])
    res.setHeader('Content-Length', text.length).end(text)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port: leaky } = server.address() as AddressInfo
  const report = await sendTraffic({ port: leaky, canaryOf, requests: 200 })
  server.close()
  expect(report.foreignBytes).toBeGreaterThan(1000)
  const lost = await sendTraffic({ port, canaryOf: () => 'canary-none', requests: 200 })
  expect(lost.unmarked).toBe(lost.requests - lost.aborted)
})

it('the memory cache keeps at most maxEntries entries for 2000 tenants', async () => {
  const cache = app.get(CacheManager)
  const names = Array.from({ length: 2000 }, (_, n) => `tenant-${n}`)
  for (const name of names) await cache.forTenant(name).set('key', name, '1h')
  const kept = await Promise.all(names.map((name) => cache.forTenant(name).get('key')))
  expect(kept.filter((value) => value !== undefined)).toHaveLength(100)
  // The last 100 tenants remain, each with its own value.
  expect(kept.slice(-100)).toEqual(names.slice(-100))
})

it('the memory rate limit warns once if there are more than maxKeys keys, and keeps earlier counts', () => {
  const store = memoryRateLimit({ maxKeys: 100 })
  const warnings: string[] = []
  const warn = (_: object, message: string) => warnings.push(message)
  store.open?.({ clock: app.get(Clock), logger: { info() {}, warn, error() {} } })
  const ask = (key: string) => store.consume({ key, limit: 1, windowMs: 3_600_000 })
  for (let n = 0; n < 2000; n++) ask(`tenant-${n}`)
  expect(warnings).toHaveLength(1)
  // A tenant that has a counter of its own keeps it.
  expect(ask('tenant-1')).toMatchObject({ isAllowed: false })
})
