import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure, type ListeningApp } from './listening-app.js'
import { exchange, post, RawConnection, request } from './raw-connection.js'
import { ran, startThings } from './things-app.js'

let app: ListeningApp

beforeEach(async () => {
  app = await startThings()
})

describe('the method of a request', () => {
  it.each(['TRACE', 'PROPFIND', 'PURGE', 'LINK'])(
    'is refused on all routes if it is %s',
    async (method) => {
      for (const target of ['/things', '/all', '/secret']) {
        const [answer] = await exchange(app.port, request(target, [], { method }))
        // The parser of Node sends the response if it does not support the method.
        if (answer?.status === 400) expectFailure(answer, 400, 'BAD_REQUEST')
        else {
          expectFailure(answer, 405, 'METHOD_NOT_ALLOWED')
          expect(answer?.headers['allow']).toMatch(/^GET\b/)
        }
      }
      expect(ran).toEqual([])
    },
  )

  it('results in a 405 response with an Allow header if no route of the path has it', async () => {
    const [answer] = await exchange(app.port, request('/things', [], { method: 'DELETE' }))
    expectFailure(answer, 405, 'METHOD_NOT_ALLOWED')
    expect(answer?.headers['allow']).toBe('GET, HEAD, POST, OPTIONS')
  })

  it('cannot be overridden by a header or the query', async () => {
    const lines = ['X-HTTP-Method-Override: DELETE', 'X-Method-Override: DELETE']
    const [answer] = await exchange(app.port, request('/all?_method=DELETE', lines))
    expect({ status: answer?.status, ran }).toEqual({ status: 200, ran: ['all GET'] })
  })

  it('results in the response of GET without its body if it is HEAD', async () => {
    for (const target of ['/things', '/things/7', '/all', '/secret', '/nowhere', '/things/%zz']) {
      const connection = await RawConnection.open(app.port)
      connection.write(request(target, [], { method: 'HEAD' }))
      await connection.ended()
      const [head] = await connection.answers(1, { isHead: true })
      const [get] = await exchange(app.port, request(target))
      const { date: _, 'content-length': length, ...headers } = head?.headers ?? {}
      expect({ status: head?.status, ...headers }).toMatchObject({ status: get?.status })
      expect(headers['content-type']).toBe(get?.headers['content-type'])
      // `/all` and failures name the method.
      if (get?.status === 200 && target !== '/all') {
        expect(length).toBe(get.headers['content-length'])
      }
      expect(connection.received).toMatch(/\r\n\r\n$/)
    }
  })

  it('results in an Allow header and runs neither handler nor guard if it is OPTIONS', async () => {
    for (const [target, allow] of [
      ['/secret', 'GET, HEAD, OPTIONS'],
      ['/things', 'GET, HEAD, POST, OPTIONS'],
    ] as const) {
      const [answer] = await exchange(app.port, request(target, [], { method: 'OPTIONS' }))
      expect(answer?.headers['allow']).toBe(allow)
      expect(answer?.status).toBe(200)
    }
    expect(ran).toEqual([])
  })
})

describe('a request with an Expect header', () => {
  it('results in a 413 response without a 100 response if Content-Length is too large', async () => {
    const lines = [
      'Content-Type: application/json',
      'Expect: 100-continue',
      'Content-Length: 999999',
    ]
    const connection = await RawConnection.open(app.port)
    const answers = await connection.write(request('/things', lines, { method: 'POST' })).answers(1)
    connection.destroy()
    expect(answers.map(({ status }) => status)).toEqual([413])
  })

  it('results in a 100 response if the body will be read', async () => {
    const connection = await RawConnection.open(app.port)
    const text = post('/slow/1', '{"a":1}', ['Expect: 100-continue'])
    const end = text.indexOf('\r\n\r\n') + 4
    const [interim] = await connection.write(text.slice(0, end)).answers(1)
    expect(interim?.status).toBe(100)
    const [, answer] = await connection.write(text.slice(end)).answers(2)
    expect(JSON.parse(answer?.text ?? '').data).toEqual({ id: '1', body: { a: 1 } })
    connection.destroy()
  })

  it('results in no 100 response if the route does not read the body', async () => {
    const lines = ['Expect: 100-continue', 'Content-Length: 5', 'Connection: keep-alive']
    const connection = await RawConnection.open(app.port)
    const text = request('/things', lines, { method: 'POST' })
    const answers = await connection.write(text).answers(1)
    await connection.ended()
    expect(connection.received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
    expect(answers[0]?.headers['connection']).toBe('close')
  })

  it('results in a 417 response if the header is not 100-continue', async () => {
    const [answer] = await exchange(app.port, request('/things', ['Expect: tea']))
    expect(answer?.status).toBe(417)
    expect(ran).toEqual([])
  })
})

describe('a connection', () => {
  it('receives 100 responses to 100 pipelined requests in order', async () => {
    const connection = await RawConnection.open(app.port)
    const ids = Array.from({ length: 100 }, (_, i) => String(i))
    const keep = ['Connection: keep-alive']
    connection.write(ids.map((id) => post(`/slow/${id}`, `{"n":${id}}`, keep)).join(''))
    const answers = await connection.answers(100)
    connection.destroy()
    const data = answers.map(({ text }) => JSON.parse(text).data)
    expect(data).toEqual(ids.map((id) => ({ id, body: { n: Number(id) } })))
  })

  it('does not add trailers to the request headers', async () => {
    const lines = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
    const body = '2\r\n{}\r\n0\r\nAuthorization: Bearer good\r\nX-Trailer: 1\r\n\r\n'
    const [answer] = await exchange(app.port, request('/all', lines, { method: 'POST', body }))
    expect(answer?.status).toBe(200)
    const secret = request('/secret', ['Transfer-Encoding: chunked'], { body })
    expectFailure((await exchange(app.port, secret))[0], 401, 'UNAUTHORIZED')
    expect(ran).not.toContain('secret')
  })

  it('receives a response and is closed if it uses HTTP/1.0', async () => {
    const answers = await exchange(app.port, 'GET /things HTTP/1.0\r\n\r\n')
    expect(answers.map(({ status }) => status)).toEqual([200])
    expect(answers[0]?.headers['connection']).toBe('close')
  })

  it.each(['websocket', 'h2c', 'TLS/1.0'])(
    'is not upgraded to %s, but receives a normal response',
    async (to) => {
      const lines = ['Connection: Upgrade, close', `Upgrade: ${to}`, 'HTTP2-Settings: AAMAAABk']
      const [answer] = await exchange(app.port, request('/things', lines))
      expect(answer?.status).toBe(200)
    },
  )
})

describe('an idle connection', () => {
  const keepAlive = 'GET /things HTTP/1.1\r\nHost: localhost\r\n\r\n'

  it('receives a 400 response for invalid data, and does not affect later connections', async () => {
    const connection = await RawConnection.open(app.port)
    connection.write(keepAlive)
    await connection.answers(1)
    connection.write('this is not HTTP\r\n\r\n')
    await connection.ended()
    const [, answer] = await connection.answers(2)
    expectFailure(answer, 400, 'BAD_REQUEST')
    expect((await exchange(app.port, request('/things')))[0]?.status).toBe(200)
  })

  it('does not affect the application if it is reset after a response', async () => {
    for (let i = 0; i < 20; i++) {
      const connection = await RawConnection.open(app.port)
      connection.write(keepAlive)
      await connection.answers(1)
      connection.socket.resetAndDestroy()
    }
    expect((await exchange(app.port, request('/things')))[0]?.status).toBe(200)
  })
})
