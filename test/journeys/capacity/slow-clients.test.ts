import type { Socket } from 'node:net'
import {
  Body,
  Controller,
  file,
  Get,
  Post,
  type Req,
  type Request,
  type Response,
  Sse,
  Upload,
  Use,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FORM_TYPE, form } from '../uploads/form.js'
import { Held, keptLog, open, openUnread, Servers, workController } from './support.js'

/** More than a form keeps in memory before its handler begins. */
const STEP = 64 * 1024
/** More than the buffers of a connection take. */
const LARGE = Buffer.alloc(32 * 1024 ** 2, 'x')
const LARGE_TEXT = LARGE.toString('latin1')

const PAGES = ['/livez', '/readyz', '/metrics']

const servers = new Servers()
let held = new Held()
let sockets: Socket[] = []
/** Paths whose handlers have run. */
let run: string[] = []
beforeEach(() => {
  held = new Held()
  sockets = []
  run = []
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  held.all()
  await servers.close()
})

@Controller('large')
class LargeController {
  @Get('json')
  json(req: Request) {
    run.push(req.path)
    return LARGE_TEXT
  }

  @Get('bytes')
  bytes(req: Request) {
    run.push(req.path)
    return LARGE
  }

  @Get('sent')
  sent(req: Request, res: Response) {
    run.push(req.path)
    res.end(LARGE)
  }

  @Get('error')
  error(req: Request, res: Response) {
    run.push(req.path)
    res.status(500).send(LARGE_TEXT)
  }

  @Sse({ type: 'string' })
  @Get('stream')
  async *stream(req: Request) {
    run.push(req.path)
    try {
      for (;;) yield LARGE_TEXT.slice(0, 1024 ** 2)
    } finally {
      run.push('ended')
    }
  }
}

const FORM_PARTS = { name: { type: 'string' }, picture: file() } as const
const OBJECT = { type: 'object', additionalProperties: true } as const

@Controller('bodies')
class BodiesController {
  @Post('plain')
  plain(req: Request) {
    run.push(`plain ${JSON.stringify(req.body)}`)
  }

  @Body(OBJECT)
  @Post('described')
  described(req: Request) {
    run.push(`described ${JSON.stringify(req.body)}`)
  }

  @Body(OBJECT, { type: 'form' })
  @Post('typed')
  typed(req: Request) {
    run.push(`typed ${JSON.stringify(req.body)}`)
  }

  @Body(OBJECT)
  @Use((req, _res, next) => {
    req.on('data', () => {})
    next()
  })
  @Post('flowing')
  flowing(req: Request) {
    run.push(`flowing ${JSON.stringify(req.body)}`)
  }

  @Body(OBJECT)
  @Use((_req, _res, next) => void held.hold('later').then(() => next()))
  @Post('later')
  later() {
    run.push('later')
  }

  @Upload(FORM_PARTS)
  @Post('upload')
  async upload({ body }: Req<{ upload: typeof FORM_PARTS }>) {
    run.push('upload')
    const bytes = await body.picture.bytes()
    await held.hold(`uploaded ${bytes.length}`)
  }
}

const CONTROLLERS = () => [workController(held), LargeController, BodiesController]

async function start(capacity: object, more: object = {}) {
  const options = { controllers: CONTROLLERS(), metrics: true, health: true, ...more }
  const started = await servers.start({ ...options, capacity: capacity as never })
  return { ...started, ...viewOf(started.url) }
}

/** An application on a real socket, whose clock the test moves. */
async function startMoved(capacity: object, more: object = {}) {
  const { lines, logger } = keptLog()
  const options = { controllers: CONTROLLERS(), metrics: true, contract: 'off', ...more } as const
  const app = await TestApp.create({ ...options, capacity: capacity as never, logger })
  const { port } = await app.listen(0, '127.0.0.1')
  const url = `http://127.0.0.1:${port}`
  return { app, port, url, lines, ...viewOf(url) }
}

/** Waits for the values of metrics of the capacity. */
function viewOf(url: string) {
  const read = async (names: readonly string[]) => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return names.map((name) => Number(new RegExp(`^capacity_${name} (\\d+)$`, 'm').exec(text)?.[1]))
  }
  return {
    shows: (expected: Readonly<Record<string, number>>) =>
      expect.poll(() => read(Object.keys(expected))).toEqual(Object.values(expected)),
  }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

async function unread(port: number, text: string): Promise<Socket> {
  const socket = await openUnread(port, text)
  sockets.push(socket)
  return socket
}

/** Sends the head of a request and the beginning of its body. */
async function unfinished(
  port: number,
  path = 'described',
  headers = JSON_HEADERS,
  body: string | Buffer = '{',
) {
  const client = await open(port)
  sockets.push(client.socket)
  client.socket.write(`POST /bodies/${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`)
  client.socket.write(body)
  return client
}
const JSON_HEADERS = 'Content-Type: application/json\r\nContent-Length: 8'

