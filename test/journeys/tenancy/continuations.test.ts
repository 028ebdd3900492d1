import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import {
  App,
  type AppOptions,
  BadRequestError,
  Body,
  Controller,
  type ErrorRequestHandler,
  Get,
  getTenantId,
  type Logger,
  Post,
  type Request,
  type RequestHandler,
  type Response,
  runWithTenant,
  Tenant,
  TenantContext,
} from 'blazon'
import express from 'express'
import multer from 'multer'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { keepAlive, type Member, Pool, type Reply, send } from './crowd.js'

const TENANTS = Array.from({ length: 20 }, (_, number) => `tenant-${number}`)
const REQUESTS = 200
const SOCKETS = 25

let pool = new Pool()
/** The number of requests that never get a response. */
let waiting = 0
let worker: Worker

/** Waits for the pool, runs the work, and releases the pool. */
const pooled = <T>(work: () => T | Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    pool.acquire((release) => {
      // This callback runs in the scope of the code that released the pool, not of the code that waits.
      Promise.resolve(work()).then(resolve, reject).finally(release)
    })
  })

const shortly = () => delay(Math.random() * 3)

/** The ways in which Node continues after waiting. Each returns the tenant after the wait. */
const WAYS: Record<string, () => Promise<string | undefined>> = {
  setTimeout: () => new Promise((done) => setTimeout(() => done(getTenantId()), Math.random() * 3)),
  setInterval: () =>
    new Promise((done) => {
      const timer = setInterval(() => {
        clearInterval(timer)
        done(getTenantId())
      }, 1)
    }),
  setImmediate: () => new Promise((done) => setImmediate(() => done(getTenantId()))),
  nextTick: () => new Promise((done) => process.nextTick(() => done(getTenantId()))),
  queueMicrotask: () => new Promise((done) => queueMicrotask(() => done(getTenantId()))),
  async await() {
    await shortly()
    await null
    return getTenantId()
  },
  async 'an event'() {
    const emitter = new EventEmitter()
    setTimeout(() => emitter.emit('ready'), 1)
    return await new Promise((done) => emitter.on('ready', () => done(getTenantId())))
  },
  async 'an awaited event'() {
    const emitter = new EventEmitter()
    setTimeout(() => emitter.emit('ready'), 1)
    await once(emitter, 'ready')
    return getTenantId()
  },
  async 'a stream'() {
    const stream = Readable.from(['a', 'b'])
    return await new Promise((done) => stream.on('data', () => done(getTenantId())))
  },
  async 'an iterated stream'() {
    const seen = new Set<string | undefined>()
    for await (const _ of Readable.from(['a', 'b'])) seen.add(getTenantId())
    return seen.size === 1 ? [...seen][0] : undefined
  },
  async 'a pipeline'() {
    const seen: (string | undefined)[] = []
    const through = new PassThrough()
    through.on('data', () => seen.push(getTenantId()))
    await pipeline(Readable.from(['a', 'b']), through)
    return new Set([...seen, getTenantId()]).size === 1 ? seen[0] : undefined
  },
  async 'a thenable'() {
    const query = {
      // Calls back in the scope of the code that released the pool.
      then: (done: (rows: number) => void) =>
        pool.acquire((release) => {
          done(1)
          setImmediate(release)
        }),
    }
    await query
    return getTenantId()
  },
  async 'a promise of a pool'() {
    await pooled(shortly)
    return getTenantId()
  },
  'a callback of a pool, bound': () =>
    new Promise((done) => {
      pool.acquire(
        TenantContext.bind((release: () => void) => {
          done(getTenantId())
          setImmediate(release)
        }),
      )
    }),
  async 'a message of a worker'() {
    const { port1, port2 } = new MessageChannel()
    worker.postMessage(port2, [port2])
    const answer = await new Promise((done) => port1.once('message', () => done(getTenantId())))
    port1.close()
    return answer as string | undefined
  },
  async 'an awaited message of a worker'() {
    const { port1, port2 } = new MessageChannel()
    worker.postMessage(port2, [port2])
    await once(port1 as MessagePort & EventEmitter, 'message')
    port1.close()
    return getTenantId()
  },
}

const Note = z.object({ text: z.string() })

