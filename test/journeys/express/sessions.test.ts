import {
  ApiResponseDoc,
  Controller,
  defineControllers,
  Get,
  Post,
  type Request,
  type Response,
  UnauthorizedError,
} from 'blazon'
import cookieParser from 'cookie-parser'
import session, { MemoryStore } from 'express-session'
import { describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

declare module 'express-session' {
  interface SessionData {
    visits: number
    user: string
  }
}

@Controller('session')
class SessionController {
  @Get('visits')
  visits(req: Request) {
    req.session.visits = (req.session.visits ?? 0) + 1
    return { visits: req.session.visits, id: req.sessionID }
  }

  @Get('untouched')
  untouched() {
    return {}
  }

  @Post('login')
  async login(req: Request) {
    const before = req.sessionID
    await new Promise<void>((resolve, reject) => {
      req.session.regenerate((error) => (error ? reject(error) : resolve()))
    })
    req.session.user = req.body.name
    return { before, after: req.sessionID }
  }

  @Get('me')
  me(req: Request) {
    if (req.session.user === undefined) throw new UnauthorizedError()
    return { user: req.session.user }
  }

  @Post('logout')
  logout(req: Request, res: Response) {
    req.session.destroy(() => res.clearCookie('connect.sid').sendStatus(204))
  }
}

@Controller('cookies')
class CookiesController {
  @Get('set')
  @ApiResponseDoc({ status: 204, description: 'Set' })
  set(_req: Request, res: Response) {
    res.cookie('plain', { a: 1 }).cookie('signed', 'yes', { signed: true, httpOnly: true })
    res.status(204).end()
  }

  @Get()
  read(req: Request) {
    return { plain: req.cookies, signed: req.signedCookies }
  }
}

const controllers = defineControllers(SessionController, CookiesController)

describe('the express-session package', () => {
  const apps = appsOfTest()
  const sessions = (options: Partial<session.SessionOptions> = {}) => {
    const store = new MemoryStore()
    const defaults = { secret: 'test', resave: false, saveUninitialized: false, store }
    return { controllers, middlewares: [session({ ...defaults, ...options })] }
  }

  it('keeps a separate session for each client', async () => {
    const app = await apps.inProcess(sessions())
    const [one, other] = [app.request(), app.request()]
    for (const visits of [1, 2, 3]) {
      expect((await one.get('/session/visits')).body.data.visits).toBe(visits)
    }
    expect((await other.get('/session/visits')).body.data.visits).toBe(1)
  })

  it('recognizes its cookie, and starts a new session for a forged cookie', async () => {
    const { port } = await apps.listening(sessions())
    const first = await send(port, { path: '/session/visits' })
    const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] as string
    expect(cookie).toMatch(/^connect\.sid=s%3A/)
    const second = await send(port, { path: '/session/visits', headers: { cookie } })
    expect(JSON.parse(second.text).data.visits).toBe(2)
    const forged = `${cookie}x`
    const third = await send(port, { path: '/session/visits', headers: { cookie: forged } })
    expect(JSON.parse(third.text).data.visits).toBe(1)
  })

  it('sets no cookie until the session contains data', async () => {
    const app = await apps.inProcess(sessions())
    expect((await app.request().get('/session/untouched')).headers).not.toHaveProperty('set-cookie')
  })

  it('sets the cookie immediately with `saveUninitialized: true`, even with a 404 response', async () => {
    const app = await apps.inProcess(sessions({ saveUninitialized: true }))
    for (const path of ['/session/untouched', '/missing']) {
      expect((await app.request().get(path)).headers['set-cookie']?.[0]).toMatch(/^connect\.sid=/)
    }
  })

  it('regenerates the session on login and destroys it on logout', async () => {
    const app = await apps.inProcess(sessions())
    const agent = app.request()
    const anonymous = (await agent.get('/session/visits')).body.data.id
    expect((await agent.get('/session/me')).status).toBe(401)
    const { before, after } = (await agent.post('/session/login').send({ name: 'ann' })).body.data
    expect(before).toBe(anonymous)
    expect(after).not.toBe(before)
    expect((await agent.get('/session/me')).body.data).toEqual({ user: 'ann' })
    expect((await agent.post('/session/logout')).status).toBe(204)
    expect((await agent.get('/session/me')).status).toBe(401)
  })

  it('results in a 500 response in the envelope if its store fails', async () => {
    const store = new MemoryStore()
    store.get = (_id, done) => done(new Error('the store is down'))
    const app = await apps.inProcess(sessions({ store, saveUninitialized: true }))
    const agent = app.request()
    expect((await agent.get('/session/untouched')).status).toBe(200)
    const { status, body } = await agent.get('/session/untouched')
    expect({ status, body }).toMatchObject({ status: 500, body: { statusCode: 'error' } })
  })
})

describe('the cookie-parser package', () => {
  const apps = appsOfTest()

  it('reads the JSON and signed cookies that res.cookie() has set', async () => {
    const app = await apps.inProcess({ controllers, middlewares: [cookieParser('secret')] })
    const agent = app.request()
    const { headers } = await agent.get('/cookies/set')
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^plain=j%3A/),
      expect.stringMatching(/^signed=s%3Ayes\..*HttpOnly/),
    ])
    const { body } = await agent.get('/cookies')
    expect(body.data).toEqual({ plain: { plain: { a: 1 } }, signed: { signed: 'yes' } })
  })

  it('returns false for a cookie with a forged signature', async () => {
    const app = await apps.inProcess({ controllers, middlewares: [cookieParser('secret')] })
    const { body } = await app.request().get('/cookies').set('Cookie', 'signed=s%3Ayes.forged')
    expect(body.data).toEqual({ plain: {}, signed: { signed: false } })
  })

  it('is required for signed cookies, which result in a 500 response without it', async () => {
    const app = await apps.inProcess({ controllers })
    expect((await app.request().get('/cookies/set')).status).toBe(500)
  })
})
