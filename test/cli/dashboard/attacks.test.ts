import { once } from 'node:events'
import { request as sendRequest } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import type { WorkQuery } from '../../../src/cli/dev/protocol.js'
import { APP_PORT, type OpenDashboard, openDashboard } from './open-dashboard.js'
import { reported } from './records.js'

/** A canary in the data: no response to an attack may have it. */
const CANARY = '/orders/canary-7f31'

interface Attack {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Sends a request over a socket of its own, with any headers, as a browser or a program would. */
function send({ port }: OpenDashboard, attack: Attack): Promise<Reply> {
  const { method = 'GET', path = '/data/requests/1', headers = {}, body } = attack
  return new Promise((resolve, reject) => {
    const req = sendRequest({ host: '127.0.0.1', port, method, path, headers, agent: false })
    req.once('error', reject)
    req.once('response', (res) => {
      let text = ''
      res.on('data', (chunk) => {
        text += chunk
      })
      res.once('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, text }))
    })
    req.end(body)
  })
}

async function open(): Promise<OpenDashboard & { readonly asked: unknown[] }> {
  const opened = await openDashboard()
  const asked: unknown[] = []
  const query = async (given: WorkQuery) => {
    asked.push(given)
    return { value: CANARY }
  }
  opened.dashboard.serves({ query }, APP_PORT)
  opened.dashboard.add(reported({ url: CANARY }))
  return { ...opened, asked }
}

/** The path by which the page lets a job run again. */
const RETRY = '/data/work/0/retry/job%2F1'

const ATTACKS: Readonly<Record<string, (own: OpenDashboard) => Attack>> = {
  'a page whose host name resolves to this address (DNS rebinding)': ({ port, token }) => ({
    headers: { host: `evil.example:${port}`, authorization: `Bearer ${token}` },
  }),
  'a host name that begins with 127.0.0.1': ({ token }) => ({
    headers: { host: '127.0.0.1.evil.example', authorization: `Bearer ${token}` },
  }),
  'a host name that ends with localhost': ({ token }) => ({
    headers: { host: 'evil-localhost', authorization: `Bearer ${token}` },
  }),
  'a user name before the host': ({ token }) => ({
    headers: { host: 'localhost@evil.example', authorization: `Bearer ${token}` },
  }),
  'a page of another origin': ({ token }) => ({
    headers: { origin: 'https://evil.example', authorization: `Bearer ${token}` },
  }),
  'a page of the application, on another port': ({ token }) => ({
    headers: { origin: `http://127.0.0.1:${APP_PORT}`, authorization: `Bearer ${token}` },
  }),
  'a sandboxed frame, whose origin is null': ({ token }) => ({
    headers: { origin: 'null', authorization: `Bearer ${token}` },
  }),
  'https in the origin': ({ port, token }) => ({
    headers: { origin: `https://127.0.0.1:${port}`, authorization: `Bearer ${token}` },
  }),
  'an element on a page of another site': ({ token }) => ({
    headers: { 'sec-fetch-site': 'cross-site', authorization: `Bearer ${token}` },
  }),
  'a page on another port of this machine': ({ token }) => ({
    headers: { 'sec-fetch-site': 'same-site', authorization: `Bearer ${token}` },
  }),
  'a URL typed into the browser, without a token': () => ({
    headers: {
      'sec-fetch-site': 'none',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    },
  }),
  'a link from another page, with the token': ({ token }) => ({
    headers: {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      authorization: `Bearer ${token}`,
    },
  }),
  'no token': () => ({}),
  'a wrong token': () => ({ headers: { authorization: 'Bearer wrong' } }),
  'the beginning of the token': ({ token }) => ({
    headers: { authorization: `Bearer ${token.slice(0, -1)}` },
  }),
  'the token in the query': ({ token }) => ({ path: `/data/requests/1?token=${token}` }),
  'the token in a cookie': ({ token }) => ({ headers: { cookie: `token=${token}` } }),
  'the stream, without a token': () => ({ path: '/data/events' }),
  'the routes, without a token': () => ({ path: '/data/routes' }),
  'a path with a double slash': () => ({ path: '//data/requests/1' }),
}

describe('an attack on the dashboard data', () => {
  it.each(Object.keys(ATTACKS))('is refused: %s', async (name) => {
    const own = await open()
    const attack = ATTACKS[name]?.(own) ?? {}
    const reply = await send(own, attack)
    expect(reply.status).toBe(403)
    expect(reply.text).not.toContain(CANARY)
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it.each(Object.keys(ATTACKS).filter((name) => !/path|stream|routes/.test(name)))(
    'cannot run a job again: %s',
    async (name) => {
      const own = await open()
      const reply = await send(own, { path: RETRY, ...ATTACKS[name]?.(own), method: 'POST' })
      expect(reply.status).toBe(403)
      expect(own.asked).toEqual([])
    },
  )

  it('is refused if it has two Host headers', async () => {
    const own = await open()
    const lines = [
      'GET /data/requests/1 HTTP/1.1',
      `Host: 127.0.0.1:${own.port}`,
      'Host: evil.example',
      `Authorization: Bearer ${own.token}`,
      'Connection: close',
    ]
    const text = await raw(own.port, `${lines.join('\r\n')}\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 40[03] /)
    expect(text).not.toContain(CANARY)
  })

  it('gets a 404 response if the request target is an absolute URL', async () => {
    const own = await open()
    const lines = [
      `GET http://evil.example/data/requests/1 HTTP/1.1`,
      `Host: 127.0.0.1:${own.port}`,
      `Authorization: Bearer ${own.token}`,
      'Connection: close',
    ]
    const text = await raw(own.port, `${lines.join('\r\n')}\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 404 /)
    expect(text).not.toContain(CANARY)
  })

  it('differs from a request of the dashboard page, which gets the data', async () => {
    const own = await open()
    const { port, token } = own
    const fromPage = {
      host: `127.0.0.1:${port}`,
      origin: `http://127.0.0.1:${port}`,
      'sec-fetch-site': 'same-origin',
      authorization: `Bearer ${token}`,
    }
    expect((await send(own, { headers: fromPage })).text).toContain(CANARY)
    const byName = { ...fromPage, host: `localhost:${port}`, origin: `http://localhost:${port}` }
    expect((await send(own, { headers: byName })).text).toContain(CANARY)
  })
})

describe('a request with a side effect', () => {
  it('performs an action of the dashboard page only with POST', async () => {
    const own = await open()
    const authorization = `Bearer ${own.token}`
    const origin = `http://127.0.0.1:${own.port}`
    const headers = { authorization, origin, 'sec-fetch-site': 'same-origin' }
    expect((await send(own, { method: 'GET', path: RETRY, headers })).status).toBe(404)
    for (const path of [
      '/data/work',
      `${RETRY}/more`,
      '/data/work/0/retry/%E0',
      '/data/work/x/a/b',
    ])
      expect((await send(own, { method: 'POST', path, headers })).status).toBe(405)
    expect(own.asked).toEqual([])
    const reply = await send(own, { method: 'POST', path: RETRY, headers })
    expect([reply.status, reply.text]).toEqual([200, JSON.stringify(CANARY)])
    expect(own.asked).toEqual([{ do: 'act', part: 0, action: 'retry', item: 'job/1' }])
  })

  it('gets a response with the reason if no application runs', async () => {
    const own = await openDashboard()
    const headers = { authorization: `Bearer ${own.token}` }
    const reply = await send(own, { method: 'POST', path: RETRY, headers })
    expect(reply).toMatchObject({
      status: 502,
      text: '{"message":"The application is not running."}',
    })
  })

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])(
    'is refused with the method %s on any other path, even with the token',
    async (method) => {
      const own = await open()
      const headers = { authorization: `Bearer ${own.token}`, 'content-type': 'application/json' }
      const reply = await send(own, { method, headers, body: '{}' })
      expect(reply.status).toBe(405)
      expect(reply.text).not.toContain(CANARY)
    },
  )

  it('is not permitted by a CORS preflight', async () => {
    const own = await open()
    const reply = await send(own, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })
    expect(reply.status).toBe(403)
    expect(Object.keys(reply.headers).join()).not.toContain('access-control')
  })
})

describe('the dashboard page', () => {
  it('contains no data, and can be opened from any site, but not in a frame', async () => {
    const own = await open()
    const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    const page = await send(own, { path: '/', headers: { ...visit, 'sec-fetch-dest': 'document' } })
    expect(page.status).toBe(200)
    expect(page.text).not.toContain(CANARY)
    const framed = await send(own, { path: '/', headers: { ...visit, 'sec-fetch-dest': 'iframe' } })
    expect(framed.status).toBe(403)
    const script = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
    expect((await send(own, { path: '/', headers: script })).status).toBe(403)
  })

  it('has a Content-Security-Policy that forbids inline code, other origins and frames', async () => {
    const own = await open()
    const { headers } = await send(own, { path: '/' })
    const policy = String(headers['content-security-policy'])
    expect(policy).not.toContain('unsafe')
    expect(policy).not.toContain('*')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(headers).not.toHaveProperty('set-cookie')
  })
})

it('the dashboard uses a different token in each run', async () => {
  const [one, other] = [await openDashboard(), await openDashboard()]
  expect(one.token).toMatch(/^[\w-]{32}$/)
  expect(one.token).not.toBe(other.token)
})

it('the dashboard listens only on the loopback address', async ({ skip }) => {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const other = addresses.find(({ internal, family }) => !internal && family === 'IPv4')
  if (other === undefined) skip('This machine has no address but the loopback.')
  const { port } = await openDashboard()
  const socket = connect({ host: other?.address ?? '', port })
  const [error] = await once(socket, 'error')
  expect(error).toMatchObject({ code: 'ECONNREFUSED' })
})

/** Sends bytes, and returns what comes back. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.once('error', reject)
    socket.once('close', () => resolve(text))
  })
}