@Tenant()
@Controller('ways')
class WaysController {
  @Get('back/:way')
  async back(req: Request) {
    await shortly()
    const found = await (WAYS[req.params.way] as () => Promise<string | undefined>)()
    return { found, after: getTenantId() }
  }

  @Post('validated')
  @Body(Note)
  async validated(req: Request) {
    const before = getTenantId()
    await shortly()
    return { found: before, after: getTenantId(), text: req.body.text }
  }

  @Post('left')
  left(req: Request) {
    return { found: getTenantId(), after: getTenantId(), seen: req.headers['x-seen'] }
  }

  @Get('raw')
  raw(req: Request, res: Response) {
    const seen: (string | undefined)[] = []
    const look = () => void seen.push(getTenantId())
    req.on('data', look).once('end', look)
    req.on('end', () => {
      const [found] = new Set(seen).size === 1 ? seen : []
      res.json({ data: { found, after: getTenantId() } })
    })
  }

  @Get('fails')
  async fails(_req: Request, _res: Response, next: (error: unknown) => void) {
    await shortly()
    // This runs in the scope of the code that released the pool.
    pool.acquire((release) => {
      next(new BadRequestError('No'))
      setImmediate(release)
    })
    await new Promise(() => {})
  }

  @Get('elsewhere')
  async elsewhere(_req: Request, res: Response) {
    await shortly()
    const found = getTenantId()
    // Ends the response in the scope of the code that released the pool.
    pool.acquire((release) => {
      res.json({ data: { found, after: found } })
      setImmediate(release)
    })
  }

  @Get('waits')
  async waits(req: Request) {
    req.signal.addEventListener('abort', () => {
      lines.push({ what: 'abort', request: req.get('x-tenant-id'), written: getTenantId() })
    })
    waiting++
    await new Promise(() => {})
  }

  @Get('throws')
  async throws() {
    await shortly()
    throw new Error('unexpected')
  }
}

/** A line of a log: the tenant of the request, and the tenant of the scope in which the line was written. */
interface Line {
  readonly what: string
  readonly request: string | undefined
  readonly written: string | undefined
}

let lines: Line[] = []
const logger: Logger = {
  info() {},
  warn() {},
  error: (facts) => {
    const { tenant } = facts as { tenant?: string }
    lines.push({ what: 'failure', request: tenant, written: getTenantId() })
  },
}

const accessLog: RequestHandler = (req, res, next) => {
  for (const event of ['finish', 'close']) {
    res.on(event, () => {
      lines.push({ what: event, request: req.get('x-tenant-id'), written: getTenantId() })
    })
  }
  next()
}

const tellError: ErrorRequestHandler = (error, req, _res, next) => {
  lines.push({ what: 'error', request: req.get('x-tenant-id'), written: getTenantId() })
  next(error)
}

/** Reads a body, and calls next() in the event of its end. */
const readRaw: RequestHandler = (req, _res, next) => {
  if (req.get('x-read') !== 'raw') return next()
  req.resume()
  // Adds the listener directly on the stream, like a parser without support for async contexts.
  EventEmitter.prototype.on.call(req, 'end', () => {
    req.headers['x-seen'] = getTenantId()
    next()
  })
}

/** Calls next() in the scope of the code that released the pool. */
const waitForPool: RequestHandler = (req, _res, next) => {
  if (req.get('x-read') !== 'pool') return next()
  pool.acquire((release) => {
    next()
    setTimeout(release, Math.random())
  })
}

const only = (kind: string, middleware: RequestHandler): RequestHandler => {
  return (req, res, next) => (req.get('x-read') === kind ? middleware(req, res, next) : void next())
}

let app: App | undefined
let port = 0
const agent = keepAlive(SOCKETS)

/** @param isTold Whether the application reads the tenant header itself. */
async function start(options: AppOptions = {}, isTold = true): Promise<void> {
  app = new App({
    ...(isTold ? { tenant: {} } : {}),
    controllers: [WaysController],
    middlewares: [
      accessLog,
      readRaw,
      waitForPool,
      only('json', express.json()),
      only('text', express.text({ type: '*/*' })),
      only('files', multer({ storage: multer.memoryStorage() }).any()),
      tellError,
    ],
    logger,
    security: { helmet: false },
    ...options,
  })
  port = (await app.listen(0, '127.0.0.1')).port
}

