import {
  Controller,
  defineControllers,
  Get,
  type Middleware,
  NotFoundError,
  type Request,
  type Response,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

@Controller()
class FailingController {
  @Get('throws')
  throws() {
    throw new NotFoundError('The route found nothing')
  }

  @Get('rejects')
  async rejects() {
    await null
    throw new Error('from a promise')
  }

  @Get('upstream')
  upstream() {
    throw Object.assign(new Error('answered by another service'), { status: 401 })
  }

  @Get('half')
  half(_req: Request, res: Response) {
    res.write('half an ')
    throw new Error('too late')
  }

  @Get('fine')
  fine() {
    return {}
  }
}

const controllers = defineControllers(FailingController)
// Express recognizes error middlewares by their four parameters.
const passOn: Middleware = (error, _req, _res, next) => next(error)

describe('error middlewares', () => {
  const apps = appsOfTest()
  const start = (...middlewares: Middleware[]) => apps.inProcess({ controllers, middlewares })
  /** For tests whose error middleware sends a response that the document does not have. */
  const startUnchecked = (...middlewares: Middleware[]) =>
    apps.inProcess({ controllers, middlewares, contract: 'off' })

  const render: Middleware = (error, req, res, _next) => {
    res.status(error.status ?? 500).json({ rendered: error.message, path: req.path })
  }

  it.each([
    ['/throws', 404, 'The route found nothing'],
    ['/rejects', 500, 'from a promise'],
    ['/missing', 404, 'Cannot GET /missing'],
    ['/fine', 405, 'POST is not allowed here'],
    ['/mw', 409, 'from a middleware'],
    ['/%E0%A4%A', 400, 'The path is not valid UTF-8'],
  ])('receive the error of a request for %s', async (path, status, rendered) => {
    const failing: Middleware = (req, _res, next) =>
      req.path === '/mw'
        ? next(Object.assign(new Error('from a middleware'), { status: 409 }))
        : next()
    const app = await startUnchecked(failing, render)
    const method = path === '/fine' ? 'post' : 'get'
    const answer = await app.request()[method](path)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ rendered, path })
  })

  it('are not called if the request succeeds', async () => {
    const app = await start(render)
    expect((await app.request().get('/fine')).body.statusCode).toBe('success')
  })

  it('pass an error on to the next error middleware, and finally to the error response', async () => {
    const seen: string[] = []
    const note = (name: string): Middleware => {
      return (error, _req, _res, next) => {
        seen.push(`${name}: ${error.message}`)
        next(name === 'first' ? new NotFoundError('replaced') : error)
      }
    }
    const app = await start(note('first'), note('second'))
    const { status, body } = await app.request().get('/rejects')
    expect(seen).toEqual(['first: from a promise', 'second: replaced'])
    expect(status).toBe(404)
    expect(body).toMatchObject({ statusCode: 'error', message: 'replaced' })
  })

  it.each([[[]], [[null]], [[undefined]], [['route']], [['router']]])(
    'result in a 404 response if they call next(...%j)',
    async (args) => {
      const silent: Middleware = (_error, _req, _res, next) => next(...(args as []))
      const app = await start(silent)
      const { body } = await app.request().get('/rejects')
      expect(body).toMatchObject({ status: 404, message: 'Not Found' })
    },
  )

  it.each([
    [
      'throw',
      () => {
        throw new NotFoundError('thrown while rendering')
      },
    ],
    ['reject', () => Promise.reject(new NotFoundError('thrown while rendering'))],
  ])('can %s, and the next error middleware receives the new error', async (_, fail) => {
    const failing: Middleware = (_error, _req, _res, _next) => fail()
    const app = await start(failing, passOn)
    const { status, body } = await app.request().get('/rejects')
    expect(status).toBe(404)
    expect(body.message).toBe('thrown while rendering')
  })

  it('result in a 500 response if they reject with undefined', async () => {
    const failing: Middleware = async (_error, _req, _res, _next) => Promise.reject()
    const app = await start(failing)
    expect((await app.request().get('/throws')).status).toBe(500)
  })

  it('receive an error after the response has begun, and then the connection is closed', async () => {
    const seen: string[] = []
    const note: Middleware = (error, _req, res, next) => {
      seen.push(`${error.message} ${res.headersSent}`)
      next(error)
    }
    const app = await start(note)
    await expect(app.request().get('/half')).rejects.toThrow()
    expect(seen).toEqual(['too late true'])
  })

  it('result in only one response even if they respond and then pass the error on', async () => {
    const twice: Middleware = (error, _req, res, next) => {
      res.status(400).json({ once: true })
      next(error)
    }
    const app = await startUnchecked(twice)
    const { status, body } = await app.request().get('/throws')
    expect({ status, body }).toEqual({ status: 400, body: { once: true } })
  })

  it.each([
    [{ status: 'failed', statusCode: 409 }, 409],
    [{ status: 200, statusCode: 409 }, 409],
    [{ status: 403, statusCode: 409 }, 403],
    [{ status: '403' }, 500],
    [{ status: 399 }, 500],
    [{ status: 400 }, 400],
    [{ statusCode: 599 }, 599],
    [{ statusCode: 600 }, 500],
    [{ status: 404.5 }, 500],
  ])(
    'result in the first valid status of a plain Error that they pass on: %j',
    async (facts, status) => {
      const failing: Middleware = (_req, _res, next) => next(Object.assign(new Error('x'), facts))
      const app = await startUnchecked(failing, passOn)
      const response = await app.request().get('/mw')
      expect([response.status, response.body.status]).toEqual([status, status])
    },
  )

  it('keep the status of a plain Error from a middleware, but not from a route', async () => {
    const failing: Middleware = (req, _res, next) =>
      next(req.path === '/mw' ? Object.assign(new Error('x'), { status: 401 }) : undefined)
    const app = await start(failing, passOn)
    const fromMiddleware = await app.request().get('/mw')
    expect(fromMiddleware.body).toMatchObject({ status: 401, message: 'Unauthorized' })
    const fromRoute = await app.request().get('/upstream')
    expect(fromRoute.body).toMatchObject({ status: 500, message: 'Internal Server Error' })
  })
})
