import {
  Controller,
  defineControllers,
  Get,
  type Middleware,
  NotFoundError,
  type Response,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'

const bug = new Error('a bug')

@Controller('users')
class Users {
  @Get(':id') get() {
    throw bug
  }

  @Get('missing/:id') missing() {
    throw new NotFoundError('No such user')
  }

  @Get('unsendable/:id') unsendable() {
    throw new NotFoundError('No text', {
      errors: [{ in: 'params', path: 'id', message: 1n as never }],
    })
  }

  @Get('half/:id') half(_req: unknown, res: Response) {
    res.write('half')
    throw bug
  }

  @Get('half-failed/:id') halfFailed(_req: unknown, res: Response) {
    res.status(500).write('half')
    throw bug
  }

  @Get('never/:id') never() {
    return new Promise(() => {})
  }
}

let app: TestApp
afterEach(() => app.close())

async function start(middlewares: Middleware[], options: TestOptions = {}) {
  const logged: Record<string, unknown>[] = []
  const logger = {
    info() {},
    warn() {},
    error: (facts: object) => void logged.push(facts as Record<string, unknown>),
  }
  const controllers = defineControllers(Users)
  app = await TestApp.create({ controllers, logger, middlewares, contract: 'off', ...options })
  return logged
}

const answer =
  (status?: number): Middleware =>
  (error, _req, res, _next) =>
    void res.status(status ?? error.status ?? 500).json({ rendered: true })
const answerLater: Middleware = async (_error, _req, res, _next) => {
  await new Promise(setImmediate)
  res.status(500).json({ rendered: true })
}
const stream: Middleware = (_error, _req, res, _next) => {
  res.status(500).write('sorry')
  setImmediate(() => res.end())
}
const passOn: Middleware = (error, _req, _res, next) => next(error)

describe('an error of a handler', () => {
  it.each<[string, Middleware[]]>([
    ['at once', [answer()]],
    ['later', [answerLater]],
    ['in pieces', [stream]],
    ['by the second error middleware', [passOn, answer(503)]],
    [
      'before the error is passed on',
      [
        (error, _req, res, next) => {
          res.status(500).json({})
          next(error)
        },
      ],
    ],
    [
      'some time before the error is passed on',
      [
        (error, _req, res, next) => {
          res.status(500).json({})
          setImmediate(next, error)
        },
      ],
    ],
    ['by the framework after a middleware passes the error on', [passOn]],
  ])('is logged once if a 5xx response is sent %s', async (_, middlewares) => {
    const logged = await start(middlewares)
    expect((await app.request().get('/users/7')).status).toBeGreaterThanOrEqual(500)
    await new Promise(setImmediate)
    expect(logged).toMatchObject([{ err: bug, status: expect.any(Number), url: '/users/7' }])
  })

  it('is not logged if its middleware has set a status below 500', async () => {
    const denied: Middleware = (_req, res, next) => {
      res.status(403)
      next(new Error('denied'))
    }
    const logged = await start([denied, passOn])
    expect((await app.request().get('/users/7')).status).toBe(403)
    expect(logged).toEqual([])
  })

  it('is logged once, and an error that a middleware passes on instead is logged once too', async () => {
    const other = new Error('in other words', { cause: bug })
    const logged = await start([(_error, _req, _res, next) => next(other), answer()])
    await app.request().get('/users/7')
    expect(logged).toMatchObject([
      { err: bug, status: 500 },
      { err: other, status: 500 },
    ])
  })

  it('is logged if it is a 404 error but a middleware responds with 500', async () => {
    const logged = await start([answer(500)])
    await app.request().get('/users/missing/7')
    expect(logged).toMatchObject([{ err: { message: 'No such user' }, status: 500 }])
  })

  it('is logged if it is a HANDLER_TIMEOUT error', async () => {
    const logged = await start([answer()], { timeouts: { handler: '10ms' } })
    expect((await app.request().get('/users/never/7')).status).toBe(503)
    expect(logged).toMatchObject([{ err: { code: 'HANDLER_TIMEOUT' }, status: 503 }])
  })

  it.each<[string, Middleware]>([
    ['responds with 400', answer(400)],
    ['responds with 200', (_error, _req, res, _next) => res.json({ fine: true })],
    ['ends the connection', (_error, _req, res, _next) => res.destroy()],
    ['calls next()', (_error, _req, _res, next) => next()],
  ])('is logged before it reaches a middleware that %s', async (_, middleware) => {
    let seen: number | undefined
    const logged: object[] = await start([
      (error, _req, _res, next) => {
        seen = logged.length
        next(error)
      },
      middleware,
    ])
    await app
      .request()
      .get('/users/7')
      .catch(() => {})
    expect(seen).toBe(1)
    expect(logged).toMatchObject([{ err: bug, status: 500 }])
  })

  it('is logged if it is a 404 error that cannot be sent and is replaced by a 500 error', async () => {
    const logged = await start([])
    expect((await app.request().get('/users/unsendable/7')).status).toBe(500)
    expect(logged).toMatchObject([{ err: { message: 'No text' }, status: 500 }])
  })

  it('is not logged if it is a 404 error and the response has status 400', async () => {
    const logged = await start([answer(400)])
    await app.request().get('/users/missing/7')
    expect(logged).toEqual([])
  })

  it.each<[string, string, Middleware[]]>([
    ['with status 200', 'half', [passOn]],
    ['with status 500', 'half-failed', [passOn]],
    ['with status 500, without an error middleware', 'half-failed', []],
    [
      'with status 500, and a middleware ends the response',
      'half-failed',
      [(_error, _req, res, _next) => res.end()],
    ],
  ])('is logged once if a part of the response has been sent: %s', async (_, path, middlewares) => {
    const logged = await start(middlewares)
    await app
      .request()
      .get(`/users/${path}/7`)
      .then(
        () => {},
        () => {},
      )
    await new Promise(setImmediate)
    expect(logged).toMatchObject([{ err: bug }])
  })
})

describe('a logged failure', () => {
  const naming: Middleware = (req, _res, next) => {
    req.id = req.query.id === 'number' ? 17 : 'r-17'
    next()
  }

  it('contains the route pattern and the requestId', async () => {
    const logged = await start([naming])
    await app.request().get('/users/7?x=1')
    await app.request().get('/users/7?id=number')
    const facts = { err: bug, method: 'GET', route: '/users/:id', status: 500 }
    expect(logged).toEqual([
      { ...facts, url: '/users/7?x=1', requestId: 'r-17' },
      { ...facts, url: '/users/7?id=number', requestId: '17' },
    ])
  })

  it('contains the requestId of the error response even if req.id is not set', async () => {
    const logged = await start([])
    const { body } = await app.request().get('/users/7')
    expect(body.requestId).toMatch(/^[\da-f-]{36}$/)
    expect(logged).toMatchObject([{ err: bug, requestId: body.requestId }])
  })

  it.each<[string, Middleware]>([
    [
      'is an object',
      (req, _res, next) => {
        req.id = { toString: () => 'x' }
        next()
      },
    ],
    [
      'has a getter that throws',
      (req, _res, next) => {
        Object.defineProperty(req, 'id', {
          get() {
            throw new Error('no id')
          },
        })
        next()
      },
    ],
  ])('contains no requestId if req.id %s', async (_, middleware) => {
    const logged = await start([middleware])
    await app.request().get('/users/7')
    expect(logged).toEqual([
      { err: bug, method: 'GET', url: '/users/7', route: '/users/:id', status: 500 },
    ])
  })

  it('contains no route if the error comes from a middleware or an Express router', async () => {
    const router = express.Router().get('/old/:id', () => {
      throw bug
    })
    const logged = await start([
      (req, _res, next) => (req.path === '/early' ? next(bug) : next()),
      router as unknown as Middleware,
    ])
    for (const path of ['/early', '/old/7'])
      expect((await app.request().get(path)).status).toBe(500)
    expect(logged).toEqual([
      { err: bug, method: 'GET', url: '/early', requestId: expect.any(String), status: 500 },
      { err: bug, method: 'GET', url: '/old/7', requestId: expect.any(String), status: 500 },
    ])
  })
})
