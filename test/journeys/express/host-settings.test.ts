import { createServer } from 'node:http'
import {
  App,
  type AppOptions,
  Controller,
  defineControllers,
  Get,
  getTenantId,
  type Request,
  type Response,
  Tenant,
} from 'blazon'
import express, { type Application } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

@Controller('seen')
class SeenController {
  @Get()
  see(req: Request, res: Response) {
    const { ip, ips, protocol, secure, hostname, host, subdomains, query } = req
    res.json({ ip, ips, protocol, secure, hostname, host, subdomains, query })
  }

  @Get('limited')
  limited() {
    return 'in'
  }

  @Get('apps')
  apps(req: Request, res: Response) {
    const same = req.app === res.app
    res.json({ same, who: req.app.get('who'), title: req.app.locals.title })
  }

  @Get('page')
  page(_req: Request, res: Response) {
    res.render('greeting')
  }

  @Tenant({ optional: true })
  @Get('tenant')
  tenant() {
    return { tenant: getTenantId() ?? null }
  }
}

const forwarded = {
  host: 'inner.test',
  'x-forwarded-for': '1.1.1.1, 9.9.9.9',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'a.b.shop.example:8443',
}
const believed = {
  ip: '9.9.9.9',
  ips: ['9.9.9.9'],
  protocol: 'https',
  secure: true,
  hostname: 'a.b.shop.example',
  host: 'a.b.shop.example:8443',
  subdomains: ['b', 'a'],
  query: {},
}
const direct = {
  ip: '127.0.0.1',
  ips: [],
  protocol: 'http',
  secure: false,
  hostname: 'inner.test',
  host: 'inner.test',
  subdomains: [],
  query: {},
}

const apps = appsOfTest()
const appOf = (options: AppOptions = {}) =>
  apps.track(new App({ controllers: defineControllers(SeenController), logger: false, ...options }))

async function asker(handler: Parameters<typeof createServer>[1]) {
  const port = await apps.serving(createServer(handler))
  return async (path = '/seen', headers: Record<string, string> = forwarded) => {
    const { status, text, headers: answered } = await send(port, { path, headers })
    return { status, text, headers: answered, json: text.startsWith('{') ? JSON.parse(text) : null }
  }
}

/** All the ways in which a host can mount an application. */
const MOUNTS: Record<string, (host: Application, app: App) => unknown> = {
  'at its root': (host, app) => host.use(app.handler),
  'at a path': (host, app) => host.use('/api', app.handler),
  'in nested routers': (host, app) =>
    host.use('/api', express.Router().use('/v1', express.Router().use(app.handler))),
  'in another application': (host, app) => host.use('/api', express().use('/v2', app.handler)),
  'in a handler of a route': (host, app) =>
    host.all('/api/*path', (req, res) => {
      req.url = req.url.slice('/api'.length)
      app.handler(req, res)
    }),
}
const pathOf: Record<string, string> = {
  'at its root': '/seen',
  'at a path': '/api/seen',
  'in nested routers': '/api/v1/seen',
  'in another application': '/api/v2/seen',
  'in a handler of a route': '/api/seen',
}

describe.each(Object.entries(MOUNTS))(
  'an App that is mounted in an Express application %s',
  (place, mount) => {
    it('uses the "trust proxy" setting of the Express application', async () => {
      const host = express().set('trust proxy', 1)
      mount(host, appOf())
      expect((await (await asker(host))(pathOf[place])).json).toEqual(believed)
    })

    it('uses a setting that the Express application changes later', async () => {
      const host = express()
      mount(host, appOf())
      const ask = await asker(host)
      expect((await ask(pathOf[place])).json).toEqual(direct)
      host.set('trust proxy', 1)
      expect((await ask(pathOf[place])).json).toEqual(believed)
    })

    it('overrides the "trust proxy" setting of the Express application with its own setting', async () => {
      const host = express().set('trust proxy', 1)
      const app = appOf({ trustProxy: false })
      mount(host, app)
      const ask = await asker(host)
      expect((await ask(pathOf[place])).json).toEqual(direct)
      app.express.set('trust proxy', () => true)
      expect((await ask(pathOf[place])).json).toMatchObject({ ip: '1.1.1.1' })
    })
  },
)

