import type { Server } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { Body, Controller, defineControllers, Get, Post, type Request } from 'blazon'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { until } from '../../integrations/until.js'
import { turns } from '../turns.js'
import { expectFailure, type ListeningApp, start } from './listening-app.js'
import { exchange, post, RawConnection, request } from './raw-connection.js'

const LIMIT = 1000
const MIB = 1024 * 1024

let calls = 0

@Controller()
class TextsController {
  @Post('texts')
  @Body(z.object({ text: z.string() }))
  create(req: Request) {
    calls++
    return req.body.text.length
  }

  @Post('optional')
  @Body(z.object({}).optional())
  optional(req: Request) {
    calls++
    return { isAbsent: req.body === undefined }
  }

  @Post('free')
  free(req: Request) {
    return { isAbsent: req.body === undefined }
  }

  @Get('texts')
  list() {
    return []
  }
}

let app: ListeningApp

beforeEach(async () => {
  calls = 0
  const controllers = defineControllers(TextsController)
  app = await start({ controllers, limits: { body: LIMIT } })
})

function countConnections(server: Server): Promise<number> {
  return promisify(server.getConnections.bind(server))()
}

/** JSON of exactly this number of bytes. */
function json(bytes: number): string {
  return JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) })
}

function chunked(body: string, size = 300): string {
  const chunks = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
  const coded = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  return `${coded.join('')}0\r\n\r\n`
}

const CHUNKED = ['Content-Type: application/json', 'Transfer-Encoding: chunked']

