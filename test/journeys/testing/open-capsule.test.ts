import { createSocket } from 'node:dgram'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, get as httpGet, type Server } from 'node:http'
import { get as httpsGet } from 'node:https'
import { connect, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as tlsConnect } from 'node:tls'
import {
  App,
  type AppOptions,
  Body,
  Clock,
  Controller,
  Get,
  inject,
  Post,
  type Request,
} from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { openCapsule, TestApp, UnansweredCallError, UnansweredStatementError } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

/** What handlers have got, and whether they fail. */
const seen: { isBroken: boolean; requests: unknown[] } = { isBroken: true, requests: [] }

@Controller('orders')
class OrdersController {
  readonly #clock = inject(Clock)

  @Body({ type: 'bytes' }) @Post('bytes/:id') bytes(req: Request) {
    this.#note(req, req.body.toString('latin1'))
  }

  @Body(z.object({ sku: z.string().transform((sku) => sku.length) })) @Post('json') json(
    req: Request,
  ) {
    this.#note(req, req.body)
  }

  #note({ originalUrl, headers, user }: Request, body: unknown) {
    const { 'x-note': note, 'content-type': type } = headers
    seen.requests.push({ originalUrl, note, type, user, body, at: this.#clock.now() })
    if (seen.isBroken) throw new Error('No stock')
  }
}

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'blazon-open-'))
  Object.assign(seen, { isBroken: true, requests: [] })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const guard = {
  canActivate(req: Request) {
    req.user = { id: 'ada', since: new Date(0) }
    return true
  },
}

const options = {
  controllers: [OrdersController],
  auth: { guard, default: 'protected' },
  logger: false,
} satisfies AppOptions

/** Has a server fail, and returns the file of the capsule. */
async function failedOn(
  path: string,
  init: RequestInit,
  given: AppOptions = options,
): Promise<string> {
  const app = await App.create({ ...given, records: { capsules: { folder } } })
  const { port } = await app.listen(0, '127.0.0.1')
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  expect(response.status).toBe(500)
  await app.close()
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.json'))
  return join(folder, name)
}

describe('a capsule in a test', () => {
  it.each([
    [
      'a binary body',
      '/orders/bytes/%41%2e?a=%20b+c&&',
      'application/octet-stream',
      Buffer.from([0, 255, 10]),
    ],
    [
      'a JSON body that a schema transforms',
      '/orders/json',
      'application/json',
      '{ "sku": "A-1" }',
    ],
  ])('is replayed with the same bytes, user and clock time: %s', async (_, path, type, body) => {
    const headers = {
      'content-type': type,
      'x-note': 'as it was',
      authorization: 'Bearer canary',
    }
    const file = await failedOn(path, { method: 'POST', headers, body })
    using capsule = openCapsule(file)
    await using app = await TestApp.create({ ...options, ...capsule.options })
    const failing = await capsule.replay(app)
    expect(failing.status).toBe(500)
    expect(app.explain(failing).error).toMatchObject({ message: 'No stock' })
    seen.isBroken = false
    expect((await capsule.replay(app)).status).toBe(204)
    const [first, ...again] = seen.requests as { at: number }[]
    const { startedAt } = JSON.parse(readFileSync(file, 'utf8')).record
    expect(again).toEqual([1, 2].map(() => ({ ...first, at: startedAt })))
  })

  it('must have the current format', () => {
    const file = join(folder, 'old.json')
    writeFileSync(file, '{"format":1}')
    expect(() => openCapsule(file)).toThrow('must be a capsule with the format 2')
  })
})

type Call = (port: number) => Promise<unknown>

function ended(emitter: { on(event: string, done: (value?: unknown) => void): unknown }) {
  return new Promise((resolve, reject) => {
    emitter.on('error', reject)
    emitter.on('response', resolve)
    emitter.on('connect', resolve)
  })
}

const CALLS: [string, Call, (port: number) => string][] = [
  [
    'fetch',
    (port) => fetch(`http://127.0.0.1:${port}/charge?x=1`),
    (port) => `http://127.0.0.1:${port}/charge?x=1`,
  ],
  [
    'fetch with https',
    () => fetch('https://bank.example/charge'),
    () => 'https://bank.example/charge',
  ],
  [
    'node:http',
    (port) => ended(httpGet({ port, path: '/charge' })),
    (port) => `http://localhost:${port}/charge`,
  ],
  [
    'node:https',
    () => ended(httpsGet('https://bank.example:8443/charge')),
    () => 'https://bank.example:8443/charge',
  ],
  ['node:net', (port) => ended(connect(port, '127.0.0.1')), (port) => `tcp://127.0.0.1:${port}`],
  [
    'a Socket object',
    (port) => ended(new Socket().connect({ port, host: '::1' })),
    (port) => `tcp://::1:${port}`,
  ],
  ['node:tls', () => ended(tlsConnect(443, 'bank.example')), () => 'tcp://bank.example:443'],
  ['a Unix socket', () => ended(connect('/tmp/bank.sock')), () => '/tmp/bank.sock'],
  [
    'UDP',
    (port) =>
      new Promise((resolve, reject) => {
        const socket = createSocket('udp4')
        socket.send('charge', port, '127.0.0.1', (error) => {
          socket.close()
          if (error) reject(error)
          else resolve(null)
        })
      }),
    (port) => `tcp://127.0.0.1:${port}`,
  ],
]

