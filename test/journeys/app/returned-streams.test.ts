import { PassThrough, Readable, Stream, Writable } from 'node:stream'
import { Controller, fileResponse, Get, type Request, type Response as Res } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { errors, handler, start } from './values-app.js'

describe('a returned Response', () => {
  it('keeps its status, headers, cookies and body', async () => {
    const app = await start()
    handler.make = () => {
      const headers = new Headers({ 'X-Own': 'yes', 'Transfer-Encoding': 'none', Vary: 'Accept' })
      headers.append('Set-Cookie', 'a=1')
      headers.append('Set-Cookie', 'b=2')
      return Response.json({ teapot: true }, { status: 418, headers })
    }
    const response = await app.fetch('/values')
    const { status, headers } = response
    expect([status, await response.json()]).toEqual([418, { teapot: true }])
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    const names = ['x-own', 'vary', 'content-type', 'transfer-encoding']
    expect(names.map((name) => headers.get(name))).toEqual([
      'yes',
      'Accept',
      'application/json',
      'chunked',
    ])
  })

  it('keeps its own reason phrase, or has the default phrase of its status', async () => {
    const app = await start()
    const reasonOf = async (init: ResponseInit) => {
      handler.make = () => new Response('short', init)
      return (await app.fetch('/values')).statusText
    }
    expect(await reasonOf({ status: 418, statusText: 'Short And Stout' })).toBe('Short And Stout')
    expect(await reasonOf({ status: 418 })).toBe("I'm a Teapot")
    expect(await reasonOf({ status: 200, statusText: 'Fine' })).toBe('Fine')
    expect(await reasonOf({})).toBe('OK')
  })

  it('results in a redirect without a body', async () => {
    const app = await start()
    handler.make = () => Response.redirect('http://example.com/', 303)
    const response = await app.fetch('/values', { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      'http://example.com/',
    ])
    expect(await response.text()).toBe('')
  })

  it('results in a 500 response if its body was read or if it is an error response', async () => {
    const app = await start()
    handler.make = async () => {
      const response = new Response('read')
      await response.text()
      return response
    }
    expect((await app.fetch('/values')).status).toBe(500)
    handler.make = () => Response.error()
    expect((await app.fetch('/values')).status).toBe(500)
    const messages = errors.map(({ err }) => err.message)
    expect(messages).toEqual([
      expect.stringMatching(/has been read/),
      expect.stringMatching(/the status 0/),
    ])
  })
})

describe('a returned value with a status that allows no body', () => {
  const VALUES: [string, () => unknown][] = [
    ['a stream', () => Readable.from(['dropped'])],
    ['a web stream', () => new Blob(['dropped']).stream()],
    ['a file', () => new Blob(['dropped'], { type: 'text/html' })],
    ['a file response', () => fileResponse(Buffer.from('dropped'), { type: 'text/html' })],
  ]

  it.each(VALUES)('is not sent: %s', async (_, value) => {
    @Controller('bodiless')
    class Bodiless {
      @Get(':status') get(req: Request, res: Res) {
        res.status(Number(req.params['status']))
        return value()
      }
    }
    await using app = await TestApp.create({ controllers: [Bodiless], contract: 'off' })
    for (const status of [204, 205, 304]) {
      const response = await app.request().get(`/bodiless/${status}`)
      expect([response.status, response.text]).toEqual([status, ''])
      expect(response.headers).not.toHaveProperty('content-type')
      expect(['0', undefined]).toContain(response.headers['content-length'])
    }
  })
})

