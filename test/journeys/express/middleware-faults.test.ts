import {
  Controller,
  Get,
  type Middleware,
  NotFoundError,
  type Request,
  type RequestHandler,
  type Response,
} from 'blazon'
import type { ErrorRequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

const apps = appsOfTest('off')

describe('a middleware that throws undefined or null', () => {
  const missing: unknown[] = [undefined, null]
  const ways: [string, (reason: unknown) => RequestHandler][] = [
    [
      'throws',
      (reason) => () => {
        throw reason
      },
    ],
    ['rejects', (reason) => () => Promise.reject(reason) as never],
    [
      'rejects later',
      (reason) => async () => {
        await null
        throw reason
      },
    ],
  ]

  it.each(ways)('results in a 500 response and a log line if it %s', async (_, fail) => {
    for (const reason of missing) {
      const logged: { err: Error }[] = []
      const logger = { info() {}, warn() {}, error: (facts: object) => logged.push(facts as never) }
      const app = await apps.inProcess({ middlewares: [fail(reason)], logger })
      expect((await app.request().get('/items')).status).toBe(500)
      expect(logged.map(({ err }) => err.message)).toEqual(['A middleware threw null or undefined'])
    }
  })
})

describe('the function req.next in a handler', () => {
  it('results in 404, or in the status of a passed error, with and without middlewares', async () => {
    @Controller('own')
    class Own {
      @Get() pass(req: Request, _res: Response) {
        req.next?.()
      }

      @Get('error') fail(req: Request, _res: Response) {
        req.next?.(new NotFoundError('none here'))
      }
    }
    const through: RequestHandler = (_req, _res, next) => next()
    for (const middlewares of [[], [through, through]]) {
      const app = await apps.inProcess({ controllers: [Own], middlewares })
      expect((await app.request().get('/own')).status).toBe(404)
      const { status, body } = await app.request().get('/own/error')
      expect([status, body.message]).toEqual([404, 'none here'])
    }
  })
})

describe('an error middleware that calls next() without an error', () => {
  /** The middlewares that ran, and the response, when `list` is the option `middlewares`. */
  async function run(list: (note: (name: string) => RequestHandler) => Middleware[]) {
    const ran: string[] = []
    const note =
      (name: string): RequestHandler =>
      (_req, _res, next) => {
        ran.push(name)
        if (name.startsWith('failing')) next(new Error(name))
        else next()
      }
    const app = await apps.inProcess({ middlewares: list(note) })
    const { status } = await app.request().get('/items')
    return { ran, status }
  }

  const forgive: ErrorRequestHandler = (_error, _req, _res, next) => next()

  it('continues after the failed middleware if it is registered before that middleware', async () => {
    const list = (note: (name: string) => RequestHandler) => [
      note('first'),
      forgive,
      note('second'),
      note('failing'),
      note('last'),
    ]
    expect(await run(list)).toEqual({ ran: ['first', 'second', 'failing', 'last'], status: 200 })
  })

  it('continues after itself if it is registered after the failed middleware', async () => {
    const list = (note: (name: string) => RequestHandler) => [
      note('failing'),
      note('between'),
      forgive,
      note('last'),
    ]
    expect(await run(list)).toEqual({ ran: ['failing', 'last'], status: 200 })
  })

  it('continues the request after each of several failures', async () => {
    const list = (note: (name: string) => RequestHandler) => [
      note('failing 1'),
      note('failing 2'),
      forgive,
      note('failing 3'),
      note('last'),
    ]
    const { ran, status } = await run(list)
    expect([ran, status]).toEqual([['failing 1', 'failing 3', 'last'], 200])
  })

  it('continues the request only once, even if it calls next() again', async () => {
    const forgiveTwice: ErrorRequestHandler = (_error, _req, _res, next) => {
      next()
      next()
    }
    const waiting: RequestHandler = (_req, _res, next) => void setImmediate(next)
    const list = (note: (name: string) => RequestHandler) => [
      note('failing'),
      forgiveTwice,
      note('last'),
      waiting,
    ]
    expect(await run(list)).toEqual({ ran: ['failing', 'last'], status: 200 })
  })

  it('can also call req.next(), as code of Express does', async () => {
    const forgiveByRequest: ErrorRequestHandler = (_error, req) => req.next?.()
    Object.defineProperty(forgiveByRequest, 'length', { value: 4 })
    const list = (note: (name: string) => RequestHandler) => [
      note('failing'),
      forgiveByRequest,
      note('last'),
    ]
    expect(await run(list)).toEqual({ ran: ['failing', 'last'], status: 200 })
  })

  it('leaves out the log line of its client error, even if the later response has status 500', async () => {
    const logged: unknown[] = []
    const logger = { info() {}, warn() {}, error: (facts: object) => logged.push(facts) }
    const failing: RequestHandler = (_req, _res, next) => next(new NotFoundError('passed over'))
    const forgiveLater: ErrorRequestHandler = (_error, _req, _res, next) => setImmediate(next)
    const answer: RequestHandler = (_req, res) => void res.status(500).json({})
    const app = await apps.inProcess({ middlewares: [failing, forgiveLater, answer], logger })
    expect((await app.request().get('/items')).status).toBe(500)
    expect(logged).toEqual([])
  })

  it('stops the handler timeout, so that the request can take longer', async () => {
    let goOn: (() => void) | undefined
    const forgiveLater: ErrorRequestHandler = (_error, _req, _res, next) => {
      setImmediate(next)
    }
    const failing: RequestHandler = (_req, _res, next) => next(new Error('failing'))
    const slow: RequestHandler = (_req, _res, next) => {
      goOn = () => next()
    }
    const app = await apps.inProcess({
      middlewares: [failing, forgiveLater, slow],
      timeouts: { handler: '5s' },
    })
    await app.clock.advance(0)
    const response = app
      .request()
      .get('/items')
      .then(({ status }) => status)
    await expect.poll(() => goOn).toBeDefined()
    await app.clock.advance('10s')
    goOn?.()
    expect(await response).toBe(200)
  })
})
