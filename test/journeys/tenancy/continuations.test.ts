import { connect } from 'node:net'
import { type Request, type RequestHandler, runWithTenant } from 'blazon'
import { afterAll, describe, expect, it } from 'vitest'
import { rounds } from '../../rounds.js'
import { keepAlive, type Member, type Reply, send } from './crowd.js'
import { pool, shortly, WAYS } from './ways.js'
import {
  lines,
  logger,
  port,
  readRaw,
  start,
  useWaysApp,
  waitForPool,
  waiting,
} from './ways-app.js'

const TENANTS = Array.from({ length: 20 }, (_, number) => `tenant-${number}`)
const REQUESTS = rounds(200, 40)
const SOCKETS = 25

const agent = keepAlive(SOCKETS)

useWaysApp()
afterAll(() => agent.destroy())

/** Sends concurrent requests of all tenants. Returns the ones that ran with another tenant. */
async function crowd(
  member: (
    tenant: string,
    index: number,
  ) => Omit<Member, 'headers'> & {
    headers?: Record<string, string>
  },
): Promise<{ strays: unknown[]; replies: Reply[] }> {
  const replies = await Promise.all(
    Array.from({ length: REQUESTS }, async (_, index) => {
      const tenant = TENANTS[index % TENANTS.length] as string
      const own = member(tenant, index)
      await shortly()
      const headers = { 'x-tenant-id': tenant, ...own.headers }
      return { tenant, reply: await send(port, agent, { ...own, headers }) }
    }),
  )
  const strays = replies.filter(({ tenant, reply: { status, body } }) => {
    const { found, after } = body?.data ?? {}
    return status !== 200 || found !== tenant || after !== tenant
  })
  return { strays, replies: replies.map(({ reply }) => reply) }
}

/** Lines that were written in the scope of another tenant than that of their request. */
const strangeLines = () => lines.filter(({ request, written }) => request !== written)

