import { createServer } from 'node:http'
import {
  App,
  type AppOptions,
  Body,
  ConfigError,
  Controller,
  defineControllers,
  Get,
  Post,
  type Request,
  type Response,
} from 'blazon'
import compression from 'compression'
import express, { type ErrorRequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appsOfTest, send } from './support.js'

@Controller('orders')
class OrdersController {
  @Get(':id')
  get({ params, baseUrl, originalUrl, url, path, query, app }: Request) {
    return { params, baseUrl, originalUrl, url, path, query, who: app.get('who') }
  }

  @Post()
  @Body(z.object({ sku: z.string() }))
  create(req: Request, res: Response) {
    res.status(201).json({ body: req.body, user: req.user, locals: res.locals })
  }

  @Get('fails/now')
  fails() {
    throw new Error('inside')
  }

  @Get('file/none')
  file(_req: Request, res: Response) {
    res.sendFile('/none/such')
  }
}

const json = { 'content-type': 'application/json' }

describe('an App inside an Express application', () => {
  const apps = appsOfTest()

  async function start(options: AppOptions = {}, path = '/api') {
    const app = apps.track(
      new App({ controllers: defineControllers(OrdersController), logger: false, ...options }),
    )
    const errors: unknown[] = []
    const outer = express().set('who', 'outer').set('etag', false)
    outer.use((req, res, next) => {
      Object.assign(req, { user: { id: 'ann' } })
      res.locals.trace = 't-1'
      next()
    })
    outer.use('/parsed', express.json())
    outer.use(path, app.handler)
    outer.post('/api/orders/:id', (req, res) => void res.json({ legacy: req.params.id }))
    outer.use('/api/file', (_req, res) => res.sendFile('/none/such'))
    outer.use((req, res) => {
      const { baseUrl, url, query } = req
      const who = [req.app.get('who'), res.app.get('who')]
      const isExpress =
        Object.getPrototypeOf(req) === outer.request &&
        Object.getPrototypeOf(res) === outer.response
      res.status(404).json({ who, isExpress, baseUrl, url, query, locals: res.locals })
    })
    outer.use(((error, _req, res, _next) => {
      errors.push(error)
      res.status(error.status ?? 500).json({ outer: error.message })
    }) as ErrorRequestHandler)
    const port = await apps.serving(createServer(outer))
    return { app, port, errors }
  }

  it('sets req.baseUrl to its mount path and req.url to the rest of the path', async () => {
    const { port } = await start()
    const { status, text } = await send(port, { path: '/api/orders/7?a=1' })
    expect(status).toBe(200)
    expect(JSON.parse(text).data).toEqual({
      params: { id: '7' },
      baseUrl: '/api',
      originalUrl: '/api/orders/7?a=1',
      url: '/orders/7?a=1',
      path: '/orders/7',
      query: { a: '1' },
      who: 'outer',
    })
  })

  it('responds to requests that arrive before it has started', async () => {
    const { app, port } = await start({
      providers: [
        {
          token: 'slow',
          useFactory: () => new Promise((resolve) => setTimeout(resolve, 20, 'made')),
        },
      ],
    })
    const answers = await Promise.all(
      [1, 2, 3].map((id) => send(port, { path: `/api/orders/${id}` })),
    )
    expect(answers.map(({ text }) => JSON.parse(text).data.params.id)).toEqual(['1', '2', '3'])
    expect(app.server.listening).toBe(false)
  })

  it.each([false, true])(
    'passes unknown paths to the outer application, with middlewares: %s',
    async (has) => {
      const look = (req: Request, _res: Response, next: () => void) => {
        Object.assign(req, { looked: req.query })
        next()
      }
      const { port } = await start({ middlewares: has ? [look] : [] })
      const { status, text } = await send(port, { path: '/api/unknown?a=1' })
      expect(status).toBe(404)
      expect(JSON.parse(text)).toEqual({
        who: ['outer', 'outer'],
        isExpress: true,
        baseUrl: '',
        url: '/api/unknown?a=1',
        query: { a: '1' },
        locals: expect.objectContaining({ trace: 't-1' }),
      })
    },
  )

  it('passes methods without a route to the outer application', async () => {
    const { port } = await start()
    const { text } = await send(port, { method: 'POST', path: '/api/orders/7' })
    expect(JSON.parse(text)).toEqual({ legacy: '7' })
  })

  it('restores req.next of the outer application, which then handles its own errors', async () => {
    const { port } = await start({ middlewares: [(_req, _res, next) => next()] })
    const { status, text } = await send(port, { path: '/api/file' })
    expect(status).toBe(404)
    expect(JSON.parse(text)).toHaveProperty('outer')
  })

  it('sends its own errors in its own envelope', async () => {
    const { port, errors } = await start()
    const { status, text } = await send(port, { path: '/api/orders/fails/now' })
    expect(status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({ statusCode: 'error', code: 'INTERNAL_SERVER_ERROR' })
    const file = await send(port, { path: '/api/orders/file/none' })
    expect([file.status, JSON.parse(file.text).statusCode]).toEqual([404, 'error'])
    expect(errors).toEqual([])
  })

  it('uses req.body, req.user and res.locals of the outer application', async () => {
    const { port } = await start({}, '/parsed')
    const message = { method: 'POST', path: '/parsed/orders', headers: json, body: '{"sku":"a"}' }
    const { status, text } = await send(port, message)
    expect(status).toBe(201)
    expect(JSON.parse(text)).toEqual({
      body: { sku: 'a' },
      user: { id: 'ann' },
      locals: { trace: 't-1' },
    })
    const wrong = await send(port, { ...message, body: '{"sku":1}' })
    expect(JSON.parse(wrong.text).code).toBe('VALIDATION_FAILED')
  })

  it('reads the body if the outer application has not read it', async () => {
    const { port } = await start()
    const message = { method: 'POST', path: '/api/orders', headers: json, body: '{"sku":"a"}' }
    expect((await send(port, message)).status).toBe(201)
  })

  it('sends its own headers together with the headers of the outer application', async () => {
    const { port } = await start()
    const { headers } = await send(port, { path: '/api/orders/7' })
    expect(headers).toMatchObject({ 'x-powered-by': 'Express', 'x-frame-options': 'SAMEORIGIN' })
    expect((await send(port, { path: '/other' })).headers).not.toHaveProperty('x-frame-options')
  })

  it('passes the error of a failed start to the outer application', async () => {
    const { port, errors } = await start({
      providers: [{ token: 'x', useClass: undefined as never }],
    })
    const { status } = await send(port, { path: '/api/orders/7' })
    expect(status).toBe(500)
    expect(errors).toEqual([expect.any(ConfigError)])
  })

  it('can be mounted in another App', async () => {
    const inner = apps.track(
      new App({ controllers: defineControllers(OrdersController), logger: false }),
    )
    const { port } = await start({ controllers: [], middlewares: [inner.handler] })
    const { text } = await send(port, { path: '/api/orders/7' })
    expect(JSON.parse(text).data.params).toEqual({ id: '7' })
    const outside = await send(port, { path: '/api/unknown' })
    expect(JSON.parse(outside.text)).toMatchObject({ isExpress: true, url: '/api/unknown' })
  })

  it('adds only one listener to a response that several Apps have passed on', async () => {
    const host = express()
    for (let i = 0; i < 3; i++) {
      host.use(apps.track(new App({ controllers: [], logger: false })).handler)
    }
    host.use((_req, res) => void res.json(res.listenerCount('error')))
    const { text } = await send(await apps.serving(createServer(host)), { path: '/unknown' })
    expect(text).toBe('1')
  })
})

describe('an App after the compression middleware of an Express application', () => {
  const apps = appsOfTest()

  async function ask(path: string) {
    const options = { logger: false, rateLimit: { limit: 9, window: '1h' } } as const
    const app = apps.track(
      new App({ controllers: defineControllers(OrdersController), ...options }),
    )
    const outer = express().use(compression({ threshold: 0 }), app.handler)
    outer.get('/theirs', (_req, res) => void res.send('theirs'))
    const port = await apps.serving(createServer(outer))
    return await send(port, { path, headers: { 'accept-encoding': 'gzip' } })
  }

  it('sends its own headers', async () => {
    for (const path of ['/orders/7', '/orders/fails/now']) {
      const { headers } = await ask(path)
      expect(headers).toMatchObject({
        'content-encoding': 'gzip',
        'x-frame-options': 'SAMEORIGIN',
        'strict-transport-security': expect.any(String),
        'ratelimit-policy': expect.any(String),
      })
    }
  })

  it('adds no headers to a response of the Express application', async () => {
    const { status, headers } = await ask('/theirs')
    expect([status, headers['content-encoding']]).toEqual([200, 'gzip'])
    expect(headers).not.toHaveProperty('x-frame-options')
  })
})

describe('a server with http.createServer(app.handler)', () => {
  const apps = appsOfTest()

  it('responds before and after the App has started, even with 404 and 405', async () => {
    const app = apps.track(
      new App({ controllers: defineControllers(OrdersController), logger: false }),
    )
    const port = await apps.serving(createServer(app.handler))
    const [first, missing] = await Promise.all([
      send(port, { path: '/orders/7?a=1' }),
      send(port, { path: '/missing' }),
    ])
    expect(JSON.parse(first.text).data).toMatchObject({ originalUrl: '/orders/7?a=1', baseUrl: '' })
    expect([missing.status, JSON.parse(missing.text).code]).toEqual([404, 'NOT_FOUND'])
    const message = { method: 'POST', path: '/orders', headers: json, body: '{"sku":"a"}' }
    const created = await send(port, message)
    expect([created.status, JSON.parse(created.text).body]).toEqual([201, { sku: 'a' }])
    expect(created.headers['x-frame-options']).toBe('SAMEORIGIN')
    expect((await send(port, { path: '/orders/file/none' })).status).toBe(404)
    expect((await send(port, { method: 'PUT', path: '/orders' })).status).toBe(405)
  })
})
