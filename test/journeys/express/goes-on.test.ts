import { createServer } from 'node:http'
import {
  App,
  Cache,
  Controller,
  createTenantMiddleware,
  defineControllers,
  Get,
  type Middleware,
  type RequestHandler,
} from 'blazon'
import express, { type ErrorRequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

@Controller('orders')
class OrdersController {
  @Get()
  list() {
    return 'orders'
  }
}

@Controller('waiting')
class WaitingController {
  @Get()
  async wait() {
    await new Promise((resolve) => setTimeout(resolve, 200))
    return 'too late'
  }
}

let made = 0

@Controller('slow')
class SlowController {
  @Get('orders')
  async list() {
    await new Promise(setImmediate)
    return 'orders'
  }

  @Cache({ ttl: 60 })
  @Get('cached')
  async cached() {
    await new Promise(setImmediate)
    return ++made
  }

  @Get('long')
  async long() {
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    return 'long'
  }
}

const controllers = defineControllers(OrdersController)
const failing: RequestHandler = () => {
  throw new Error('of a middleware')
}
const passOver: ErrorRequestHandler = (_error, _req, _res, next) => next()
const passOverOthers: ErrorRequestHandler = (error, _req, _res, next) =>
  next((error as { status?: number }).status === undefined ? undefined : error)
const needsTenant = createTenantMiddleware({ required: true })

describe('a request after an error middleware has called next() without the error', () => {
  const apps = appsOfTest('off')

  function application(...middlewares: Middleware[]): App {
    return apps.track(new App({ controllers, middlewares, logger: false }))
  }

  async function statusOf(host: express.Express | App): Promise<number | undefined> {
    const port = await apps.serving(createServer(host instanceof App ? host.handler : host))
    return (await send(port, { path: '/orders' })).status
  }

  it('is handled by an App that is mounted after the error middleware', async () => {
    const app = application(failing, passOver as Middleware)
    const host = express().use(needsTenant).use(passOver).use(app.handler)
    expect(await statusOf(host)).toBe(200)
  })

  describe('in the same App', () => {
    const start = (...more: Middleware[]) => {
      made = 0
      const middlewares = [failing, passOverOthers as Middleware, ...more]
      const slow = defineControllers(SlowController)
      const app = apps.track(new App({ controllers: slow, middlewares, logger: false }))
      return apps.serving(createServer(app.handler))
    }

    it('receives the response of a slow handler', async () => {
      const port = await start()
      const { status, text } = await send(port, { path: '/slow/orders' })
      expect([status, JSON.parse(text).data]).toEqual([200, 'orders'])
    })

    it('receives a cached response', async () => {
      const port = await start()
      const states: unknown[] = []
      for (const _time of ['first', 'second']) {
        const { headers, text } = await send(port, { path: '/slow/cached' })
        states.push([headers['x-cache'], JSON.parse(text).data])
      }
      expect(states).toEqual([
        ['MISS', 1],
        ['HIT', 1],
      ])
    })

    it('receives the error response of another middleware that fails late', async () => {
      const late: RequestHandler = async (_req, _res, next) => {
        next()
        await new Promise(setImmediate)
        throw Object.assign(new Error('late'), { status: 409 })
      }
      const port = await start(late)
      expect((await send(port, { path: '/slow/long' })).status).toBe(409)
    })
  })

  it('does not continue to the route if the framework has refused it', async () => {
    expect(await statusOf(application(needsTenant, passOver as Middleware))).toBe(400)
  })

  it('does not continue to the route if another App has handled it in between', async () => {
    const other = apps.track(new App({ logger: false }))
    const ask: ErrorRequestHandler = (_error, req, res, next) => other.handler(req, res, next)
    expect(await statusOf(application(needsTenant, ask as Middleware))).toBe(400)
  })
})

describe('a late error of a middleware', () => {
  const apps = appsOfTest('off')

  it.each(['first', 'second'])(
    'is passed to the outer application if the App has called next(): the %s of two',
    async (which) => {
      const errors: string[] = []
      const host = express()
      for (const name of ['first', 'second']) {
        const late: RequestHandler = async (_req, _res, next) => {
          next()
          await new Promise(setImmediate)
          if (name === which) throw new Error(name)
        }
        const app = apps.track(new App({ controllers, middlewares: [late], logger: false }))
        host.use(app.handler)
      }
      host.use((_req, res) => void setTimeout(() => res.json('host'), 50))
      host.use(((error, _req, _res, _next) => {
        errors.push((error as Error).message)
      }) as ErrorRequestHandler)
      const port = await apps.serving(createServer(host))
      const { status } = await send(port, { path: '/legacy' })
      expect([status, errors]).toEqual([200, [which]])
    },
  )

  it('is handled by the App if the outer application has passed the request to it again', async () => {
    const errors: unknown[] = []
    const late: RequestHandler = async ({ headers }, _res, next) => {
      next()
      await new Promise((resolve) => setTimeout(resolve, 20))
      throw new Error(String(headers['x-late']))
    }
    const app = apps.track(
      new App({
        controllers: defineControllers(WaitingController),
        middlewares: [late],
        logger: false,
      }),
    )
    const rewrite: RequestHandler = (req, _res, next) => {
      req.url = '/waiting'
      next()
    }
    const host = express().use(app.handler).use(rewrite).use(app.handler)
    host.use(((error, _req, res, _next) => {
      errors.push(error)
      res.end()
    }) as ErrorRequestHandler)
    const port = await apps.serving(createServer(host))
    expect((await send(port, { path: '/none' })).status).toBe(500)
    expect(errors).toEqual([])
  })
})