describe('the settings of an outer application', () => {
  it('are inherited by an App exactly as by an Express application', async () => {
    const settings = (app: Application) => {
      app.set('query parser', 'extended').set('json spaces', 1).set('who', 'host')
      return app.set('etag', 'strong').set('subdomain offset', 1).set('trust proxy', 1)
    }
    const theirs = express().set('etag', false)
    theirs.disable('x-powered-by')
    theirs.get('/seen', ({ ip, ips, protocol, secure, hostname, host, subdomains, query }, res) => {
      res.json({ ip, ips, protocol, secure, hostname, host, subdomains, query })
    })
    const askTheirs = await asker(settings(express()).use(theirs))
    const askOurs = await asker(
      settings(express()).use(appOf({ security: { helmet: false } }).handler),
    )
    const [expected, found] = [await askTheirs('/seen?a[b]=1'), await askOurs('/seen?a[b]=1')]
    expect(found.text).toBe(expected.text)
    expect(found.text).toContain('\n ')
    const { date: _, ...headers } = found.headers
    expect(expected.headers).toMatchObject(headers)
  })

  it('can be overridden by settings of the App at any time', async () => {
    const app = appOf()
    const ask = await asker(express().set('who', 'host').use(app.handler))
    expect((await ask('/seen/apps')).json.who).toBe('host')
    app.express.set('who', 'app')
    app.express.locals.title = 'App'
    expect((await ask('/seen/apps')).json).toEqual({ same: true, who: 'app', title: 'App' })
  })

  it('include the view engines', async () => {
    class View {
      readonly path: string
      constructor(name: string, { engines }: { engines: Record<string, unknown> }) {
        this.path = `${name} by ${Object.keys(engines)} ${typeof engines['.tiny']}`
      }

      render(_options: object, done: (error: unknown, html: string) => void) {
        done(null, this.path)
      }
    }
    const app = appOf()
    app.express.set('view', View)
    const host = express()
      .engine('tiny', () => {})
      .set('view engine', 'tiny')
    expect((await (await asker(host.use(app.handler)))('/seen/page')).text).toContain('function')
  })

  it('apply only to requests that reach the App through this outer application', async () => {
    const app = appOf()
    const one = express().set('trust proxy', 1).set('who', 'one').use(app.handler)
    const two = express().set('who', 'two').use(app.handler)
    const [askOne, askTwo] = [await asker(one), await asker(two)]
    const [askBare, { port }] = [await asker(app.handler), await app.listen(0, '127.0.0.1')]
    for (let i = 0; i < 2; i++) {
      expect((await askOne()).json).toEqual(believed)
      expect((await askTwo()).json).toEqual(direct)
      expect((await askBare()).json).toEqual(direct)
      const own = await send(port, { path: '/seen', headers: forwarded })
      expect(JSON.parse(own.text)).toEqual(direct)
      const names = [askOne, askTwo, askBare].map(async (ask) => (await ask('/seen/apps')).json.who)
      expect(await Promise.all(names)).toEqual(['one', 'two', undefined])
    }
  })

  it('are inherited even if the outer application is an App', async () => {
    const inner = appOf()
    const outer = appOf({ controllers: [], middlewares: [inner.handler], trustProxy: 1 })
    expect((await (await asker(outer.handler))()).json).toEqual(believed)
    const host = express().set('trust proxy', 1)
    const between = appOf({ controllers: [], middlewares: [inner.handler] })
    expect((await (await asker(host.use(between.handler)))()).json).toEqual(believed)
  })

  it('also apply to an Express application in `middlewares`, unless the App overrides them', async () => {
    const legacy = express().set('query parser', 'extended')
    legacy.get('/legacy', (req, res) => {
      const { ip, query } = req
      const isItself = req.app === res.app && req.res === res
      res.json({ ip, query, who: req.app.get('who'), isItself, title: req.app.locals.title })
    })
    legacy.locals.title = 'Legacy'
    const app = appOf({ middlewares: [legacy] })
    const host = express().set('trust proxy', 1).set('who', 'host')
    const [ask, askBare] = [await asker(host.use(app.handler)), await asker(app.handler)]
    const inner = { query: { a: { b: '1' } }, isItself: true, title: 'Legacy' }
    for (const who of ['host', 'app']) {
      expect((await ask('/legacy?a[b]=1')).json).toEqual({ ...inner, ip: '9.9.9.9', who })
      app.express.set('who', 'app')
      expect((await askBare('/legacy?a[b]=1')).json).toEqual({
        ...inner,
        ip: '127.0.0.1',
        who: 'app',
      })
    }
    expect((await ask()).json).toEqual(believed)
  })

  it('are restored after the App passes a request on', async () => {
    const app = appOf({ middlewares: [(_req, _res, next) => setImmediate(next)] })
    const host = express().set('who', 'host')
    const sub = express().set('who', 'sub').use(app.handler)
    sub.get('/inner', (req, res) => void res.json([req.app === sub, res.app === sub]))
    host.use('/sub', sub)
    host.use((req, res) => void res.json([req.app === host, res.app === host]))
    const ask = await asker(host)
    expect((await ask('/sub/inner')).text).toBe('[true,true]')
    expect((await ask('/sub/none')).text).toBe('[true,true]')
  })
})