describe('a replay of a capsule', () => {
  let bank: Server
  let port: number
  let charges: number
  let call: Call = async () => {}

  @Controller('pay')
  class PayController {
    @Get('broken') broken() {
      throw new Error('No balance')
    }

    @Get('handled') async handled() {
      return {
        isPaid: await call(port).then(
          () => true,
          () => false,
        ),
      }
    }

    @Get('late') late() {
      void call(port).catch(() => undefined)
      return {}
    }
  }

  const paying = { controllers: [PayController], logger: false } satisfies AppOptions

  beforeEach(async () => {
    charges = 0
    bank = createServer((_, res) => res.end('charged')).on('connection', () => charges++)
    await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve))
    port = (bank.address() as { port: number }).port
  })
  afterEach(async () => {
    bank.closeAllConnections()
    await new Promise((resolve) => bank.close(resolve))
  })

  /** A capsule whose route is another one now: the code has changed. */
  async function capsuleOf(path: string): Promise<string> {
    const file = await failedOn('/pay/broken', {}, paying)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/pay/broken', path))
    return file
  }

  it.each(CALLS)(
    'refuses a call through %s and reports its address, even if the handler catches the error',
    async (_, made, url) => {
      call = made
      const file = await capsuleOf('/pay/handled')
      using capsule = openCapsule(file)
      await using app = await TestApp.create({ ...paying, ...capsule.options })
      const error = await capsule.replay(app).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(UnansweredCallError)
      expect(error).toMatchObject({ url: url(port), message: expect.stringContaining(url(port)) })
      expect(charges).toBe(0)
    },
  )

  it('refuses a call that the handler does not await', async () => {
    call = (at) => Promise.resolve().then(() => fetch(`http://127.0.0.1:${at}/charge`))
    using capsule = openCapsule(await capsuleOf('/pay/late'))
    await using app = await TestApp.create({ ...paying, ...capsule.options })
    await expect(capsule.replay(app)).rejects.toThrow(UnansweredCallError)
    expect(charges).toBe(0)
  })

  it('also refuses calls that the application makes while it starts', async () => {
    using capsule = openCapsule(await capsuleOf('/pay/late'))
    const plugin = { name: 'bank', setup: () => fetch(`http://127.0.0.1:${port}/`).then(() => {}) }
    await expect(
      TestApp.create({ ...paying, ...capsule.options, plugins: [plugin] }),
    ).rejects.toThrow('fetch failed')
    expect(capsule.unanswered).toMatchObject({ url: `http://127.0.0.1:${port}/` })
    expect(charges).toBe(0)
  })

  it('with `database`, allows calls only to addresses to which the application connected at startup', async () => {
    using capsule = openCapsule(await capsuleOf('/pay/handled'), { database: true })
    const plugin = { name: 'bank', setup: () => fetch(`http://127.0.0.1:${port}/`).then(() => {}) }
    await using app = await TestApp.create({ ...paying, ...capsule.options, plugins: [plugin] })
    call = (at) => ended(connect(at, '127.0.0.1')).then(() => {})
    expect((await capsule.replay(app)).body.data).toEqual({ isPaid: true })
    call = () => fetch('http://other.example/')
    await expect(capsule.replay(app)).rejects.toThrow('http://other.example/')
  })

  it('allows calls to the application itself, and allows all calls after the capsule is disposed', async () => {
    const capsule = openCapsule(await capsuleOf('/pay/handled'))
    await using app = await TestApp.create({ ...paying, ...capsule.options })
    const own = await app.listen(0, '127.0.0.1')
    call = () => fetch(`http://127.0.0.1:${own.port}/none`)
    expect((await capsule.replay(app)).body.data).toEqual({ isPaid: true })
    capsule[Symbol.dispose]()
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('charged')
  })

  it('reports a statement without a recorded result, even if the handler catches the error', async () => {
    @Controller('rows')
    class RowsController {
      readonly #db = inject(Database)

      @Get() list() {
        return this.#db.sql`select 1`.catch(() => [])
      }
    }
    using capsule = openCapsule(await capsuleOf('/rows'))
    const plugins = [postgres({ url: 'postgres://nobody@127.0.0.1:1/none' })]
    const own = { controllers: [RowsController], plugins, logger: false } satisfies AppOptions
    await using app = await TestApp.create({ ...own, ...capsule.options })
    await expect(capsule.replay(app)).rejects.toThrow(UnansweredStatementError)
  })
})
