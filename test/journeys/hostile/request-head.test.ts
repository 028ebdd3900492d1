import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure, type ListeningApp } from './listening-app.js'
import { exchange, request } from './raw-connection.js'
import { ran, startThings } from './things-app.js'

let app: ListeningApp

beforeEach(async () => {
  app = await startThings()
})

/** Text after a malformed request. It must not be read as another request. */
const SMUGGLED = request('/things')

describe('a request that reaches no handler', () => {
  const head = 'GET /things HTTP/1.1\r\nHost: x\r\n'
  const post11 = 'POST /things HTTP/1.1\r\nHost: x\r\n'
  it.each([
    ['both length and chunks', `${post11}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ['two lengths', `${post11}Content-Length: 0\r\nContent-Length: 4\r\n\r\n`],
    ['a list of lengths', `${post11}Content-Length: 0, 0\r\n\r\n`],
    ['a signed length', `${post11}Content-Length: +4\r\n\r\n`],
    ['a negative length', `${post11}Content-Length: -1\r\n\r\n`],
    ['a hexadecimal length', `${post11}Content-Length: 0x4\r\n\r\n`],
    ['an endless length', `${post11}Content-Length: 99999999999999999999\r\n\r\n`],
    ['an empty coding and a length', `${post11}Transfer-Encoding:\r\nContent-Length: 4\r\n\r\n`],
    ['a coding of a tab', `${post11}Content-Length: 4\r\nTransfer-Encoding: \t\r\n\r\n`],
    ['a coding of a comma', `${post11}Transfer-Encoding: ,\r\nContent-Length: 4\r\n\r\n`],
    ['an unknown coding', `${post11}Transfer-Encoding: identity\r\nContent-Length: 4\r\n\r\n`],
    ['an empty coding', `${post11}transfer-encoding:\r\n\r\n`],
    [
      'two empty codings',
      `${post11}Transfer-Encoding:\r\nContent-Length: 4\r\nTransfer-Encoding:\r\n\r\n`,
    ],
    [
      'an empty coding before chunks',
      `${post11}Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'an empty coding after chunks',
      `${post11}Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a coding that is not supported',
      `${post11}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'chunks in HTTP/1.0',
      `${post11.replace('1.1', '1.0')}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['chunks before another coding', `${post11}Transfer-Encoding: chunked, gzip\r\n\r\n`],
    ['chunks twice', `${post11}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ['a folded line', `${head}X-A: b\r\n c\r\n\r\n`],
    ['a space before the colon', `${head}X-A : b\r\n\r\n`],
    ['a bare line feed', 'GET /things HTTP/1.1\nHost: x\n\n'],
    ['a zero byte in a header', `${head}X-A: \0\r\n\r\n`],
    ['a carriage return in a header', `${head}X-A: a\rb\r\n\r\n`],
    ['an unknown version', 'GET /things HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['an unknown method', 'BREW /things HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a lower-case method', 'get /things HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['raw UTF-8 in the target', 'GET /things/\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a control character in the target', 'GET /things/\x01 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['zero bytes', '\0\0\0\0\r\n\r\n'],
  ])('results in a single 400 response and a closed connection: %s', async (_, bytes) => {
    const answers = await exchange(app.port, bytes + SMUGGLED)
    expectFailure(answers[0], 400, 'BAD_REQUEST')
    expect(answers[0]?.headers['connection']).toBe('close')
    expect({ count: answers.length, ran }).toEqual({ count: 1, ran: [] })
  })

  it.each([
    ['a bad size', 'zz\r\nabc\r\n0\r\n\r\n'],
    ['a negative size', '-1\r\nabc\r\n0\r\n\r\n'],
    ['a bare line feed', '3\nabc\n0\n\n'],
    ['no line break after a chunk', '3\r\nabcdef\r\n0\r\n\r\n'],
  ])(
    'results in a single 400 response, and no later request runs: chunks with %s',
    async (_, body) => {
      const lines = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
      const answers = await exchange(
        app.port,
        request('/things', lines, { method: 'POST', body }) + SMUGGLED,
      )
      expect({ statuses: answers.map(({ status }) => status), ran }).toEqual({
        statuses: [400],
        ran: [],
      })
    },
  )

  it('results in a 431 response if its headers or its target are larger than 16 KiB', async () => {
    const [headers] = await exchange(app.port, request('/things', [`X-A: ${'a'.repeat(17_000)}`]))
    expectFailure(headers, 431, 'REQUEST_HEADER_FIELDS_TOO_LARGE')
    const [target] = await exchange(app.port, request(`/things/${'a'.repeat(17_000)}`))
    expectFailure(target, 431, 'REQUEST_HEADER_FIELDS_TOO_LARGE')
  })

  it('receives no response if its method is CONNECT', async () => {
    expect(await exchange(app.port, request('x:443', [], { method: 'CONNECT' }))).toEqual([])
  })
})

describe('the number of header lines', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `X${i}: 1`)

  it('can be 200', async () => {
    // `Host` and `Connection` are two of them.
    const [answer] = await exchange(app.port, request('/things', lines(198)))
    expect(answer?.status).toBe(200)
  })

  it.each([201, 1001, 1100, 2000])(
    'causes a 431 response for %i lines, even if the last line is Authorization',
    async (count) => {
      const last = 'Authorization: Bearer good'
      const [answer] = await exchange(
        app.port,
        request('/secret', [...lines(count - 3), 'Connection: keep-alive', last]),
      )
      expectFailure(answer, 431, 'REQUEST_HEADER_FIELDS_TOO_LARGE')
      expect(answer?.headers['connection']).toBe('close')
      expect(ran).toEqual([])
    },
  )
})

describe('the target of a request', () => {
  it.each([
    'http://localhost/things',
    'HTTP://LOCALHOST/things',
    'http://localhost/things?x=1',
    'https://localhost/things',
    'http://localhost:80/things',
    'http://localhost:/things',
    'https://localhost:443/things',
  ])('can be an absolute URL with the host of the Host header: %s', async (target) => {
    expect((await exchange(app.port, request(target)))[0]?.status).toBe(200)
  })

  it.each([
    'http://evil.example/things',
    'http://localhost@evil.example/things',
    'http://localhost:81/things',
    'http://localhost.evil.example/things',
    'http:///things',
    'http://',
    'http://[::1/things',
    'ftp://localhost/things',
    'ws://localhost/things',
    'http://@localhost/things',
    'http://localhost:080/things',
    'https://localhost:80/things',
    'http://localhos%74/things',
    'http://localhost/things#x',
    '*',
  ])('is refused if it is %s', async (target) => {
    expectFailure((await exchange(app.port, request(target)))[0], 400, 'MALFORMED_URL')
    expect(ran).toEqual([])
  })

  it.each(['javascript:things', 'things', '\\things', '?/things'])(
    'is refused by the HTTP parser if it is %s',
    async (target) => {
      expectFailure((await exchange(app.port, request(target)))[0], 400, 'BAD_REQUEST')
      expect(ran).toEqual([])
    },
  )

  it.each([
    '//evil.example/things',
    '//things',
    '/things//',
    '/things/../things',
    '/./things',
    '/%2e/things',
    '/x/%2e%2e/things',
    '/%2e%2e%2fthings',
    '/..%5cthings',
    '/\\things',
    '/things;x',
    '/things;/1',
    '/%252e%252e/things',
    '/things%00',
    '/things%0d%0aX-Injected:%201',
    '/%74hings%2f1',
    '/things/%C0%AF',
    '/things/%E0%A4%A',
    '/things/%',
    '/things/%zz',
    '/things/%ff',
    '/things#fragment',
    '/things/1#fragment',
    '/things/%00',
    '/slow//',
    `/things/${'a'.repeat(1025)}`,
  ])('matches no route if it is %s', async (target) => {
    const [answer] = await exchange(app.port, request(target))
    expect([400, 404]).toContain(answer?.status)
    expectFailure(
      answer,
      answer?.status ?? 0,
      answer?.status === 400 ? 'MALFORMED_URL' : 'NOT_FOUND',
    )
    expect(answer?.headers).not.toHaveProperty('location')
    expect(answer?.headers).not.toHaveProperty('x-injected')
    expect(ran).toEqual([])
  })

  it.each([
    ['/things/a%2Fb', 'a/b'],
    ['/things/%252e%252e', '%2e%2e'],
    ['/things/a%25b', 'a%b'],
    ['/THINGS/AbC/', 'AbC'],
    ['/things/%C3%A9', 'é'],
    ['/things/a%23b%3Fc', 'a#b?c'],
    ['/things/__proto__', '__proto__'],
    ['/things/..;', '..;'],
  ])('contains path parameters that are decoded once: %s', async (target, id) => {
    const [answer] = await exchange(app.port, request(target))
    expect(JSON.parse(Buffer.from(answer?.text ?? '', 'latin1').toString()).data).toEqual({ id })
  })
})

describe('the Host header', () => {
  it.each([
    'localhost',
    'LOCALHOST:3000',
    'a.b-c_d.example.',
    '127.0.0.1',
    '[::1]',
    '[::1]:80',
    'localhost:',
    'localhost:65535',
    'xn--bcher-kva.example',
  ])('can be %s', async (host) => {
    expect((await exchange(app.port, request('/things', [`Host: ${host}`])))[0]?.status).toBe(200)
  })

  it.each([
    ['nothing', 'Host:'],
    ['a user', 'Host: evil:x@localhost'],
    ['a path', 'Host: localhost/x'],
    ['a list', 'Host: localhost, evil.example'],
    ['two words', 'Host: localhost evil.example'],
    ['a backslash', 'Host: localhost\\evil.example'],
    ['a fragment', 'Host: localhost#x'],
    ['a query', 'Host: localhost?x'],
    ['an open bracket', 'Host: [::1'],
    ['an invalid port', 'Host: localhost:http'],
    ['two ports', 'Host: localhost:1:2'],
    ['a port of six digits', 'Host: localhost:123456'],
    ['markup', 'Host: <script>'],
    ['a character that is not ASCII', 'Host: \xe9vil'],
  ])('is refused if it contains %s', async (_, line) => {
    expectFailure((await exchange(app.port, request('/things', [line])))[0], 400, 'BAD_REQUEST')
    expect(ran).toEqual([])
  })

  it('is refused if it is missing in HTTP/1.1', async () => {
    const answers = await exchange(app.port, 'GET /things HTTP/1.1\r\n\r\n')
    expectFailure(answers[0], 400, 'BAD_REQUEST')
    expect(answers[0]?.headers['connection']).toBe('close')
    expect(ran).toEqual([])
  })

  it('is refused if it occurs twice, with equal or different values', async () => {
    for (const lines of [
      ['Host: localhost', 'host: evil.example'],
      ['Host: localhost', 'X: 1', 'HOST: localhost'],
    ]) {
      expectFailure((await exchange(app.port, request('/things', lines)))[0], 400, 'BAD_REQUEST')
    }
    expect(ran).toEqual([])
  })
})