describe('a body that arrives before the framework reads it', () => {
  it('leaves the connection open when it is refused', async () => {
    const answers = await exchange(
      app.port,
      post('/texts', '{"text":', ['Connection: keep-alive']) +
        post('/texts', '{"text":7}', ['Connection: keep-alive']) +
        post('/texts', json(20)),
    )
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 200])
  })

  it('is read whole when it arrives in parts while a middleware waits', async () => {
    let sendRest = () => {}
    const waiting = await start({
      controllers: defineControllers(TextsController),
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
  it('may be exactly the limit, with Content-Length or chunked', async () => {
    const [announced] = await exchange(app.port, post('/texts', json(LIMIT)))
    const body = chunked(json(LIMIT))
    const [unannounced] = await exchange(
      app.port,
      request('/texts', CHUNKED, { method: 'POST', body }),
    )
    expect([announced?.status, unannounced?.status]).toEqual([200, 200])
    expect(calls).toBe(2)
  })

  it('gets a 413 and a close for a Content-Length one byte above the limit', async () => {
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

  it('gets a 413 and a close for chunks one byte above the limit', async () => {
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

  it('gets a 413 before a chunked body has ended', async () => {
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
    ['announced', [`Content-Length: ${1024 * MIB}`], Buffer.alloc(64 * 1024, 'x')],
    ['chunked', ['Transfer-Encoding: chunked'], Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)],
  ])('that is %s is received up to about a megabyte', async (_, lines, chunk) => {
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
    ['announced', post('/texts', json(600_000))],
    ['chunked', request('/texts', CHUNKED, { method: 'POST', body: chunked(json(600_000)) })],
  ])(
    'that is %s and small is received whole before the connection ends without an error',
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

  it('closes the connection after 404, 405 and 415', async () => {
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

describe('a content coding', () => {
  // The best quality takes seconds for the largest body.
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
  const compress = {
    gzip: (data: string | Buffer) => gzipSync(data),
    deflate: (data: string | Buffer) => deflateSync(data),
    br: (data: string | Buffer) => brotliCompressSync(data, brotli),
  }

  function coded(coding: string, body: Buffer) {
    return exchange(
      app.port,
      post('/texts', body.toString('latin1'), [`Content-Encoding: ${coding}`]),
    )
  }

  it.each(Object.entries(compress))('%s is decoded', async (coding, encode) => {
    const [answer] = await coded(coding.toUpperCase(), encode(json(LIMIT)))
    expect({ status: answer?.status, calls }).toEqual({ status: 200, calls: 1 })
  })

  it.each(Object.entries(compress))(
    '%s that decodes to more than the limit is 413',
    async (coding, encode) => {
      expectFailure((await coded(coding, encode(json(LIMIT + 1))))[0], 413, 'PAYLOAD_TOO_LARGE')
      const bomb = encode(Buffer.alloc(100 * MIB))
      const [answer] = await coded(coding, bomb.length > LIMIT ? bomb.subarray(0, LIMIT) : bomb)
      expectFailure(answer, 413, 'PAYLOAD_TOO_LARGE')
      expect(calls).toBe(0)
    },
  )

  it.each(Object.entries(compress))(
    '%s that is corrupt or incomplete is 400',
    async (coding, encode) => {
      const good = encode(json(900))
      const cut = good.subarray(0, good.length - 5)
      for (const body of [Buffer.from('{"text":"plain"}'), cut]) {
        expectFailure((await coded(coding, body))[0], 400, 'MALFORMED_BODY')
      }
      expect(calls).toBe(0)
    },
  )

  it.each(['gzip, gzip', 'br, gzip', 'zstd', 'compress', 'x', '__proto__', 'constructor', ','])(
    '%j is 415',
    async (coding) => {
      const [answer] = await coded(coding, gzipSync(gzipSync(json(50))))
      expectFailure(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
      expect(calls).toBe(0)
    },
  )
})

describe('the type of a body', () => {
  const body = json(50)

  function typed(...types: string[]) {
    const lines = types.map((type) => `Content-Type: ${type}`)
    lines.push(`Content-Length: ${body.length}`)
    return exchange(app.port, request('/texts', lines, { method: 'POST', body }))
  }

  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/vnd.api+json',
    'application/merge-patch+json',
    'application/json;',
    'application/json ; ; ',
    'application/json; profile="https://example.com/a;b"',
    'application/json;profile="a\\"; charset=latin1"; charset=utf-8',
    'Application/JSON; Odata.Metadata=minimal;CharSet="UTF-8" ; q=1;',
    'application/json\t;\tv=1',
    'application/vnd.api+json; ext="https://example.com/bulk"; charset=utf-8',
  ])('%j is JSON', async (type) => {
    expect((await typed(type))[0]?.status).toBe(200)
  })

  it.each([
    [''],
    ['application/json\tx'],
    ['application/json garbage'],
    ['application/json; garbage'],
    ['application/json; a=b garbage'],
    ['application/json; a=b, text/plain'],
    ['application/json; a="b'],
    ['application/json; a="b"c'],
    ['application/json; a ="b"'],
    ['application/json; =b'],
    ['application/json; charset'],
    ['application/json; charset='],
    ['application/json; charset=""'],
    ['application/json; charset="utf-16"'],
    ['application/json; charset=utf-8x'],
    ['application/json; profile=a; charset=latin1'],
    ['application/json; CHARSET=latin1; charset=utf-8'],
    [`application/json;${' ;\t'.repeat(4000)}x`],
    ['application/json,text/plain'],
    ['application/json; charset=utf-7'],
    ['application/json; charset=utf-16'],
    ['application/json; charset=latin1'],
    ['application/json; charset=utf-8; charset=utf-7'],
    ['application/jsonx'],
    ['application/x+json+xml'],
    ['text/json'],
    ['text/plain'],
    ['multipart/form-data; boundary=x'],
    ['application/x-www-form-urlencoded'],
    ['*/*'],
    ['application/json\u00a0'],
    ['text/plain', 'application/json'],
  ])('%j is 415', async (...types) => {
    expectFailure((await typed(...types))[0], 415, 'UNSUPPORTED_MEDIA_TYPE')
    expect(calls).toBe(0)
  })

  it('is 415 when it is missing, with Content-Length or chunked', async () => {
    expectFailure((await typed())[0], 415, 'UNSUPPORTED_MEDIA_TYPE')
    const lines = ['Transfer-Encoding: chunked']
    const [answer] = await exchange(
      app.port,
      request('/texts', lines, { method: 'POST', body: chunked(body) }),
    )
    expectFailure(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
  })
})

describe('an empty body', () => {
  const ask = async (path: string, lines: readonly string[], body = '') =>
    (await exchange(app.port, request(path, lines, { method: 'POST', body })))[0]

  it.each([
    ['no length', []],
    ['no length, with a type', ['Content-Type: application/json']],
    ['a length of 0', ['Content-Length: 0']],
    ['a length of 0 and another type', ['Content-Length: 0', 'Content-Type: text/plain']],
  ])('with %s is absent, and validated as undefined', async (_, lines) => {
    const refused = await ask('/texts', lines)
    expect(expectFailure(refused, 400, 'VALIDATION_FAILED')['errors']).toMatchObject([
      { in: 'body', path: '' },
    ])
    const taken = await ask('/optional', lines)
    expect(JSON.parse(taken?.text ?? '').data).toEqual({ isAbsent: true })
  })

  it.each([
    ['a length of 0', ['Content-Length: 0', 'Content-Type: application/json'], ''],
    ['a length of 00', ['Content-Length: 00', 'Content-Type: application/json'], ''],
    ['a parameter', ['Content-Length: 0', 'Content-Type: application/vnd.a+json; v=1'], ''],
    ['no chunks', CHUNKED, '0\r\n\r\n'],
  ])('with a JSON type and %s is malformed when the route has @Body', async (_, lines, body) => {
    for (const path of ['/texts', '/optional']) {
      const failure = expectFailure(await ask(path, lines, body), 400, 'MALFORMED_JSON')
      expect(failure['message']).toContain('send no Content-Type')
    }
    expect(calls).toBe(0)
    const free = await ask('/free', lines, body)
    expect(JSON.parse(free?.text ?? '').data).toEqual({ isAbsent: true })
  })

  it('that a middleware has read is absent, not malformed', async () => {
    const taking = await start({
      controllers: defineControllers(TextsController),
      middlewares: [(req, _res, next) => void req.resume().on('end', () => next())],
    })
    const [answer] = await exchange(taking.port, post('/optional', '{}'))
    expect(JSON.parse(answer?.text ?? '').data).toEqual({ isAbsent: true })
  })
})

describe('an incomplete body', () => {
  it('gets one 400 when the client half-closes the connection', async () => {
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

  it('is dropped without a log when the client disconnects', async () => {
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

describe('a GET with a body', () => {
  it('gets a response, and the next request on the connection is read from its start', async () => {
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
