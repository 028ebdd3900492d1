import { type App, Controller, Get, type Request, type Response } from 'blazon'
import type { EndedRequest } from 'blazon/plugin'
import { afterEach, describe, expect, it } from 'vitest'
import { Held, open, Servers, workController } from './support.js'

const servers = new Servers()
let held = new Held()
afterEach(async () => {
  held.all()
  await servers.close()
})

async function start(capacity: object, more: object = {}) {
  held = new Held()
  const controllers = [workController(held)]
  return servers.start({ controllers, capacity: capacity as never, metrics: true, ...more })
}

/** Waits until so many requests have the state. */
async function counted(url: string, state: 'queued' | 'receiving', count: number) {
  const read = async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return new RegExp(`^capacity_${state}_requests (\\d+)$`, 'm').exec(text)?.[1]
  }
  await expect.poll(read).toBe(String(count))
}

const queued = (url: string, count: number) => counted(url, 'queued', count)

const begun = (count: number) => expect.poll(() => held.begun.length).toBe(count)
const statusOf = async (response: ReturnType<typeof fetch>) => (await response).status

describe('an application with the capacity option', () => {
  it('runs and queues the configured numbers of requests, and refuses the others', async () => {
    const { url } = await start({ concurrent: 1, queue: 1, retryAfter: '3s' })
    const first = fetch(`${url}/work/1`)
    await begun(1)
    const second = fetch(`${url}/work/2`)
    await queued(url, 1)
    const refused = await fetch(`${url}/work/4`)
    expect(refused.headers.get('retry-after')).toBe('3')
    expect(refused.headers.get('connection')).not.toBe('close')
    expect(await refused.json()).toMatchObject({
      code: 'OVER_CAPACITY',
      message: 'Too many concurrent requests; try again in 3 s',
    })
    held.next()
    expect(await statusOf(first)).toBe(200)
    await begun(2)
    held.next()
    expect(await statusOf(second)).toBe(200)
    expect(held.begun).toEqual(['1', '2'])
  })

  it('counts a request only once if a handler passes it to the application again', async () => {
    let app: App
    @Controller('forward')
    class ForwardController {
      @Get()
      forward(req: Request, res: Response) {
        req.url = '/work/1'
        app.handler(req, res)
      }
    }
    held = new Held()
    const controllers = [ForwardController, workController(held)]
    const started = await servers.start({ controllers, capacity: { concurrent: 1, queue: 0 } })
    app = started.app
    const forwarded = fetch(`${started.url}/forward`)
    await begun(1)
    held.next()
    expect(await statusOf(forwarded)).toBe(200)
  })

  it('runs waiting requests in the order of their arrival', async () => {
    const { url } = await start({ concurrent: 1, queue: 3 })
    const names = ['1', '2', '3']
    const sent = []
    for (const name of names) {
      sent.push(fetch(`${url}/work/${name}`))
      await begun(1)
      await queued(url, sent.length - 1)
    }
    for (const at of names.keys()) {
      await begun(at + 1)
      held.next()
    }
    await Promise.all(sent)
    expect(held.begun).toEqual(names)
  })

  it('refuses requests immediately if it has no queue', async () => {
    const { url } = await start({ concurrent: 1, queue: 0 })
    const first = fetch(`${url}/work/1`)
    await begun(1)
    expect(await statusOf(fetch(`${url}/work/2`))).toBe(503)
    held.next()
    expect(await statusOf(first)).toBe(200)
  })

  it('answers probes, metrics and documents while it refuses other requests', async () => {
    const options = { health: true, swagger: { enabled: true } }
    const { url } = await start({ concurrent: 1, queue: 0 }, options)
    const first = fetch(`${url}/work/1`)
    await begun(1)
    for (const path of ['/livez', '/readyz', '/metrics', '/api-docs', '/api-docs/json']) {
      const response = await fetch(url + path)
      expect([path, response.status === 503]).toEqual([path, false])
    }
    expect(await statusOf(fetch(`${url}/work/2`))).toBe(503)
    // Without a route there is nothing to protect.
    expect(await statusOf(fetch(`${url}/nowhere`))).toBe(404)
    held.next()
    await first
  })
})

