import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { type AuthGuard, Controller, Get, type Request, Sse } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { RoomsController } from './rooms.js'
import { Sockets } from './sockets.js'

const guard: AuthGuard = {
  canActivate(req: Request) {
    const id = /^Bearer (\w+)$/.exec(req.get('authorization') ?? '')?.[1]
    req.user = id === undefined ? undefined : { id }
    return id !== undefined
  },
}

@Controller('plain')
class PlainController {
  @Get()
  read() {
    return { isPlain: true }
  }

  @Get('ticks')
  @Sse(z.object({ tick: z.int() }))
  async *ticks() {
    for (let tick = 1; tick <= 3; tick++) yield { tick }
  }
}

async function start(origins?: readonly string[]) {
  const app = await TestApp.create({
    controllers: [RoomsController, PlainController],
    providers: [Sockets],
    auth: { guard },
    tenant: { authorize: (_req, tenant) => tenant !== 'zeta' },
    rateLimit: {},
  })
  onTestFinished(() => app.close())
  app.get(Sockets).serve(app, origins === undefined ? {} : { origins })
  return app
}

const ADA = { authorization: 'Bearer ada', 'x-tenant-id': 'acme' }

/** Opens a WebSocket. Resolves to the client, or to the refusal. */
async function open(app: TestApp, path = '/rooms/tea/socket', headers: object = ADA) {
  const client = new WebSocket(`ws://in-process${path}`, {
    headers: { ...headers },
    createConnection: app.connect as () => Socket,
  })
  const refused = new Promise<{ status: number | undefined; code: unknown; headers: object }>(
    (resolve) =>
      client.on('unexpected-response', async (_req, res) => {
        let text = ''
        for await (const chunk of res) text += chunk
        const code = text.startsWith('{') ? JSON.parse(text).code : text
        resolve({ status: res.statusCode, code, headers: res.headers })
      }),
  )
  client.on('error', () => {})
  const opened = once(client, 'open').then(() => client)
  return { opened, refused }
}

async function said(client: WebSocket) {
  const [text] = await once(client, 'message')
  return String(text)
}

describe('a WebSocket route', () => {
  it('provides the user, the tenant and the parameters of its route', async () => {
    const app = await start()
    const ada = await (await open(app)).opened
    const bob = await (await open(app, undefined, { ...ADA, authorization: 'Bearer bob' })).opened
    const other = await (await open(app, undefined, { ...ADA, 'x-tenant-id': 'nova' })).opened
    const foreign: unknown[] = []
    other.on('message', (text) => foreign.push(String(text)))
    bob.send('hello')
    expect(await said(ada)).toBe('bob: hello')
    other.send('mine')
    expect(await said(other)).toBe('ada: mine')
    expect(foreign).toEqual(['ada: mine'])
  })

  it.each([
    ['no credential', '/rooms/tea/socket', { 'x-tenant-id': 'acme' }, 401, 'UNAUTHORIZED'],
    ['no tenant', '/rooms/tea/socket', { authorization: 'Bearer ada' }, 400, 'TENANT_REQUIRED'],
    [
      'a foreign tenant',
      '/rooms/tea/socket',
      { ...ADA, 'x-tenant-id': 'zeta' },
      403,
      'TENANT_FORBIDDEN',
    ],
    ['a wrong parameter', '/rooms/7/socket', ADA, 400, 'VALIDATION_FAILED'],
    ['no route', '/rooms', ADA, 404, 'NOT_FOUND'],
    ['a URL with two slashes', '//rooms/tea/socket', ADA, 404, 'NOT_FOUND'],
  ])(
    'is refused with the response of the route for %s',
    async (_what, path, headers, status, code) => {
      const app = await start()
      expect(await (await open(app, path, headers)).refused).toMatchObject({ status, code })
    },
  )

  it('sends the headers of a refusal', async () => {
    const { refused } = await open(await start(), undefined, {})
    expect(await refused).toMatchObject({ headers: { 'www-authenticate': 'Bearer' } })
  })

  it('counts toward the rate limit of its route', async () => {
    const app = await start()
    for (let count = 0; count < 10; count++) await (await open(app)).opened
    const { refused } = await open(app)
    expect(await refused).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
  })

  it.each([
    ['https://evil.example', undefined, 403],
    ['https://in-process.evil.example', undefined, 403],
    ['null', undefined, 403],
    ['http://in-process', undefined, 101],
    ['https://shop.example', ['https://shop.example'], 101],
  ])(
    'responds to a page of %s, if it allows the origins %s, with status %i',
    async (origin, origins, status) => {
      const app = await start(origins)
      const { opened, refused } = await open(app, undefined, { ...ADA, origin })
      expect(await Promise.race([opened.then(() => 101), refused.then((one) => one.status)])).toBe(
        status,
      )
    },
  )

  it('results in a 426 response to a normal request, even with an Upgrade header', async () => {
    const app = await start()
    for (const headers of [ADA, { ...ADA, 'x-upgrade': 'mine' }]) {
      const response = await app.fetch('/rooms/tea/socket', { headers })
      expect([response.status, response.headers.get('upgrade')]).toEqual([426, 'websocket'])
    }
  })

  it('closes its connections with the application', async () => {
    const app = await start()
    const client = await (await open(app)).opened
    const closed = once(client, 'close')
    await app.close()
    expect((await closed)[0]).toBe(1001)
  })
})

describe('an upgrade request to another route', () => {
  it('receives the response of the route, and no WebSocket', async () => {
    const { refused } = await open(await start(), '/plain')
    expect(await refused).toMatchObject({ status: 200 })
  })

  it('receives a stream to its end', async () => {
    const { refused } = await open(await start(), '/plain/ticks')
    const { code } = await refused
    expect(String(code).match(/"tick":\d/g)).toEqual(['"tick":1', '"tick":2', '"tick":3'])
  })

  it('is refused if it has a body', async () => {
    const app = await start()
    const headers = { connection: 'Upgrade', upgrade: 'h2c', 'content-length': 2 }
    const options = { method: 'POST', path: '/plain', headers, createConnection: app.connect }
    const sent = request({ ...options, createConnection: app.connect as () => Socket })
    sent.on('error', () => {})
    sent.end('{}')
    const [response] = await once(sent, 'response')
    expect(response.statusCode).toBe(400)
  })
})