describe('a returned body with a Content-Length', () => {
  const stating = (text: string | null, length: number) =>
    new Response(text, { headers: { 'Content-Length': String(length) } })

  it.each<[string, () => Response, RegExp]>([
    [
      'longer than its Content-Length of 4',
      () => stating('some bytes', 4),
      /too many bytes with a Content-Length of 4/,
    ],
    [
      'empty with a Content-Length of 4',
      () => stating('', 4),
      /0 bytes with a Content-Length of 4/,
    ],
    [
      'null with a Content-Length of 4',
      () => stating(null, 4),
      /0 bytes with a Content-Length of 4/,
    ],
  ])('results in a 500 response if it is %s', async (_, value, message) => {
    const app = await start()
    handler.make = value
    const response = await app.fetch('/values')
    expect([response.status, await response.json()]).toMatchObject([500, { status: 500 }])
    expect(errors).toMatchObject([{ err: { message: expect.stringMatching(message) } }])
  })

  it('ends the connection if it is shorter than its Content-Length', async () => {
    const app = await start()
    handler.make = () => stating('some', 10)
    const response = await app.fetch('/values')
    expect(response.headers.get('content-length')).toBe('10')
    await expect(response.text()).rejects.toThrow()
    const message = expect.stringContaining('a body of 4 bytes with a Content-Length of 10')
    expect(errors).toMatchObject([{ err: { message } }])
  })

  it('results in a logged error if it is a stream that is longer than its Content-Length', async () => {
    const app = await start()
    handler.make = () => {
      const chunks = ['some', ' ', 'bytes']
      const headers = { 'Content-Length': '5' }
      return new Response(Readable.toWeb(Readable.from(chunks)) as ReadableStream, { headers })
    }
    const response = await app.fetch('/values')
    await response.text().catch(() => undefined)
    await expect.poll(() => errors).toHaveLength(1)
    expect(errors[0]?.err.message).toContain('too many bytes with a Content-Length of 5')
  })

  it('is sent if its length in bytes is equal to the Content-Length', async () => {
    const app = await start()
    handler.make = () => stating('größer', 8)
    expect(await (await app.fetch('/values')).text()).toBe('größer')
    handler.make = () => stating(null, 0)
    expect(await (await app.fetch('/values')).text()).toBe('')
    expect(errors).toEqual([])
  })
})

describe('a returned stream that fails before its first byte', () => {
  const FAILING: [string, () => unknown, RegExp][] = [
    ['it emits an error', () => failing(new Error('broken')), /broken/],
    ['it is destroyed already', () => new PassThrough().destroy(), /./],
    [
      'its chunks are objects',
      () => Readable.from([{ secret: 1 }]),
      /chunks are neither text nor bytes/,
    ],
    ['other code reads it', locked, /./],
    [
      'it is write-only',
      () => new Writable(),
      /write-only stream: return a readable stream.*PassThrough/,
    ],
  ]

  it.each(FAILING)('results in a 500 response if %s', async (_, value, message) => {
    const app = await start()
    handler.make = value
    const response = await app.fetch('/values')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      500,
      'application/json; charset=utf-8',
    ])
    expect(await response.text()).not.toMatch(/secret|broken/)
    expect(errors).toMatchObject([{ err: { message: expect.stringMatching(message) } }])
  })
})

it('a returned write-only stream is destroyed', async () => {
  const app = await start()
  const stream = new Writable()
  handler.make = () => stream
  expect((await app.fetch('/values')).status).toBe(500)
  expect(stream.destroyed).toBe(true)
})

it('a returned stream of an old package that has no `read` method is sent', async () => {
  const app = await start()
  handler.make = () => {
    const stream = Object.assign(new Stream(), {
      readable: true,
      writable: true,
      write: () => true,
      end: () => {},
      destroy: () => {},
      pause: () => {},
      resume() {
        setImmediate(() => {
          stream.emit('data', 'some bytes')
          stream.emit('end')
        })
        return stream
      },
    })
    return stream
  }
  expect(await (await app.fetch('/values')).text()).toBe('some bytes')
})

function failing(error: Error): Readable {
  return new Readable({
    read() {
      this.destroy(error)
    },
  })
}

function locked(): ReadableStream {
  const stream = new Blob(['x']).stream()
  stream.getReader()
  return stream
}

describe('the handler timeout', () => {
  it('results in a 503 response if a stream has sent nothing', async () => {
    const app = await start({ timeouts: { handler: '5s' } })
    const silent = new PassThrough()
    handler.make = () => silent
    const response = app.fetch('/values')
    await app.clock.advance('6s')
    expect((await response).status).toBe(503)
    expect(silent.destroyed).toBe(true)
  })

  it('does not end a stream that has begun', async () => {
    const app = await start({ timeouts: { handler: '5s' } })
    const stream = new PassThrough()
    stream.write('begun')
    handler.make = () => stream
    const response = await app.fetch('/values')
    await app.clock.advance('1h')
    stream.end(', ended')
    expect(await response.text()).toBe('begun, ended')
  })

  it('destroys a stream that is returned after the time limit', async () => {
    const app = await start({ timeouts: { handler: '5s' } })
    const late = new PassThrough()
    let resolve: (value: unknown) => void = () => {}
    handler.make = () =>
      new Promise((fulfil) => {
        resolve = fulfil
      })
    const response = app.fetch('/values')
    await app.clock.advance('6s')
    expect((await response).status).toBe(503)
    const closed = new Promise((done) => late.once('close', done))
    resolve(late)
    await closed
    expect(late.destroyed).toBe(true)
  })
})
