import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { appsOfTest, type Message, send } from '../express/support.js'
import { echoApp, type Lines } from './echo-app.js'

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (body: string | Buffer, headers: Record<string, string> = json): Message => ({
  method: 'POST',
  path: '/things',
  headers,
  body,
})
const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`x-${n}`, 'line']))

/** Requests in their order: some depend on those before them. */
const REQUESTS: Readonly<Record<string, Message>> = {
  'a query': { path: '/things?page=2&tag=a&tag=b' },
  'an invalid query': { path: '/things?page=two' },
  'an encoded path': { path: '/things/by-name/caf%C3%A9%2Fb%20c?x=%20' },
  'a path that cannot be decoded': { path: '/things/by-name/%E0%A4%A' },
  'an unknown path': { path: '/nowhere' },
  'an unknown method of a path': { method: 'PATCH', path: '/things' },
  'a method that Node knows and nobody serves': { method: 'PURGE', path: '/things' },
  'a method that Node does not know': { method: 'FETCH', path: '/things' },
  HEAD: { method: 'HEAD', path: '/things' },
  OPTIONS: { method: 'OPTIONS', path: '/things' },
  JSON: post('{"name":"caf\u00e9","amount":"2"}'),
  'malformed JSON': post('{"name":'),
  'invalid JSON': post('{"name":1}'),
  'a body that is too large': post(JSON.stringify({ name: 'x'.repeat(3000) })),
  'a body of another type': post('name=a', { 'content-type': 'text/plain' }),
  'a compressed body': post(gzipSync('{"name":"zipped"}'), { ...json, 'content-encoding': 'gzip' }),
  'an unknown encoding': post('{}', { ...json, 'content-encoding': 'zz' }),
  'a form': post('name=a&amount=3', form),
  'no body': { method: 'POST', path: '/things' },
  'an unparsed body': { method: 'PUT', path: '/things/raw', body: 'words' },
  'a body of DELETE': {
    method: 'DELETE',
    path: '/things',
    // Node's client does not mark such a body itself.
    headers: { 'content-length': '100000' },
    body: 'x'.repeat(100_000),
  },
  cookies: { path: '/things/cookies', headers: { cookie: 'c=1; d=2' } },
  'no credentials': { path: '/things/secret' },
  'right credentials': { path: '/things/secret', headers: { authorization: 'Bearer right' } },
  'a missing permission': { path: '/things/forbidden', headers: { authorization: 'Bearer right' } },
  'a response that is cached': { path: '/things/cached' },
  'a response from the cache': { path: '/things/cached' },
  'no tenant': { path: '/things/owned' },
  'a tenant': { path: '/things/owned', headers: { 'x-tenant-id': 'acme' } },
  'a redirect': { path: '/things/moved' },
  204: { path: '/things/none' },
  205: { path: '/things/reset-content' },
  'a status of its own': { path: '/things/strange' },
  bytes: { path: '/things/bytes' },
  'a stream': { path: '/things/stream' },
  'a returned Response': { path: '/things/returned' },
  trailers: { path: '/things/trailers' },
  'early hints': { path: '/things/hints' },
  'a file': { path: '/things/file' },
  'a range of a file': { path: '/things/file', headers: { range: 'bytes=3-9' } },
  'an HTTP error': { path: '/things/missing' },
  'a problem document': {
    path: '/things/missing',
    headers: { accept: 'application/problem+json' },
  },
  'an unknown error': { path: '/things/broken' },
  'the client behind a proxy': {
    path: '/things/client',
    headers: { 'x-forwarded-for': '9.9.9.9', 'x-forwarded-proto': 'https' },
  },
  'an invalid Host': { path: '/things', headers: { host: 'a b' } },
  'an unknown expectation': { path: '/things', headers: { expect: 'wonders' } },
  'too many headers': { path: '/things', headers: many },
  'headers that are too long': { path: '/things', headers: { 'x-long': 'x'.repeat(20_000) } },
  'the page of the document': { path: '/api-docs' },
  'the document': { path: '/api-docs.json' },
  liveness: { path: '/livez' },
}

/** A response that a browser would see as the same. */
interface Seen {
  readonly status: number
  readonly statusText: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly cookies: readonly string[]
  readonly body: string
}

/** The headers of the connection, and those that differ each time. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'date', 'set-cookie']

function steady(headers: object): Record<string, unknown> {
  const kept = Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name))
  return Object.fromEntries(kept)
}

const HEADERS = { host: 'shop.example', 'x-request-id': 'request-1' }

async function overSocket(port: number, message: Message): Promise<Seen> {
  const answer = await send(port, { ...message, headers: { ...HEADERS, ...message.headers } })
  const { status, statusText, headers, body } = answer
  const cookies = headers['set-cookie'] ?? []
  return { status, statusText, headers: steady(headers), cookies, body: body.toString('latin1') }
}

async function overFetch(fetch: Fetch, message: Message): Promise<Seen> {
  const { method = 'GET', path, headers, body = null } = message
  const init = { method, headers: { ...HEADERS, ...(headers as object) }, body }
  const response = await fetch(new Request(`http://shop.example${path}`, init), LOOPBACK)
  return {
    status: response.status,
    statusText: response.statusText,
    headers: steady(Object.fromEntries(response.headers)),
    cookies: response.headers.getSetCookie(),
    body: Buffer.from(await response.arrayBuffer()).toString('latin1'),
  }
}

type Fetch = (request: Request, info: object) => Promise<Response>
const LOOPBACK = { remoteAddress: '127.0.0.1' }

describe('the response of app.fetch', () => {
  const apps = appsOfTest()
  const socketLines: Lines = []
  const fetchLines: Lines = []
  const seen = new Map<string, readonly [socket: Seen, fetch: Seen]>()

  beforeAll(async () => {
    const listening = echoApp(socketLines)
    const called = echoApp(fetchLines)
    const { port } = await listening.listen(0, { host: '127.0.0.1', announce: false })
    for (const [name, message] of Object.entries(REQUESTS)) {
      const socket = await overSocket(port, message)
      seen.set(name, [socket, await overFetch(called.fetch, message)])
    }
    await Promise.all([listening.close(), called.close()])
  })

  it.each(Object.keys(REQUESTS))('is the same as from a listening server: %s', (name) => {
    const [socket, fetched] = seen.get(name) ?? []
    expect(socket?.status).toBeGreaterThan(199)
    expect(fetched).toEqual(socket)
  })

  it('is logged with the same lines as from a listening server', () => {
    expect(socketLines.length).toBeGreaterThan(Object.keys(REQUESTS).length - 5)
    expect(fetchLines).toEqual(socketLines)
  })

  it('has status 304 for a conditional request', async () => {
    const app = apps.track(echoApp([]))
    const first = await app.fetch(new Request('http://shop.example/things'))
    const etag = first.headers.get('etag') as string
    const headers = { 'if-none-match': etag }
    const second = await app.fetch(new Request('http://shop.example/things', { headers }))
    expect([etag, second.status, second.body]).toEqual([expect.any(String), 304, null])
  })
})
