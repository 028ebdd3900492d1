import {
  ApiResponseDoc,
  type AppOptions,
  Controller,
  defineControllers,
  Get,
  type Request,
  type Response,
} from 'blazon'
import express, { type Application } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appsOfTest } from './support.js'

@Controller('ours')
class OursController {
  @Get('plain')
  @ApiResponseDoc({ status: 200, description: 'Seen', raw: true, schema: z.looseObject({}) })
  plain(req: Request, res: Response) {
    const isOurs = req.app.get('who') === undefined && res.app === req.app
    res.json({ isOurs, query: req.query, locals: res.locals, next: typeof req.next })
  }

  @Get('file')
  file(_req: Request, res: Response) {
    res.sendFile('/none/such')
  }
}

function legacyApp(): Application {
  const app = express()
  app.set('who', 'legacy').set('json spaces', 1).set('query parser', 'extended')
  app.locals.title = 'Legacy'
  app.use((_req, res, next) => {
    res.locals.seen = 'by legacy'
    next()
  })
  app.get('/legacy', (req, res) => {
    res.json({ who: req.app.get('who'), title: req.app.locals.title, query: req.query })
  })
  app.get('/legacy/etag', (_req, res) => void res.send('tagged'))
  app.get('/legacy/throws', () => {
    throw Object.assign(new Error('secret path /etc'), { statusCode: 422 })
  })
  return app
}

describe('a complete express() application in `middlewares`', () => {
  const apps = appsOfTest()
  const start = (legacy: Application, more: AppOptions = {}) =>
    apps.inProcess({
      controllers: defineControllers(OursController),
      middlewares: [legacy],
      ...more,
    })

  it('responds to its own routes with its own settings and locals', async () => {
    const app = await start(legacyApp())
    const { text, body } = await app.request().get('/legacy?a[b]=1')
    expect(body).toEqual({ who: 'legacy', title: 'Legacy', query: { a: { b: '1' } } })
    expect(text).toContain('\n "who"')
  })

  it('uses its own query parser even if an earlier middleware has read req.query', async () => {
    const look = (req: Request, _res: unknown, next: () => void) => {
      Object.assign(req, { looked: req.query })
      next()
    }
    const app = await start(legacyApp(), { middlewares: [look, legacyApp()] })
    expect((await app.request().get('/legacy?a[b]=1')).body.query).toEqual({ a: { b: '1' } })
    const ours = await app.request().get('/ours/plain?a[b]=1')
    expect(ours.body.query).toEqual({ 'a[b]': '1' })
  })

  it('sends ETags and 304 responses according to its own setting', async () => {
    const app = await start(legacyApp())
    const { headers } = await app.request().get('/legacy/etag')
    expect(headers.etag).toMatch(/^W\//)
    const again = await app
      .request()
      .get('/legacy/etag')
      .set('If-None-Match', headers.etag ?? '')
    expect(again.status).toBe(304)
  })

  it('passes requests that it does not handle to the controllers, with its res.locals', async () => {
    const app = await start(legacyApp())
    const { text, body } = await app.request().get('/ours/plain?a[b]=1')
    expect(body).toEqual({
      isOurs: true,
      query: { 'a[b]': '1' },
      locals: expect.objectContaining({ seen: 'by legacy' }),
      next: 'function',
    })
    expect(text).not.toContain('\n')
    expect((await app.request().get('/ours/file')).status).toBe(404)
  })

  it('passes its errors to the App, which keeps their status', async () => {
    const app = await start(legacyApp())
    const { status, body, text } = await app.request().get('/legacy/throws')
    expect(status).toBe(422)
    expect(body).toMatchObject({ statusCode: 'error', message: 'Unprocessable Entity' })
    expect(text).not.toContain('/etc')
  })

  it('handles its errors itself if it has an error middleware', async () => {
    const legacy = legacyApp()
    legacy.use(((error, _req, res, _next) => {
      res.status(599).json({ own: error.message })
    }) as express.ErrorRequestHandler)
    const app = await start(legacy)
    const { status, body } = await app.request().get('/legacy/throws')
    expect({ status, body }).toEqual({ status: 599, body: { own: 'secret path /etc' } })
    expect((await app.request().get('/ours/plain')).status).toBe(200)
  })

  it('inherits "trust proxy", and receives the `mount` event', async () => {
    const legacy = legacyApp()
    const parents: unknown[] = []
    legacy.on('mount', (parent) => parents.push(parent))
    legacy.get('/ip', (req, res) => void res.json({ ip: req.ip, path: req.app.path() }))
    const app = await start(legacy, { trustProxy: 1 })
    const { body } = await app.request().get('/ip').set('X-Forwarded-For', '9.9.9.9')
    expect(body).toEqual({ ip: '9.9.9.9', path: '/' })
    expect(parents).toEqual([app.express])
  })

  it('can mount another Express application', async () => {
    const inner = express().get('/deep', (req, res) => void res.json({ baseUrl: req.baseUrl }))
    const app = await start(legacyApp().use('/inner', inner))
    expect((await app.request().get('/inner/deep')).body).toEqual({ baseUrl: '/inner' })
    expect((await app.request().get('/inner/none')).body.code).toBe('NOT_FOUND')
  })

  it('uses the settings of the App that started last if two Apps mount it', async () => {
    const shared = express().get('/ip', (req, res) => void res.json({ ip: req.ip }))
    const trusting = await start(shared, { trustProxy: 1 })
    const ipOf = async (app: Pick<typeof trusting, 'request'>) =>
      (await app.request().get('/ip').set('X-Forwarded-For', '9.9.9.9')).body.ip
    expect(await ipOf(trusting)).toBe('9.9.9.9')
    const wary = await start(shared)
    expect(await ipOf(wary)).toBe('127.0.0.1')
    expect(await ipOf(trusting)).toBe('127.0.0.1')
  })
})
