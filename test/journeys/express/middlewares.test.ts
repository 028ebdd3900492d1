import type { Middleware, Request } from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

describe('middlewares', () => {
  const apps = appsOfTest()
  const start = (...middlewares: Middleware[]) => apps.inProcess({ middlewares })

  it('run in order, for every request, before the route', async () => {
    const seen: string[] = []
    const note = (name: string): Middleware => {
      return async (req, _res, next) => {
        await null
        seen.push(`${name} ${req.method} ${req.originalUrl}`)
        next()
      }
    }
    const app = await start(note('a'), note('b'))
    await app.request().get('/items/1?x=2')
    await app.request().post('/missing')
    expect(seen).toEqual([
      'a GET /items/1?x=2',
      'b GET /items/1?x=2',
      'a POST /missing',
      'b POST /missing',
    ])
  })

  it('can send the response, and then no route runs', async () => {
    const answer: Middleware = (_req, res) => res.status(203).send('enough')
    // The response of the middleware is not in the document.
    const app = await apps.inProcess({ middlewares: [answer], contract: 'off' })
    const { status, text } = await app.request().get('/items/1')
    expect([status, text]).toEqual([203, 'enough'])
  })

  it.each([
    [
      'throw an error',
      () => {
        throw new Error('no')
      },
    ],
    [
      'throw undefined',
      () => {
        throw undefined
      },
    ],
    [
      'throw false',
      () => {
        throw false
      },
    ],
    [
      "throw 'route'",
      () => {
        throw 'route'
      },
    ],
    ['reject', () => Promise.reject(new Error('no'))],
    ['reject with undefined', () => Promise.reject()],
    ['reject with null', () => Promise.reject(null)],
    ["reject with 'router'", () => Promise.reject('router')],
    [
      'return a thenable that rejects',
      () => ({ then: (_: unknown, reject: () => void) => reject() }),
    ],
  ])('cause a 500 response without running the route if they %s', async (_, fail) => {
    const app = await start((_req, _res, _next) => fail())
    const { status, body } = await app.request().get('/items/1')
    expect(status).toBe(500)
    expect(body).toMatchObject({ statusCode: 'error', code: 'INTERNAL_SERVER_ERROR' })
  })

  it("cause a 404 response with next('router'), as in an Express application", async () => {
    const app = await start((_req, _res, next) => next('router'))
    expect((await app.request().get('/items/1')).status).toBe(404)
  })

  it('cause a single response if they call next() and then fail', async () => {
    const app = await start(async (_req, _res, next) => {
      next()
      throw new Error('after next')
    })
    const { status, body } = await app.request().get('/items/1')
    expect({ status, data: body.data }).toEqual({ status: 200, data: { id: '1' } })
  })

  it('cause a single response if they call next() twice', async () => {
    const app = await start((_req, _res, next) => {
      next()
      next()
      next(new Error('late'))
    })
    expect((await app.request().get('/items/1')).status).toBe(200)
  })

  it('share res.locals and custom fields of req with later middlewares', async () => {
    const app = await start(
      (req, res, next) => {
        req.trace = 'abc'
        res.locals.user = 'ann'
        next()
      },
      (req, res, next) => (req.path === '/show' ? res.json([req.trace, res.locals]) : next()),
    )
    expect((await app.request().get('/show')).body).toEqual(['abc', { user: 'ann' }])
  })

  it('can change URL and method before the route is matched', async () => {
    const app = await start((req: Request, _res: unknown, next: () => void) => {
      if (req.query.id !== undefined) req.url = `/items/${req.query.id}`
      req.method = 'GET'
      next()
    })
    const { body } = await app.request().post('/go?id=9')
    expect(body.data).toEqual({ id: '9' })
  })

  it('determine the requestId of an error response with req.id', async () => {
    const app = await start((req, _res, next) => {
      req.id = 'r-1'
      next()
    })
    expect((await app.request().get('/missing')).body.requestId).toBe('r-1')
  })
})