describe('a feature that uses the client address or the host name', () => {
  it('counts requests per client if the outer application trusts the proxy', async () => {
    const limited = () => appOf({ rateLimit: { limit: 1, window: '1h' } })
    const from = (address: string) => ({ 'x-forwarded-for': address })
    const statuses = async (host: Application) => {
      const ask = await asker(host)
      const found: number[] = []
      for (const address of ['8.8.8.1', '8.8.8.1', '8.8.8.2', '7.7.7.7, 8.8.8.2'])
        found.push((await ask('/seen/limited', from(address))).status)
      return found
    }
    expect(await statuses(express().set('trust proxy', 1).use(limited().handler))).toEqual([
      200, 429, 200, 429,
    ])
    expect(await statuses(express().use(limited().handler))).toEqual([200, 429, 429, 429])
  })

  it('ignores X-Forwarded-For in requests that reach the App directly', async () => {
    const app = appOf({ rateLimit: { limit: 1, window: '1h' } })
    const behind = await asker(express().set('trust proxy', 1).use(app.handler))
    const { port } = await app.listen(0, '127.0.0.1')
    expect((await behind('/seen/limited', { 'x-forwarded-for': '8.8.8.1' })).status).toBe(200)
    const found: number[] = []
    for (const address of ['8.8.8.2', '8.8.8.3']) {
      const headers = { 'x-forwarded-for': address }
      found.push((await send(port, { path: '/seen/limited', headers })).status)
    }
    expect(found).toEqual([200, 429])
  })

  it('reads the tenant from the forwarded host name if the outer application trusts the proxy', async () => {
    const tenant = { header: false, strategies: [(req: Request) => req.subdomains.at(-1)] } as const
    const trusting = express().set('trust proxy', 1).use(appOf({ tenant }).handler)
    expect((await (await asker(trusting))('/seen/tenant')).json.data.tenant).toBe('a')
    const doubting = express().use(appOf({ tenant }).handler)
    const { json } = await (await asker(doubting))('/seen/tenant', {
      ...forwarded,
      host: 'x.y.test',
    })
    expect(json.data.tenant).toBe('x')
  })
})

describe('a method that is added to req or res of app.express', () => {
  const added = { shout: { value: () => 'loud', configurable: true } }
  @Controller('added')
  class AddedController {
    @Get()
    get(req: Request & { shout?(): string }, res: Response & { teapot?(): Response }) {
      if (res.teapot === undefined) return { shout: 'none' }
      return res.teapot().json({ shout: req.shout?.() })
    }

    @Get('value')
    value() {
      return 1
    }
  }

  const prototypesOf = (app: App) => app.express as unknown as { request: object; response: object }
  const extend = (app: App) => {
    const host = prototypesOf(app)
    Object.defineProperties(host.request, added)
    Object.assign(host.response, {
      teapot(this: Response) {
        return this.status(418)
      },
    })
  }

  it.each(['before', 'after'])('exists if it was added %s the start', async (when) => {
    const app = appOf({ controllers: defineControllers(AddedController) })
    if (when === 'before') extend(app)
    await app.init()
    if (when === 'after') extend(app)
    const { port } = await app.listen(0, '127.0.0.1')
    const ours = await send(port, { path: '/added' })
    expect([ours.status, JSON.parse(ours.text)]).toEqual([418, { shout: 'loud' }])
    const mounted = await (await asker(express().use(app.handler)))('/added')
    expect([mounted.status, mounted.json]).toEqual([418, { shout: 'loud' }])
  })

  it.each(['before', 'after'])('can replace res.json() %s the start', async (when) => {
    const app = appOf({ controllers: defineControllers(AddedController) })
    const patch = () => {
      const { json } = express.response
      Object.assign(prototypesOf(app).response, {
        json(this: Response, body: unknown) {
          return json.call(this, { patched: body })
        },
      })
    }
    if (when === 'before') patch()
    await app.init()
    if (when === 'after') patch()
    const { port } = await app.listen(0, '127.0.0.1')
    const { text } = await send(port, { path: '/added/value' })
    expect(JSON.parse(text).patched.data).toBe(1)
    const mounted = await (await asker(express().use(app.handler)))('/added/value')
    expect(mounted.json.patched.data).toBe(1)
  })

  describe('when it is added to all Express applications', () => {
    const { json } = express.response
    afterEach(() => {
      express.response.json = json
    })

    it.each(['before', 'after'])('can replace res.json() %s the start', async (when) => {
      const app = appOf({ controllers: defineControllers(AddedController) })
      const patch = () => {
        express.response.json = function patched(this: Response, body: unknown) {
          return json.call(this, { patched: body }) as Response
        } as never
      }
      if (when === 'before') patch()
      await app.init()
      if (when === 'after') patch()
      const { port } = await app.listen(0, '127.0.0.1')
      const { text } = await send(port, { path: '/added/value' })
      expect(JSON.parse(text).patched.data).toBe(1)
    })
  })
})