describe('the tenant of a request', () => {
  it.each(Object.keys(WAYS))('stays the same in a handler that continues after %s', async (way) => {
    await start()
    const path = `/ways/back/${encodeURIComponent(way)}`
    expect((await crowd(() => ({ path }))).strays).toEqual([])
    expect(lines.filter(({ what }) => what === 'finish')).toHaveLength(REQUESTS)
    expect(strangeLines()).toEqual([])
  })

  it('stays the same in concurrent handlers that continue in all of these ways', async () => {
    await start()
    const ways = Object.keys(WAYS)
    const { strays } = await crowd((_, index) => ({
      path: `/ways/back/${encodeURIComponent(ways[index % ways.length] as string)}`,
    }))
    expect(strays).toEqual([])
    expect(strangeLines()).toEqual([])
  })

  it('stays the same after the framework has read the body', async () => {
    await start()
    const { strays, replies } = await crowd((tenant) => ({
      method: 'POST',
      path: '/ways/validated',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: tenant }),
    }))
    expect(strays).toEqual([])
    expect(replies.map(({ body }) => body.data.text)).toEqual(
      replies.map((_, index) => TENANTS[index % TENANTS.length]),
    )
  })

  it('stays the same in listeners on the request', async () => {
    await start()
    const body = 'x'.repeat(1000)
    expect((await crowd(() => ({ path: '/ways/raw', body }))).strays).toEqual([])
  })

  it.each(['raw', 'pool', 'json', 'text'])(
    'stays the same after a middleware has called next() in another scope: %s',
    async (kind) => {
      await start()
      const headers = { 'x-read': kind, 'content-type': 'application/json' }
      const body = JSON.stringify({ text: 'x' })
      const member = { method: 'POST', path: '/ways/left', headers, body }
      expect((await crowd(() => member)).strays).toEqual([])
      expect(strangeLines()).toEqual([])
    },
  )

  it('stays the same after an interceptor has called next() in another scope', async () => {
    const intercept = (_req: Request, next: () => unknown) =>
      new Promise((resolve, reject) => {
        pool.acquire((release) => {
          Promise.resolve(next()).then(resolve, reject)
          setTimeout(release, Math.random())
        })
      })
    await start({ interceptors: [{ intercept }] })
    expect((await crowd(() => ({ path: '/ways/back/await' }))).strays).toEqual([])
  })

  it('stays the same after multer has read a file', async () => {
    await start()
    const type = 'multipart/form-data; boundary=b'
    const body = `--b\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n${'x'.repeat(5000)}\r\n--b--\r\n`
    const headers = { 'x-read': 'files', 'content-type': type }
    const member = { method: 'POST', path: '/ways/left', headers, body }
    expect((await crowd(() => member)).strays).toEqual([])
  })

  it('stays the same in error middlewares and the log if the error occurs in another scope', async () => {
    await start()
    const { replies } = await crowd((_, index) => ({
      path: index % 2 === 0 ? '/ways/fails' : '/ways/throws',
    }))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400, 500]))
    expect(lines.filter(({ what }) => what === 'error')).toHaveLength(REQUESTS)
    expect(lines.filter(({ what }) => what === 'failure')).toHaveLength(REQUESTS / 2)
    expect(strangeLines()).toEqual([])
  })

  it('stays the same in listeners on a response that is ended in another scope', async () => {
    await start()
    expect((await crowd(() => ({ path: '/ways/elsewhere' }))).strays).toEqual([])
    expect(lines.filter(({ what }) => what === 'finish')).toHaveLength(REQUESTS)
    expect(strangeLines()).toEqual([])
  })

  it('stays the same after the handler timeout', async () => {
    await start({ timeouts: { handler: '50ms' } })
    const { replies } = await crowd(() => ({ path: '/ways/waits' }))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]))
    expect(lines.filter(({ what }) => what === 'abort')).toHaveLength(REQUESTS)
    expect(strangeLines()).toEqual([])
  })

  it('stays the same after the client has disconnected', async () => {
    await start()
    const sockets = TENANTS.map((tenant) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET /ways/waits HTTP/1.1\r\nhost: x\r\nx-tenant-id: ${tenant}\r\n\r\n`)
      return socket
    })
    await expect.poll(() => waiting).toBe(TENANTS.length)
    for (const socket of sockets) socket.destroy()
    const ends = () => lines.filter(({ what }) => what === 'close' || what === 'abort')
    await expect.poll(() => ends().length).toBe(2 * TENANTS.length)
    expect(strangeLines()).toEqual([])
  })

  it('stays the same if one middleware sets it and the next one continues in another scope', async () => {
    const byOrg: RequestHandler = (req, _res, next) => runWithTenant(req.get('x-org'), next)
    await start({ middlewares: [byOrg, waitForPool, readRaw] }, false)
    const { strays } = await crowd((tenant, index) => ({
      method: 'POST',
      path: '/ways/left',
      headers: { 'x-org': tenant, 'x-tenant-id': 'nobody', 'x-read': index % 2 ? 'pool' : 'raw' },
      body: 'xx',
    }))
    expect(strays).toEqual([])
  })

  it('stays the same if a middleware passes `next` to runWithTenant() in another scope', async () => {
    const byPool: RequestHandler = (req, _res, next) =>
      pool.acquire((release) => {
        runWithTenant(req.get('x-org'), next)
        setTimeout(release, Math.random())
      })
    await start({ middlewares: [byPool] }, false)
    const { strays } = await crowd((tenant) => ({
      method: 'POST',
      path: '/ways/left',
      headers: { 'x-org': tenant },
      body: 'xx',
    }))
    expect(strays).toEqual([])
  })

  it('stays the same, or is missing with a warning, if a callback in another scope calls next()', async () => {
    const byPool: RequestHandler = (req, _res, next) =>
      pool.acquire((release) => {
        // This cannot be distinguished from a pool that calls back inside of `runWithTenant` of another request.
        runWithTenant(req.get('x-org'), () => next())
        setTimeout(release, Math.random())
      })
    const warnings: string[] = []
    const warn = (_: object, text: string) => void warnings.push(text)
    await start({ middlewares: [byPool], logger: { ...logger, warn } }, false)
    const { replies } = await crowd((tenant) => ({
      method: 'POST',
      path: '/ways/left',
      headers: { 'x-org': tenant },
      body: 'xx',
    }))
    const own = replies.filter(({ body }, index) => body.data?.found === TENANTS[index % 20])
    const refused = replies.filter(({ body }) => body.code === 'TENANT_REQUIRED')
    expect(own.length + refused.length).toBe(REQUESTS)
    expect(refused.length).toBeGreaterThan(0)
    expect(warnings).toEqual([expect.stringContaining('runWithTenant(id, next)')])
  })

  it('is not affected by earlier requests on the same connection', async () => {
    await start()
    const single = keepAlive(1)
    const seen: unknown[] = []
    const ports = new Set<unknown>()
    for (const tenant of ['a', 'b', 'a', undefined, 'b']) {
      const headers: Record<string, string> = tenant === undefined ? {} : { 'x-tenant-id': tenant }
      const reply = await send(port, single, { path: '/ways/back/setTimeout', headers })
      seen.push(reply.body.data?.found ?? reply.body.code)
      ports.add(reply.port)
    }
    single.destroy()
    expect(seen).toEqual(['a', 'b', 'a', 'TENANT_REQUIRED', 'b'])
    expect(ports.size).toBe(1)
  })

  it('is not affected by other requests that wait for the same connection', async () => {
    await start()
    const single = keepAlive(1)
    const replies = await Promise.all(
      TENANTS.map((tenant) =>
        send(port, single, { path: '/ways/back/await', headers: { 'x-tenant-id': tenant } }),
      ),
    )
    single.destroy()
    expect(replies.map(({ body }) => body.data.found)).toEqual(TENANTS)
  })
})
