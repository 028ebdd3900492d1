import {
  BaseController,
  Controller,
  defineControllers,
  Get,
  HttpError,
  type RequestHandler,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { canWriteHeaderLines } from '../../src/http/send/wire-text.js'

@Controller('answer')
class AnswerController extends BaseController {
  @Get()
  answer() {
    return { n: 1 }
  }
}

describe('a response with static headers', () => {
  let app: TestApp
  const start = async (middleware: RequestHandler) => {
    const controllers = defineControllers(AnswerController)
    const security = { helmet: true }
    app = await TestApp.create({ controllers, security, middlewares: [middleware] })
    return app.request().get('/answer')
  }
  afterEach(() => app.close())

  it('sends the static headers unchanged if no code changes a header', async () => {
    const { headers } = await start((_req, _res, next) => next())
    expect(headers['x-frame-options']).toBe('SAMEORIGIN')
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(Number(headers['content-length'])).toBeGreaterThan(0)
  })

  it('sends the static headers that were not removed, and the headers that were set', async () => {
    const { headers } = await start((_req, res, next) => {
      res.setHeader('X-Own', 'yes')
      res.removeHeader('X-Frame-Options')
      next()
    })
    expect(headers['x-own']).toBe('yes')
    expect(headers['x-frame-options']).toBeUndefined()
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('calls the `writeHead` with which a middleware has replaced its own', async () => {
    const { headers } = await start((_req, res, next) => {
      const { writeHead } = res
      res.writeHead = (...args: unknown[]) => {
        res.setHeader('X-Late', String(res.getHeader('X-Frame-Options')))
        return writeHead.apply(res, args)
      }
      next()
    })
    expect(headers['x-late']).toBe('SAMEORIGIN')
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it.each<[string, RequestHandler, Record<string, string | undefined>]>([
    ['set before', (_req, res, next) => next(void res.setHeader('x-frame-options', 'DENY')), {}],
    [
      'set again after it was removed',
      (_req, res, next) => {
        res.removeHeader('X-Frame-Options')
        res.setHeader('X-FRAME-OPTIONS', 'DENY')
        next()
      },
      {},
    ],
    [
      'given to writeHead',
      (_req, res) => void res.writeHead(200, { 'x-frame-options': 'DENY' }).end(),
      {},
    ],
    [
      'given to writeHead after another header was set',
      (_req, res) => {
        res.setHeader('X-Own', 'yes')
        res.writeHead(200, 'Fine', { 'X-Frame-Options': 'DENY' }).end()
      },
      { 'x-own': 'yes' },
    ],
    [
      'given to writeHead by a wrapper that names all of its parameters',
      (_req, res) => {
        const { writeHead } = res
        res.writeHead = (status: number, reason?: unknown, headers?: unknown) =>
          writeHead.apply(res, [status, reason, headers] as never)
        res.writeHead(200, { 'X-Frame-Options': 'DENY' }).end()
      },
      {},
    ],
    [
      'given to writeHead after an invalid status was refused',
      (_req, res) => {
        expect(() => res.writeHead(99)).toThrow(RangeError)
        res.writeHead(200, { 'X-Frame-Options': 'DENY' }).end()
      },
      {},
    ],
    [
      'set before the body is streamed',
      (_req, res) => void res.set('X-Frame-Options', 'DENY').write('a', () => res.end()),
      {},
    ],
  ])('sends a static header once if it is %s', async (_how, middleware, others) => {
    const { headers } = await start(middleware)
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', ...others })
    // If the header were sent twice, the client would join its values.
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('sends no static headers if a middleware removes all of them', async () => {
    const { headers } = await start((_req, res, next) => {
      for (const name of res.getHeaderNames()) res.removeHeader(name)
      next()
    })
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers).not.toHaveProperty('x-frame-options')
  })

  it('returns the sent headers after it has finished', async () => {
    let seen: unknown
    await start((_req, res, next) => {
      res.removeHeader('X-Frame-Options')
      res.once('finish', () => {
        seen = [res.getHeader('x-content-type-options'), res.getHeaderNames().includes('vary')]
        seen = [...(seen as unknown[]), res.getHeaders()['x-frame-options']]
      })
      next()
    })
    await expect.poll(() => seen).toEqual(['nosniff', false, undefined])
  })
})

describe('the static headers of a response', () => {
  const started: TestApp[] = []
  afterEach(async () => {
    await Promise.all(started.splice(0).map((app) => app.close()))
  })
  /** The result of `look` in a middleware, and the headers that the client receives. */
  async function read(look: (res: Response) => unknown) {
    const security = { helmet: true }
    let seen: unknown
    const middleware: RequestHandler = (_req, res: Response, next) => {
      seen = look(res)
      next()
    }
    const controllers = defineControllers(AnswerController)
    const app = await TestApp.create({ controllers, security, middlewares: [middleware] })
    started.push(app)
    const answer = await app.request().get('/answer')
    return { seen, headers: answer.headers as Record<string, string> }
  }
  const raw = (res: object) => (res as { getRawHeaderNames(): string[] }).getRawHeaderNames()

  it('are listed in their original spelling', async () => {
    const { seen, headers } = await read((res) => {
      res.removeHeader('X-Frame-Options')
      res.setHeader('x-OWN', 'yes')
      return { raw: raw(res), names: res.getHeaderNames(), all: Object.keys(res.getHeaders()) }
    })
    const { raw: spelt, names, all } = seen as Record<string, string[]>
    expect(spelt).toContain('X-Content-Type-Options')
    expect(spelt).toContain('x-OWN')
    expect(spelt).not.toContain('X-Frame-Options')
    expect(spelt?.map((name) => name.toLowerCase()).sort()).toEqual(names?.toSorted())
    expect(names).toEqual(all)
    for (const name of names ?? []) expect(headers).toHaveProperty(name)
    expect(headers).not.toHaveProperty('x-frame-options')
  })

  it('are still listed after the head was sent', async () => {
    let after: string[] = []
    await read((res) => {
      res.removeHeader('X-Frame-Options')
      res.once('finish', () => {
        after = raw(res)
      })
    })
    await expect.poll(() => after).toContain('X-Content-Type-Options')
    expect(after).toContain('Content-Type')
    expect(after).not.toContain('X-Frame-Options')
    expect(new Set(after.map((name) => name.toLowerCase())).size).toBe(after.length)
  })

  it.each<[string, (res: Response) => unknown]>([
    [
      'setHeaders',
      (res) => {
        const { setHeaders } = res as unknown as { setHeaders(headers: Map<string, string>): void }
        setHeaders.call(res, new Map([['x-frame-options', 'DENY']]))
      },
    ],
    [
      'flushHeaders',
      (res) => {
        res.set('X-Frame-Options', 'DENY').flushHeaders()
        res.end('{}')
      },
    ],
    [
      'writeHead with a list',
      (res) => res.writeHead(200, ['X-Frame-Options', 'DENY'] as never).end('{}'),
    ],
  ])('are replaced, not repeated, by %s', async (_name, look) => {
    const { headers } = await read(look)
    expect(headers['x-frame-options']).toBe('DENY')
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('are joined with a value from appendHeader', async () => {
    const { headers } = await read((res) => res.appendHeader('X-Frame-Options', 'DENY'))
    expect(headers['x-frame-options']).toBe('SAMEORIGIN, DENY')
  })
})

describe('a response without static headers', () => {
  it('has only one Content-Type if its first head was refused', async () => {
    const app = await TestApp.create({
      controllers: defineControllers(AnswerController),
      security: { helmet: false },
      middlewares: [
        (_req, res, next) => {
          res.statusMessage = 'no\r\nX-Injected: 1'
          next()
        },
      ],
    })
    const { headers, status } = await app.request().get('/answer')
    expect(status).toBe(500)
    expect(headers).not.toHaveProperty('x-injected')
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    await app.close()
  })
})

describe('an error in a middleware', () => {
  const failed = async (middleware: RequestHandler) => {
    const controllers = defineControllers(AnswerController)
    const app = await TestApp.create({ controllers, middlewares: [middleware] })
    try {
      return await app.request().get('/answer')
    } finally {
      await app.close()
    }
  }

  it.each([
    ['Content-Encoding', 'gzip'],
    ['Content-Language', 'de'],
    ['Content-Range', 'bytes 0-1/2'],
    ['Content-Disposition', 'attachment'],
    ['Cache-Control', 'max-age=60'],
    ['Expires', 'Sun, 09 Sep 2001 01:46:40 GMT'],
    ['ETag', '"1"'],
    ['Last-Modified', 'Sun, 09 Sep 2001 01:46:40 GMT'],
    ['Location', '/elsewhere'],
    ['Transfer-Encoding', 'chunked'],
    ['Trailer', 'X-Sum'],
  ])('results in a 500 response without the header %s that was set before', async (name, value) => {
    const { headers, status, body } = await failed((_req, res) => {
      res.setHeader(name, value)
      res.setHeader('X-Kept', 'kept')
      throw new Error('before the first piece')
    })
    expect([status, body.code, headers['x-kept']]).toEqual([500, 'INTERNAL_SERVER_ERROR', 'kept'])
    expect(headers).not.toHaveProperty(name.toLowerCase())
  })

  it('results in a response with its own type, length and reason phrase', async () => {
    const answer = await failed((_req, res) => {
      res.statusMessage = 'Fine'
      res.type('text/plain').set('Content-Length', '3')
      throw new Error('before the first piece')
    })
    const { headers, text } = answer
    const { res } = answer as unknown as { res: { statusMessage: string } }
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
    expect(res.statusMessage).toBe('Internal Server Error')
  })

  it('results in a response with each value of a header of the error, and without missing values', async () => {
    const given = { 'Set-Cookie': ['a=1', 'b=2'], 'X-None': undefined, 'X-Number': 7 }
    const { headers, status } = await failed(() => {
      throw new HttpError(400, 'No', { headers: given as never })
    })
    expect([status, headers['set-cookie'], headers['x-number']]).toEqual([400, ['a=1', 'b=2'], '7'])
    expect(headers).not.toHaveProperty('x-none')
  })

  it('closes the connection if no response can be sent', async () => {
    const answer = failed((_req, res, next) => {
      res.writeHead = () => {
        throw new Error('no head is good enough')
      }
      next()
    })
    await expect(answer).rejects.toThrow(/socket hang up|ECONNRESET/)
  })
})

describe('static headers', () => {
  it('are checked when the application starts', async () => {
    const policy = { contentSecurityPolicy: { directives: { defaultSrc: ["'self'\u20ac"] } } }
    const starting = TestApp.create({
      controllers: defineControllers(AnswerController),
      security: { helmet: policy },
    })
    await expect(starting).rejects.toThrow(/Content-Security-Policy/)
  })

  it('can be written as text on this version of Node', () => {
    expect(canWriteHeaderLines()).toBe(true)
  })
})