const begun = (count: number) => expect.poll(() => held.begun.length).toBe(count)
const statusOf = async (response: Promise<globalThis.Response>) => (await response).status

/** Shows that a place is free. */
async function proveFree(url: string): Promise<void> {
  const sent = fetch(`${url}/work/free`)
  await expect.poll(() => held.begun.at(-1)).toBe('free')
  held.all()
  expect(await statusOf(sent)).toBe(200)
}

describe('clients that do not read', () => {
  it.each(['json', 'bytes', 'sent', 'error'])(
    'occupy no place once the handler has ended its response: %s',
    async (kind) => {
      const { port, url, shows } = await start({ concurrent: 3, queue: 0 })
      for (let i = 0; i < 3; i++) await unread(port, get(`/large/${kind}`))
      await expect.poll(() => run.length).toBe(3)
      await shows({ running_requests: 0, queued_requests: 0 })
      await proveFree(url)
      for (const page of PAGES)
        expect([page, await statusOf(fetch(url + page))]).toEqual([page, 200])
    },
  )

  it('occupy no place for responses that wait for earlier responses on the same connection', async () => {
    const { port, url, shows } = await start({ concurrent: 3, queue: 0 })
    await unread(port, get('/large/sent') + get('/large/json') + get('/large/bytes'))
    await expect.poll(() => run.length).toBe(3)
    await shows({ running_requests: 0 })
    await proveFree(url)
  })

  it('occupy the place of a stream until the response timeout expires', async () => {
    const { app, port, url, shows, lines } = await startMoved({ concurrent: 1, queue: 0 })
    await unread(port, get('/large/stream'))
    await expect.poll(() => run.length).toBe(1)
    await shows({ running_requests: 1 })
    expect(await statusOf(fetch(`${url}/work/1`))).toBe(503)
    // The first look notes what the client has taken.
    await app.clock.advance('2m')
    await expect.poll(() => run).toEqual(['/large/stream', 'ended'])
    await shows({ running_requests: 0 })
    await proveFree(url)
    const facts = { method: 'GET', route: '/large/stream', seconds: 60 }
    expect(lines).toContainEqual([
      'warn',
      'A response was aborted because its client did not read it',
      expect.objectContaining(facts),
    ])
    await app.close()
  })
})

