import type { Server } from 'node:http'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../integrations/until.js'
import { turns } from '../turns.js'
import { expectFailure, type ListeningApp, start } from './listening-app.js'
import { exchange, post, RawConnection, request } from './raw-connection.js'
import { CHUNKED, calls, chunked, controllers, json, LIMIT, startTexts } from './texts-app.js'

const MIB = 1024 * 1024

let app: ListeningApp

beforeEach(async () => {
  app = await startTexts()
})

function countConnections(server: Server): Promise<number> {
  return promisify(server.getConnections.bind(server))()
}

describe('a body that arrives before the framework reads it', () => {
  it('leaves the connection open if it is refused', async () => {
    const answers = await exchange(
      app.port,
      post('/texts', '{"text":', ['Connection: keep-alive']) +
        post('/texts', '{"text":7}', ['Connection: keep-alive']) +
        post('/texts', json(20)),
    )
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 200])
  })

  it('is read completely even if it arrives in parts during a slow middleware', async () => {
    let sendRest = () => {}
    const waiting = await start({
      controllers,
      middlewares: [
        (req, _res, next) => {
          if (req.method !== 'POST') return next()
          const timer = setInterval(() => {
            if (req.readableLength > 0) sendRest()
            if (req.readableLength === 100) next(void clearInterval(timer))
          }, 1)
        },
      ],
    })
    const connection = await RawConnection.open(waiting.port)
    const text = post('/texts', json(100))
    sendRest = () => {
      sendRest = () => {}
      connection.write(text.slice(-50))
    }
    connection.write(text.slice(0, -50))
    const [answer] = await connection.answers(1)
    expect(answer?.status).toBe(200)
  })
})

describe('the size of a body', () => {
  it('can be equal to the limit, with Content-Length or with chunks', async () => {
    const [announced] = await exchange(app.port, post('/texts', json(LIMIT)))
    const body = chunked(json(LIMIT))
    const [unannounced] = await exchange(
      app.port,
      request('/texts', CHUNKED, { method: 'POST', body }),
    )
    expect([announced?.status, unannounced?.status]).toEqual([200, 200])
    expect(calls).toBe(2)
  })

  it('causes a 413 response and closes the connection if Content-Length is above the limit', async () => {
    const head = post('/texts', '', ['Connection: keep-alive']).replace(
      'Content-Length: 0',
      `Content-Length: ${LIMIT + 1}`,
    )
    const connection = await RawConnection.open(app.port)
    const [answer] = await connection.write(head).answers(1)
    connection.destroy()
    expectFailure(answer, 413, 'PAYLOAD_TOO_LARGE')
    expect(answer?.headers['connection']).toBe('close')
    expect(calls).toBe(0)
  })

  it('causes a 413 response and closes the connection if the chunks are above the limit', async () => {
    const body = chunked(json(LIMIT + 1))
    const lines = [...CHUNKED, 'Connection: keep-alive']
    const [answer, ...others] = await exchange(
      app.port,
      request('/texts', lines, { method: 'POST', body }),
    )
    expectFailure(answer, 413, 'PAYLOAD_TOO_LARGE')
    expect(answer?.headers['connection']).toBe('close')
    expect({ others, calls }).toEqual({ others: [], calls: 0 })
  })

  it('causes a 413 response before a chunked body has ended', async () => {
    const connection = await RawConnection.open(app.port)
    connection.write(request('/texts', CHUNKED, { method: 'POST' }))
    connection.write(chunked(json(LIMIT + 1)).replace(/0\r\n\r\n$/, ''))
    const [answer] = await connection.answers(1)
    connection.destroy()
    expectFailure(answer, 413, 'PAYLOAD_TOO_LARGE')
    expect(calls).toBe(0)
  })

  it('is counted in bytes, not in characters', async () => {
    const text = 'é'.repeat(LIMIT / 2)
    const body = Buffer.from(JSON.stringify({ text })).toString('latin1')
    const [answer] = await exchange(app.port, post('/texts', body))
    expectFailure(answer, 413, 'PAYLOAD_TOO_LARGE')
  })
})

