import {
  ApiResponseDoc,
  Auth,
  Controller,
  Get,
  type Req,
  type Request,
  schemeOf,
  Use,
  type User,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import passport from 'passport'
import { Strategy as BearerStrategy } from 'passport-http-bearer'
import { Strategy as LocalStrategy } from 'passport-local'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Passport, SessionController, strategyGuard, strategyStep, web } from './passport-login.js'

const ADA = { id: 7, roles: ['buyer'] }
const BOB = { id: 8, roles: ['partner'] }

/** A strategy that sends the browser elsewhere and gets a code back, as those of OAuth do. */
class ElsewhereStrategy extends passport.Strategy {
  override readonly name = 'elsewhere'

  override authenticate(req: Request): void {
    const { code } = req.query
    if (code === undefined) this.redirect('https://id.example/authorize', 303)
    else if (code === 'good') this.success(ADA)
    else this.fail({ message: 'no such code' }, 401)
  }
}

function createPassport() {
  const auth = new passport.Passport()
  auth.use(
    new LocalStrategy((name, password, done) => {
      if (name === 'away') return done(new Error('the directory is away'))
      done(null, name === 'ada' && password === 'right' ? ADA : false)
    }),
  )
  auth.use(
    new BearerStrategy((token, done) => {
      if (token === 'away') return done(new Error('the directory is away'))
      done(null, token === 'good' ? BOB : false)
    }),
  )
  auth.use(new ElsewhereStrategy())
  return auth
}

const elsewhere = strategyStep(createPassport(), 'elsewhere')

@Controller('account')
class AccountController {
  @Auth('web', 'partner')
  @Get()
  me(req: Req<{ auth: true }>) {
    return { id: req.user.id, by: schemeOf(req) }
  }

  @Auth('partner')
  @Get('partner')
  partner(req: Req<{ auth: true }>) {
    return { id: req.user.id }
  }

  @Use(elsewhere)
  @Get('elsewhere')
  @ApiResponseDoc({ status: 200, description: 'Logged in' })
  @ApiResponseDoc({ status: 303, description: 'To the provider' })
  @ApiResponseDoc({ status: 401, description: 'The provider knows nobody' })
  async loginElsewhere(req: Request) {
    await (await web.of(req)).login(req.user as User)
    return { isLoggedIn: true }
  }
}

async function start() {
  const auth = createPassport()
  const partner = strategyGuard(auth, 'bearer', {
    challenge: 'Bearer realm="partners"',
    security: { type: 'http', scheme: 'bearer' },
  })
  const app = await TestApp.create({
    controllers: [SessionController, AccountController],
    providers: [{ token: Passport, useValue: auth }],
    auth: { guards: { web, partner } },
    plugins: [web],
    contract: 'throw',
  })
  onTestFinished(() => app.close())
  const agent = app.request()
  const own = { 'Sec-Fetch-Site': 'same-origin' }
  const post = (path: string, body: object = {}) => agent.post(path).set(own).send(body)
  const get = (path: string, headers: Record<string, string> = {}) => agent.get(path).set(headers)
  return { app, get, post }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('passport-local with blazon/sessions', () => {
  it('logs a user in, keeps the session, and logs the user out', async () => {
    const { get, post } = await start()
    expect((await get('/account')).status).toBe(401)
    const login = await post('/session', { username: 'ada', password: 'right' })
    expect([login.status, login.headers['set-cookie']?.[0]]).toEqual([
      204,
      expect.stringMatching(/^session=[\w-]{43};/),
    ])
    expect((await get('/account')).body.data).toEqual({ id: 7, by: 'web' })
    expect((await post('/session/end')).status).toBe(204)
    expect((await get('/account')).status).toBe(401)
  })

  it('starts no session with a wrong password, and responds with 503 if the strategy fails', async () => {
    const { app, get, post } = await start()
    for (const [body, status] of [
      [{ username: 'ada', password: 'wrong' }, 401],
      [{ username: '', password: '' }, 401],
      [{ username: 'ada' }, 400],
      [{ username: 'away', password: 'right' }, 503],
    ] as const) {
      const reply = await post('/session', body)
      expect([reply.status, reply.headers['set-cookie']]).toEqual([status, undefined])
    }
    expect(app.logs.filter(({ level }) => level === 'error')).toHaveLength(1)
    expect((await get('/account')).status).toBe(401)
  })

  it('changes the session id at each login', async () => {
    const { post } = await start()
    const cookies = new Set<string | undefined>()
    for (let i = 0; i < 2; i++) {
      const { headers } = await post('/session', { username: 'ada', password: 'right' })
      cookies.add(headers['set-cookie']?.[0])
    }
    expect(cookies.size).toBe(2)
  })

  it('cannot be called by a page of another site', async () => {
    const { app } = await start()
    const reply = await app
      .request()
      .post('/session')
      .set({ 'sec-fetch-site': 'cross-site' })
      .send({ username: 'ada', password: 'right' })
    expect([reply.status, reply.body.code]).toEqual([403, 'CROSS_ORIGIN'])
  })
})

describe('a passport strategy as a guard', () => {
  it('admits its users on a route that also accepts sessions', async () => {
    const { get, post } = await start()
    expect((await get('/account', bearer('good'))).body.data).toEqual({ id: 8, by: 'partner' })
    await post('/session', { username: 'ada', password: 'right' })
    expect((await get('/account')).body.data).toEqual({ id: 7, by: 'web' })
    expect((await get('/account', bearer('bad'))).status).toBe(401)
    expect((await get('/account/partner')).status).toBe(401)
    expect((await get('/account/partner', bearer('good'))).body.data).toEqual({ id: 8 })
  })

  it('refuses other requests with its challenge, and causes a 503 response if it fails', async () => {
    const { app, get } = await start()
    for (const headers of [{}, bearer('bad'), { authorization: 'Basic YTpi' }]) {
      const { status, headers: sent } = await get('/account/partner', headers)
      expect([status, sent['www-authenticate']]).toEqual([401, 'Bearer realm="partners"'])
    }
    expect((await get('/account/partner', bearer('away'))).status).toBe(503)
    expect(app.logs.filter(({ level }) => level === 'error')).toHaveLength(1)
  })

  it('appears in the document', async () => {
    const { app } = await start()
    const { components, paths } = app.document
    expect(components?.securitySchemes).toMatchObject({
      partner: { type: 'http', scheme: 'bearer' },
    })
    expect(paths['/account']?.get?.security).toEqual([{ web: [] }, { partner: [] }])
  })

  it('does not affect the strategies of other applications', async () => {
    const [one, other] = [await start(), await start()]
    expect(one.app.get(Passport)).not.toBe(other.app.get(Passport))
    await one.post('/session', { username: 'ada', password: 'right' })
    expect((await other.get('/account')).status).toBe(401)
  })
})

describe('a passport strategy that redirects the browser', () => {
  it('runs as a middleware of its route, and the handler starts the session', async () => {
    const { get } = await start()
    const away = await get('/account/elsewhere')
    expect([away.status, away.headers['location']]).toEqual([303, 'https://id.example/authorize'])
    const wrong = await get('/account/elsewhere?code=bad')
    expect([wrong.status, wrong.body.code]).toEqual([401, 'UNAUTHORIZED'])
    expect((await get('/account')).status).toBe(401)
    expect((await get('/account/elsewhere?code=good')).status).toBe(200)
    expect((await get('/account')).body.data).toEqual({ id: 7, by: 'web' })
  })
})
