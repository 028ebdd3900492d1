import {
  ApiResponseDoc,
  Controller,
  defineControllers,
  Get,
  type Middleware,
  type Request,
  type Response,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appsOfTest } from './support.js'

const rawJson = ApiResponseDoc({
  status: 200,
  description: 'The response of Express',
  raw: true,
  schema: z.looseObject({}),
})
const page = (status: number) =>
  ApiResponseDoc({ status, description: 'A page', contentType: 'text/html' })

@Controller()
class SettingsController {
  @Get('query')
  query(req: Request) {
    return req.query
  }

  @Get('client')
  client({ ip, ips, protocol, secure, hostname, host, subdomains }: Request) {
    return { ip, ips, protocol, secure, hostname, host, subdomains }
  }

  @Get('app')
  @rawJson
  app(req: Request, res: Response) {
    res.json({ same: req.app === res.app, title: req.app.locals.title, set: req.app.get('custom') })
  }

  @Get('tagged')
  @rawJson
  tagged(_req: Request, res: Response) {
    res.json({ a: 1 })
  }

  @Get('enveloped')
  enveloped() {
    return { a: 1 }
  }

  @Get('page')
  @page(200)
  page(_req: Request, res: Response) {
    res.locals.user = 'Ann'
    res.render('greeting', { greeting: 'Hello' })
  }

  @Get('page/later')
  @page(201)
  async later(_req: Request, res: Response) {
    await null
    res.status(201).render('greeting', { greeting: 'Hi', user: 'Bob' })
  }

  @Get('page/callback')
  @rawJson
  callback(_req: Request, res: Response) {
    res.render('greeting', { greeting: '' }, (error, html) => {
      res.json({ failed: error?.message ?? null, html })
    })
  }

  @Get('page/missing')
  missing(_req: Request, res: Response) {
    res.render('nowhere')
  }
}

const controllers = defineControllers(SettingsController)

/** A minimal view engine, which reads no file. */
function greet(_path: string, options: object, done: (error: unknown, html?: string) => void) {
  const { greeting, user, title } = options as Record<string, string>
  if (!greeting) return done(new Error('There is no greeting'))
  done(null, `<p>${greeting} ${user} from ${title}</p>`)
}

/** Finds every view except nowhere. */
class View {
  readonly path: string | undefined
  constructor(readonly name: string) {
    this.path = name === 'nowhere' ? undefined : name
  }

  render(options: object, done: (error: unknown, html?: string) => void) {
    greet(this.name, options, done)
  }
}

describe('the settings of app.express', () => {
  const apps = appsOfTest()

  it('are available in req.app and res.app', async () => {
    const app = await apps.inProcess({ controllers })
    app.express.locals.title = 'Shop'
    app.express.set('custom', 42)
    const { body } = await app.request().get('/app')
    expect(body).toEqual({ same: true, title: 'Shop', set: 42 })
  })

  it('select the query parser, which is "simple" by default', async () => {
    const app = await apps.inProcess({ controllers })
    const ask = async () => (await app.request().get('/query?a[b]=1&c=2')).body.data
    expect(await ask()).toEqual({ 'a[b]': '1', c: '2' })
    app.express.set('query parser', 'extended')
    expect(await ask()).toEqual({ a: { b: '1' }, c: '2' })
    app.express.set('query parser', (text: string) => ({ text }))
    expect(await ask()).toEqual({ text: 'a[b]=1&c=2' })
    app.express.disable('query parser')
    expect(await ask()).toEqual({})
  })

  const forwarded = {
    Host: 'inner.test',
    'X-Forwarded-For': '1.1.1.1, 9.9.9.9',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'a.b.shop.example:8443',
  }

  it('trust no proxy by default', async () => {
    const app = await apps.inProcess({ controllers })
    const { body } = await app.request().get('/client').set(forwarded)
    expect(body.data).toEqual({
      ip: '127.0.0.1',
      ips: [],
      protocol: 'http',
      secure: false,
      hostname: 'inner.test',
      host: 'inner.test',
      subdomains: [],
    })
  })

  it.each([
    [true, '1.1.1.1', ['1.1.1.1', '9.9.9.9']],
    [1, '9.9.9.9', ['9.9.9.9']],
    ['loopback', '9.9.9.9', ['9.9.9.9']],
    [['127.0.0.1', '9.9.9.9'], '1.1.1.1', ['1.1.1.1', '9.9.9.9']],
  ])('trust the proxies of the option trustProxy: %j', async (trustProxy, ip, ips) => {
    const app = await apps.inProcess({ controllers, trustProxy })
    const { body } = await app.request().get('/client').set(forwarded)
    expect(body.data).toEqual({
      ip,
      ips,
      protocol: 'https',
      secure: true,
      hostname: 'a.b.shop.example',
      host: 'a.b.shop.example:8443',
      subdomains: ['b', 'a'],
    })
  })

  it.each(['/tagged', '/enveloped'])(
    'add an ETag to %s with `etag: true`, and result in a 304 response for this ETag',
    async (path) => {
      const app = await apps.inProcess({ controllers, etag: true, security: { helmet: true } })
      const { headers, status } = await app.request().get(path)
      expect(status).toBe(200)
      expect(headers.etag).toMatch(/^W\/"/)
      const again = await app.request().get(path).set('If-None-Match', String(headers.etag))
      expect([again.status, again.text]).toEqual([304, ''])
      expect(again.headers['x-frame-options']).toBe('SAMEORIGIN')
      const changed = await app.request().get(path).set('If-None-Match', 'W/"other"')
      expect(changed.status).toBe(200)
    },
  )

  it('add no ETag by default', async () => {
    const app = await apps.inProcess({ controllers })
    const { headers } = await app.request().get('/tagged')
    expect(headers).not.toHaveProperty('etag')
  })

  it('indent JSON according to "json spaces"', async () => {
    const app = await apps.inProcess({ controllers })
    app.express.set('json spaces', 2)
    expect((await app.request().get('/tagged')).text).toBe('{\n  "a": 1\n}')
  })

  it('escape the characters of HTML according to "json escape"', async () => {
    const html: Middleware = (_req, res) => res.json({ a: '<b>' })
    const app = await apps.inProcess({ controllers, contract: 'off', middlewares: [html] })
    app.express.set('json escape', true)
    expect((await app.request().get('/')).text).toBe('{"a":"\\u003cb\\u003e"}')
  })
})

describe('the method res.render', () => {
  const apps = appsOfTest()

  async function start() {
    const app = await apps.inProcess({ controllers })
    app.express.set('view', View).set('view engine', 'tiny')
    Object.assign(app.express.locals, { title: 'Blazon', user: 'nobody' })
    return app
  }

  it('prefers options to res.locals, and res.locals to app.locals', async () => {
    const app = await start()
    const { headers, text } = await app.request().get('/page')
    expect(text).toBe('<p>Hello Ann from Blazon</p>')
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const later = await app.request().get('/page/later')
    expect([later.status, later.text]).toEqual([201, '<p>Hi Bob from Blazon</p>'])
  })

  it('passes the error of the view engine to its callback', async () => {
    const app = await start()
    const { body } = await app.request().get('/page/callback')
    expect(body.failed).toBe('There is no greeting')
  })

  it('results in a 500 response if the view is missing', async () => {
    const app = await start()
    const { status, body } = await app.request().get('/page/missing')
    expect(status).toBe(500)
    expect(body).toMatchObject({ statusCode: 'error', message: 'Internal Server Error' })
  })
})