describe('a refused body', () => {
  /** Writes until the server closes the connection, not faster than it reads. */
  async function flood(connection: RawConnection, chunk: Buffer): Promise<number> {
    const { socket } = connection
    let isOver = false
    socket.once('close', () => {
      isOver = true
    })
    while (!isOver && !socket.destroyed && socket.bytesWritten < 64 * MIB) {
      if (socket.write(chunk)) await new Promise(setImmediate)
      else {
        await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
      }
    }
    return app.accepted()
  }

  it.each([
    ['sent with Content-Length', [`Content-Length: ${1024 * MIB}`], Buffer.alloc(64 * 1024, 'x')],
    [
      'sent in chunks',
      ['Transfer-Encoding: chunked'],
      Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`),
    ],
  ])('is cut off after about a megabyte if it is %s', async (_, lines, chunk) => {
    const connection = await RawConnection.open(app.port)
    const head = ['Content-Type: application/json', ...lines]
    connection.write(request('/texts', head, { method: 'POST' }))
    const accepted = await flood(connection, chunk)
    const [answer] = await connection.answers(1)
    expectFailure(answer, 413, 'PAYLOAD_TOO_LARGE')
    expect(accepted).toBeLessThan(1.5 * MIB)
    expect(calls).toBe(0)
  })

  it.each([
    ['sent with Content-Length', post('/texts', json(600_000))],
    [
      'sent in chunks',
      request('/texts', CHUNKED, { method: 'POST', body: chunked(json(600_000)) }),
    ],
  ])(
    'is received completely if it is small and %s, and the connection ends without an error',
    async (_, text) => {
      const connection = await RawConnection.open(app.port)
      connection.socket.pause()
      await new Promise((resolve) => connection.socket.write(text, resolve))
      connection.socket.resume()
      const [answer] = await connection.answers(1)
      expectFailure(answer, 413, 'PAYLOAD_TOO_LARGE')
      await connection.ended()
      expect(connection.error).toBeUndefined()
      expect(app.accepted()).toBe(text.length)
    },
  )

  it('closes the connection after a 404, 405 or 415 response', async () => {
    const lines = ['Connection: keep-alive', 'Content-Length: 1']
    const targets = [
      ['/nowhere', 'POST', 404, 'NOT_FOUND'],
      ['/texts', 'PUT', 405, 'METHOD_NOT_ALLOWED'],
      ['/texts', 'POST', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ] as const
    for (const [target, method, status, code] of targets) {
      const [answer] = await exchange(app.port, request(target, lines, { method, body: 'x' }))
      expectFailure(answer, status, code)
      expect(answer?.headers['connection']).toBe('close')
    }
  })
})

describe('an incomplete body', () => {
  it('results in one 400 response if the client half-closes the connection', async () => {
    const text = post('/texts', '{"text":"', ['Connection: keep-alive']).replace(
      /Content-Length: \d+/,
      'Content-Length: 500',
    )
    const connection = await RawConnection.open(app.port)
    connection.write(text).socket.end()
    const [answer, ...others] = await connection.answers(1)
    await connection.ended()
    expect({ status: answer?.status, others, calls }).toEqual({ status: 400, others: [], calls: 0 })
  })

  it('is ignored without a log line if the client disconnects', async () => {
    for (const head of ['Content-Length: 500', 'Transfer-Encoding: chunked']) {
      const connection = await RawConnection.open(app.port)
      const lines = ['Content-Type: application/json', head]
      const text = request('/texts', lines, { method: 'POST', body: '5\r\n{"tex' })
      const received = app.accepted() + text.length
      connection.write(text)
      await until(() => app.accepted() === received)
      connection.socket.resetAndDestroy()
    }
    await until(async () => (await countConnections(app.app.server)) === 0)
    await turns()
    expect({ calls, logged: app.logged }).toEqual({ calls: 0, logged: [] })
  })
})

describe('a GET request with a body', () => {
  it('receives a response, and the next request on the connection is read correctly', async () => {
    const connection = await RawConnection.open(app.port)
    const keep = ['Connection: keep-alive']
    const hidden = request('/nowhere', keep)
    connection.write(
      request('/texts', [...keep, `Content-Length: ${hidden.length}`], { body: hidden }),
    )
    connection.write(request('/texts', [...keep, ...CHUNKED], { body: chunked(hidden) }))
    connection.write(request('/texts'))
    await connection.ended()
    const answers = await connection.answers(3)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })
})