describe('request bodies that arrive slowly', () => {
  const FORM = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 8'
  const CHUNKED = 'Content-Type: application/json\r\nTransfer-Encoding: chunked'
  const PARTS = 'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 500'

  it.each([
    ['plain', JSON_HEADERS, '{'],
    ['described', JSON_HEADERS, '{'],
    ['described', JSON_HEADERS, ''],
    ['described', CHUNKED, '1\r\n{\r\n'],
    ['typed', FORM, 'a='],
    ['flowing', JSON_HEADERS, '{'],
    ['upload', PARTS, '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n'],
  ])('occupy no place: route %s, headers %j, first bytes %j', async (path, headers, body) => {
    const { port, url, shows } = await start({ concurrent: 10, queue: 0 })
    for (let i = 0; i < 10; i++) await unfinished(port, path, headers, body)
    await shows({ running_requests: 0, receiving_requests: 10 })
    await proveFree(url)
    for (const page of PAGES) expect([page, await statusOf(fetch(url + page))]).toEqual([page, 200])
    const whole = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
    expect(await statusOf(fetch(`${url}/bodies/described`, whole))).toBe(204)
    expect(run).toEqual(['described {}'])
    for (const socket of sockets) socket.destroy()
    await shows({ running_requests: 0, receiving_requests: 0 })
  })

  it('occupy no place while a handler waits for the rest of a file', async () => {
    const { port, url, shows } = await start({ concurrent: 1, queue: 0 })
    const picture = {
      name: 'picture',
      value: Buffer.alloc(8 * STEP),
      filename: 'a',
      type: 'image/png',
    }
    const whole = form([{ name: 'name', value: 'A' }, picture])
    const head = whole.subarray(0, 3 * STEP)
    const headers = `Content-Type: ${FORM_TYPE}\r\nContent-Length: ${whole.length}`
    const clients = [await unfinished(port, 'upload', headers, head)]
    await expect.poll(() => run).toEqual(['upload'])
    clients.push(await unfinished(port, 'upload', headers, head))
    await expect.poll(() => run).toEqual(['upload', 'upload'])
    await shows({ running_requests: 0, receiving_requests: 2 })
    await proveFree(url)
    for (const { socket } of clients) socket.write(whole.subarray(3 * STEP))
    await begun(3)
    // Now their handlers work, and not their clients.
    await shows({ running_requests: 2, receiving_requests: 0 })
    expect(await statusOf(fetch(`${url}/work/1`))).toBe(503)
    held.all()
    for (const client of clients) await expect.poll(client.text).toMatch(/^HTTP\/1.1 204/)
    await shows({ running_requests: 0 })
  })

  it('do not count toward the share of a tenant', async () => {
    const options = { tenant: {}, controllers: CONTROLLERS() }
    const { port, url, shows } = await start({ concurrent: 4, queue: 0, perTenant: 1 }, options)
    await unfinished(port, 'described', `${JSON_HEADERS}\r\nX-Tenant-Id: a`)
    await shows({ running_requests: 0, receiving_requests: 1 })
    const sent = fetch(`${url}/work/1`, { headers: { 'x-tenant-id': 'a' } })
    await begun(1)
    held.all()
    expect(await statusOf(sent)).toBe(200)
  })

  it('wait for the share of their tenant once they have arrived', async () => {
    const capacity = { concurrent: 4, queue: 1, perTenant: 1, wait: '30s' }
    const { port, url, shows } = await start(capacity, { tenant: {} })
    const client = await unfinished(port, 'described', `${JSON_HEADERS}\r\nX-Tenant-Id: a`)
    await shows({ receiving_requests: 1 })
    const sent = fetch(`${url}/work/1`, { headers: { 'x-tenant-id': 'a' } })
    await begun(1)
    client.socket.write('"a": 1}')
    await shows({ receiving_requests: 0, running_requests: 1 })
    expect(run).toEqual([])
    held.all()
    expect(await statusOf(sent)).toBe(200)
    await expect.poll(client.text).toMatch(/^HTTP\/1.1 204/)
  })

  it('are handled before queued requests once they have arrived', async () => {
    const { port, url, shows } = await start({ concurrent: 1, queue: 1, wait: '30s' })
    const client = await unfinished(port)
    await shows({ receiving_requests: 1 })
    const first = fetch(`${url}/work/1`)
    await begun(1)
    const second = fetch(`${url}/work/2`)
    await shows({ queued_requests: 1 })
    client.socket.write('"a": 1}')
    await shows({ receiving_requests: 0, running_requests: 1 })
    expect(run).toEqual([])
    held.next()
    await expect.poll(client.text).toMatch(/^HTTP\/1.1 204/)
    expect(run).toEqual(['described {"a":1}'])
    await begun(2)
    held.all()
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])
    await shows({ running_requests: 0 })
  })

  it('are refused if they wait too long for a place after they have arrived', async () => {
    const { app, port, url, shows } = await startMoved({ concurrent: 1, queue: 0, wait: '2s' })
    const client = await unfinished(port)
    await shows({ receiving_requests: 1 })
    const first = fetch(`${url}/work/1`)
    await begun(1)
    client.socket.write('"a": 1}')
    await shows({ receiving_requests: 0 })
    await app.clock.advance('2s')
    await expect.poll(client.text).toMatch(/^HTTP\/1.1 503/)
    held.all()
    expect(await statusOf(first)).toBe(200)
    expect(run).toEqual([])
    await shows({ running_requests: 0 })
    await app.close()
  })

  it('are refused above the limit of `bodies`, beginning with the oldest one', async () => {
    const { port, shows } = await start({ concurrent: 1, queue: 0, bodies: 2 })
    const clients = []
    for (const count of [1, 2]) {
      clients.push(await unfinished(port))
      await shows({ receiving_requests: count })
    }
    const [longest, second] = clients
    const third = await unfinished(port)
    await expect.poll(() => longest?.text()).toMatch(/^HTTP\/1.1 503.*OVER_CAPACITY/s)
    await expect.poll(() => longest?.isEnded()).toBe(true)
    await shows({ running_requests: 0, receiving_requests: 2 })
    for (const client of [second, third]) {
      client?.socket.write('"a": 1}')
      await expect.poll(() => client?.text()).toMatch(/^HTTP\/1.1 204/)
    }
    await shows({ running_requests: 0, receiving_requests: 0 })
    expect(run).toHaveLength(2)
  })

  it('count toward the limit of `bodies` until their handler runs, but are not refused after arrival', async () => {
    const { port, shows } = await start({ concurrent: 1, queue: 0, bodies: 1, wait: '30s' })
    const arrived = await unfinished(port)
    await shows({ receiving_requests: 1 })
    const later = await unfinished(port, 'later')
    await begun(1)
    arrived.socket.write('"a": 1}')
    await shows({ receiving_requests: 0, running_requests: 1 })
    held.next()
    await expect.poll(later.text).toMatch(/^HTTP\/1.1 503/)
    await expect.poll(arrived.text).toMatch(/^HTTP\/1.1 204/)
    expect(run).toEqual(['described {"a":1}'])
    await shows({ receiving_requests: 0, running_requests: 0 })
  })
})