beforeAll(() => {
  const code = `require('node:worker_threads').parentPort.on('message', (port) => port.postMessage(1))`
  worker = new Worker(code, { eval: true })
})
afterAll(async () => {
  await worker.terminate()
  agent.destroy()
})
afterEach(async () => {
  await app?.close()
  lines = []
  waiting = 0
  pool = new Pool()
})

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

describe('a tenant stays the same', () => {
  it.each(Object.keys(WAYS))('through %s', async (way) => {
    await start()
    const path = `/ways/back/${encodeURIComponent(way)}`
    expect((await crowd(() => ({ path }))).strays).toEqual([])
    expect(lines.filter(({ what }) => what === 'finish')).toHaveLength(REQUESTS)
    expect(strangeLines()).toEqual([])
  })

  it('through all of these ways at once', async () => {
    await start()
    const ways = Object.keys(WAYS)
    const { strays } = await crowd((_, index) => ({
      path: `/ways/back/${encodeURIComponent(ways[index % ways.length] as string)}`,
    }))
    expect(strays).toEqual([])
    expect(strangeLines()).toEqual([])
  })

  it('through a body that the framework reads', async () => {
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

  it('through listeners on the request', async () => {
    await start()
    const body = 'x'.repeat(1000)
    expect((await crowd(() => ({ path: '/ways/raw', body }))).strays).toEqual([])
  })

  it.each(['raw', 'pool', 'json', 'text'])(
    'through a middleware that calls next() in another scope: %s',
    async (kind) => {
      await start()
      const headers = { 'x-read': kind, 'content-type': 'application/json' }
      const body = JSON.stringify({ text: 'x' })
      const member = { method: 'POST', path: '/ways/left', headers, body }
      expect((await crowd(() => member)).strays).toEqual([])
      expect(strangeLines()).toEqual([])
    },
  )

  it('through an interceptor that calls next() in another scope', async () => {
    const waits = (_req: Request, _res: Response, next: () => unknown) =>
      new Promise((resolve, reject) => {
        pool.acquire((release) => {
          Promise.resolve(next()).then(resolve, reject)
          setTimeout(release, Math.random())
        })
      })
    await start({ plugins: [{ name: 'waits', intercept: () => waits }] })
    expect((await crowd(() => ({ path: '/ways/back/await' }))).strays).toEqual([])
  })

  it('through multer', async () => {
    await start()
    const type = 'multipart/form-data; boundary=b'
    const body = `--b\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n${'x'.repeat(5000)}\r\n--b--\r\n`
    const headers = { 'x-read': 'files', 'content-type': type }
    const member = { method: 'POST', path: '/ways/left', headers, body }
    expect((await crowd(() => member)).strays).toEqual([])
  })

  it('in error middlewares and the log, when errors were passed in another scope', async () => {
    await start()
    const { replies } = await crowd((_, index) => ({
      path: index % 2 === 0 ? '/ways/fails' : '/ways/throws',
    }))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400, 500]))
    expect(lines.filter(({ what }) => what === 'error')).toHaveLength(REQUESTS)
    expect(lines.filter(({ what }) => what === 'failure')).toHaveLength(REQUESTS / 2)
    expect(strangeLines()).toEqual([])
  })

  it('in events of a response that another scope has ended', async () => {
    await start()
    expect((await crowd(() => ({ path: '/ways/elsewhere' }))).strays).toEqual([])
    expect(lines.filter(({ what }) => what === 'finish')).toHaveLength(REQUESTS)
    expect(strangeLines()).toEqual([])
  })

  it('after the handler timeout', async () => {
    await start({ timeouts: { handler: '50ms' } })
    const { replies } = await crowd(() => ({ path: '/ways/waits' }))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]))
    expect(lines.filter(({ what }) => what === 'abort')).toHaveLength(REQUESTS)
    expect(strangeLines()).toEqual([])
  })

  it('after a client has disconnected', async () => {
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

  it('when a middleware sets it, and the next one continues in another scope', async () => {
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

  it('when a middleware sets it by passing next to runWithTenant in another scope', async () => {
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

  it('or is absent, with one warning, when a middleware wraps next in another scope', async () => {
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

  it('on one connection with requests of different tenants', async () => {
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

  it('on one connection with waiting requests', async () => {
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
