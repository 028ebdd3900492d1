import {
  ConflictError,
  Controller,
  defineControllers,
  Get,
  type Middleware,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

/** Headers that a handler sets before it throws. The values are different from those of any error response. */
const MEANT: Record<string, string> = {
  'Content-Type': 'text/csv',
  'Content-Encoding': 'br',
  'Content-Language': 'de',
  'Content-Range': 'bytes 0-1/2',
  'Content-Disposition': 'attachment',
  'Cache-Control': 'max-age=3600',
  Expires: 'Thu, 01 Jan 2099 00:00:00 GMT',
  ETag: '"one"',
  'Last-Modified': 'Thu, 01 Jan 2015 00:00:00 GMT',
  Location: '/elsewhere',
  Trailer: 'X-Sum',
}

@Controller()
class Failing {
  @Get('all') all(_req: Request, res: Response) {
    res.set({ ...MEANT, 'X-Mine': 'stays', 'Content-Length': '7' })
    throw new ConflictError('taken')
  }

  @Get('one/:name') one({ params }: Request, res: Response) {
    const name = String(params['name'])
    res.set(name, MEANT[name] as string)
    throw new ConflictError('taken')
  }

  @Get('plain') plain() {
    throw new ConflictError('taken')
  }
}

const controllers = defineControllers(Failing)
const start = (middlewares: Middleware[] = []) =>
  TestApp.create({ controllers, middlewares, logger: false, contract: 'off' })

describe('an error response', () => {
  it.each(Object.keys(MEANT))(
    'does not keep the value of %s that the handler set before it threw',
    async (name) => {
      await using app = await start()
      for (const target of [`/one/${name}`, '/all']) {
        const { status, headers, body } = await app.request().get(target)
        expect([status, body.message]).toEqual([409, 'taken'])
        expect(headers[name.toLowerCase()]).not.toBe(MEANT[name])
      }
    },
  )

  it('keeps a custom header of the handler, and has its own Content-Length and Content-Type', async () => {
    await using app = await start()
    const { headers, text } = await app.request().get('/all')
    expect(headers).toMatchObject({
      'x-mine': 'stays',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
    })
    const known = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'x-mine']
    expect(Object.keys(headers).filter((name) => !known.includes(name))).toEqual([])
  })
})

describe('the requestId in an error response', () => {
  const name =
    (id: unknown): Middleware =>
    (req, _res, next) => {
      Object.assign(req, { id })
      next()
    }

  it.each<[string, unknown, string | undefined]>([
    ['a string', 'abc', 'abc'],
    ['a number', 7, '7'],
    ['zero', 0, '0'],
    ['a string of 128 characters', 'x'.repeat(128), 'x'.repeat(128)],
    ['a string of 129 characters', `${'x'.repeat(128)}y`, 'x'.repeat(128)],
    ['a string of 200 characters', 'x'.repeat(200), 'x'.repeat(128)],
    ['an object', { toString: () => 'abc' }, undefined],
    ['a boolean', true, undefined],
    ['undefined', undefined, undefined],
  ])(
    'is a string of at most 128 characters, or absent, when req.id is %s',
    async (_, id, expected) => {
      await using app = await start([name(id)])
      const { body } = await app.request().get('/plain')
      expect(body.requestId).toBe(expected)
      expect('requestId' in body).toBe(expected !== undefined)
      const problem = await app.request().get('/plain').set('Accept', 'application/problem+json')
      expect(JSON.parse(problem.text ?? JSON.stringify(problem.body)).requestId).toBe(expected)
    },
  )
})