describe('the place of a running request', () => {
  /** Holds the only place with a request, ends it, and proves that one place is free, and not two. */
  async function proveOnePlace(url: string) {
    const before = held.begun.length
    await expect
      .poll(async () => {
        const controller = new AbortController()
        const sent = fetch(`${url}/work/probe`, { signal: controller.signal })
        const answer = await Promise.race([
          sent.then(({ status }) => status),
          expect
            .poll(() => held.begun.length, { interval: 5 })
            .toBeGreaterThan(before)
            .then(() => 'runs'),
        ])
        if (answer !== 'runs') controller.abort()
        return answer
      })
      .toBe('runs')
    expect(await statusOf(fetch(`${url}/work/second`))).toBe(503)
    held.all()
  }

  it('is released exactly once after an error, a HEAD request, a response that was sent early, or a 404', async () => {
    const { url } = await start({ concurrent: 1, queue: 0 })
    for (const [path, method] of [
      ['/work/broken', 'GET'],
      ['/work/1', 'HEAD'],
      ['/work/sent/raw', 'GET'],
      ['/work', 'POST'],
    ] as const) {
      const before = held.begun.length
      const sent = fetch(url + path, { method })
      if (path !== '/work/sent/raw' && method !== 'POST') await begun(before + 1)
      held.all()
      await (await sent).arrayBuffer()
    }
    await proveOnePlace(url)
  })

  it('is released exactly once if the client disconnects during the request', async () => {
    const { url } = await start({ concurrent: 1, queue: 0 })
    const controller = new AbortController()
    const sent = fetch(`${url}/work/1`, { signal: controller.signal }).catch(() => 'left')
    await begun(1)
    controller.abort()
    expect(await sent).toBe('left')
    await proveOnePlace(url)
  })

  it('is never given to a request whose handler timeout has expired in the queue', async () => {
    const { url } = await start({ concurrent: 1, queue: 1, wait: '30s' })
    const first = fetch(`${url}/work/1`)
    await begun(1)
    const second = await fetch(`${url}/work/short/2`)
    expect(await second.json()).toMatchObject({ code: 'HANDLER_TIMEOUT' })
    expect(held.begun).toEqual(['1'])
    held.next()
    expect(await statusOf(first)).toBe(200)
    // The request that has timed out is not in the queue any more, and never runs.
    const third = fetch(`${url}/work/3`)
    await begun(2)
    held.next()
    await third
    expect(held.begun).toEqual(['1', '3'])
  })

  it('is released exactly once when a stream ends or its reader disconnects', async () => {
    const { url } = await start({ concurrent: 1, queue: 0 })
    for (const end of ['handler', 'client']) {
      const before = held.begun.length
      const controller = new AbortController()
      const sent = await fetch(`${url}/work/stream/all`, { signal: controller.signal })
      await begun(before + 1)
      expect(await statusOf(fetch(`${url}/work/1`))).toBe(503)
      if (end === 'client') controller.abort()
      else {
        held.all()
        await sent.text()
      }
    }
    await proveOnePlace(url)
  })

  it('is never given to a request whose client has disconnected in the queue', async () => {
    const { url } = await start({ concurrent: 1, queue: 1, wait: '30s' })
    const first = fetch(`${url}/work/1`)
    await begun(1)
    const controller = new AbortController()
    const second = fetch(`${url}/work/2`, { signal: controller.signal }).catch(() => 'left')
    await queued(url, 1)
    controller.abort()
    expect(await second).toBe('left')
    await queued(url, 0)
    // Its place in the queue is free: the next one waits, and is not refused.
    const { port } = new URL(url)
    const fourth = await open(Number(port))
    fourth.socket.write('GET /work/4 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await queued(url, 1)
    held.next()
    expect(await statusOf(first)).toBe(200)
    await begun(2)
    held.next()
    await expect.poll(fourth.isEnded).toBe(true)
    expect(fourth.text()).toMatch(/^HTTP\/1.1 200/)
    expect(held.begun).toEqual(['1', '4'])
  })

  it('is never given to a request whose client has disconnected after its body arrived', async () => {
    const outcomes: unknown[] = []
    const requests = () => ({ onEnd: ({ outcome }: EndedRequest) => void outcomes.push(outcome) })
    const plugins = [{ name: 'outcomes', requests }]
    const { url, port } = await start({ concurrent: 1, queue: 0, wait: '30s' }, { plugins })
    const { socket } = await open(port)
    const head = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 2'
    socket.write(`POST /work HTTP/1.1\r\n${head}\r\n\r\n{`)
    await counted(url, 'receiving', 1)
    const first = fetch(`${url}/work/1`)
    await begun(1)
    socket.write('}')
    await counted(url, 'receiving', 0)
    socket.destroy()
    await expect.poll(() => outcomes).toContain('aborted')
    held.all()
    expect(await statusOf(first)).toBe(200)
    await proveOnePlace(url)
    expect(held.begun).not.toContain('written')
  })
})

describe('a request that exceeds the capacity', () => {
  async function refusedPost(lines: readonly string[], body = '') {
    const { port, url } = await start({ concurrent: 1, queue: 0 })
    const first = fetch(`${url}/work/1`)
    await begun(1)
    const client = await open(port)
    client.socket.write(`POST /work HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
    await expect.poll(client.text).toMatch(/^HTTP\/1.1 503/)
    return { client, first }
  }
  const JSON_TYPE = 'Content-Type: application/json'

  it('receives no 100 Continue', async () => {
    const { client, first } = await refusedPost([
      'Content-Length: 5',
      JSON_TYPE,
      'Expect: 100-continue',
    ])
    expect(client.text()).not.toContain('100 Continue')
    await expect.poll(client.isEnded).toBe(true)
    held.all()
    await first
  })

  it('is answered while a large body is still being sent', async () => {
    const { client, first } = await refusedPost(['Content-Length: 90000000', JSON_TYPE], '{')
    expect(client.text().toLowerCase()).toContain('connection: close')
    await expect.poll(client.isEnded).toBe(true)
    held.all()
    await first
  })

  it('keeps its connection if it has no body', async () => {
    const { port, url } = await start({ concurrent: 1, queue: 0 })
    const first = fetch(`${url}/work/1`)
    await begun(1)
    const client = await open(port)
    client.socket.write('GET /work/2 HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(client.text).toMatch(/^HTTP\/1.1 503/)
    held.all()
    expect(await statusOf(first)).toBe(200)
    client.socket.write('GET /work/sent/raw HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await expect.poll(client.isEnded).toBe(true)
    expect(client.text()).toMatch(/HTTP\/1.1 200 OK/)
    expect(held.begun).toEqual(['1'])
  })
})

describe('closing an application with a queue', () => {
  it('lets waiting requests finish', async () => {
    const { app, url } = await start({ concurrent: 1, queue: 1, wait: '30s' })
    const first = fetch(`${url}/work/1`)
    await begun(1)
    const second = fetch(`${url}/work/2`)
    await queued(url, 1)
    const closed = app.close()
    held.next()
    expect(await statusOf(first)).toBe(200)
    await begun(2)
    held.next()
    expect(await statusOf(second)).toBe(200)
    await closed
  })
})
