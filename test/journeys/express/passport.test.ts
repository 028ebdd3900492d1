import {
  Auth,
  type AuthGuard,
  Controller,
  defineControllers,
  Get,
  Post,
  type Request,
  type Response,
} from 'blazon'
import express from 'express'
import session, { MemoryStore } from 'express-session'
import passport from 'passport'
import { Strategy as BearerStrategy } from 'passport-http-bearer'
import { Strategy as LocalStrategy } from 'passport-local'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

interface Account {
  readonly id: string
  readonly roles: readonly string[]
}

const ANN: Account = { id: 'ann', roles: ['admin'] }

/** Creates a passport for one application, with a password, a token and a session. */
function authenticator() {
  const auth = new passport.Passport()
  auth.use(
    new LocalStrategy((name, password, done) => {
      if (name === 'broken') return done(new Error('the directory is down'))
      done(null, name === 'ann' && password === 'secret' ? ANN : false)
    }),
  )
  auth.use(new BearerStrategy((token, done) => done(null, token === 'good' ? ANN : false)))
  auth.serializeUser((user, done) => done(null, (user as Account).id))
  auth.deserializeUser((id, done) => done(null, id === ANN.id ? ANN : false))
  return auth
}

function sessions(auth: passport.Authenticator) {
  return [
    session({ secret: 'test', resave: false, saveUninitialized: false, store: new MemoryStore() }),
    auth.session(),
  ]
}

/** A guard that uses a strategy of passport. */
class PassportGuard implements AuthGuard {
  constructor(
    private readonly auth: passport.Authenticator,
    private readonly strategy: string,
  ) {}

  canActivate(req: Request): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const decide = (error: unknown, user: unknown) => {
        if (error) return reject(error)
        if (user) req.user = user
        resolve(Boolean(user))
      }
      this.auth.authenticate(this.strategy, { session: false }, decide)(req, req.res, reject)
    })
  }
}

@Controller('account')
class AccountController {
  @Auth()
  @Get()
  me(req: Request) {
    return { user: req.user, isAuthenticated: req.isAuthenticated?.() }
  }

  @Get('open')
  open(req: Request) {
    return { user: req.user ?? null, isAuthenticated: req.isAuthenticated?.() }
  }

  @Post('adopt')
  async adopt(req: Request) {
    await new Promise<void>((resolve, reject) => {
      req.logIn(ANN as never, (error) => (error ? reject(error) : resolve()))
    })
    return { isAuthenticated: req.isAuthenticated() }
  }

  @Post('logout')
  logout(req: Request, res: Response) {
    req.logout(() => res.sendStatus(204))
  }
}

const controllers = defineControllers(AccountController)

describe('the passport-local package with a session', () => {
  const apps = appsOfTest()

  function start() {
    const auth = authenticator()
    const login = express.Router()
    login.post('/login', express.json(), auth.authenticate('local'), (req, res) => {
      res.json({ user: req.user })
    })
    const guard = { canActivate: (req: Request) => req.isAuthenticated() }
    return apps.inProcess({
      controllers,
      middlewares: [...sessions(auth), login],
      auth: { guard },
    })
  }

  it('signs a user in, keeps the session, and signs the user out', async () => {
    const agent = (await start()).request()
    expect((await agent.get('/account')).status).toBe(401)
    const login = await agent.post('/login').send({ username: 'ann', password: 'secret' })
    expect(login.body).toEqual({ user: ANN })
    const me = await agent.get('/account')
    expect(me.body.data).toEqual({ user: ANN, isAuthenticated: true })
    expect((await agent.post('/account/logout')).status).toBe(204)
    expect((await agent.get('/account')).status).toBe(401)
  })

  it('refuses a wrong password with 401', async () => {
    const agent = (await start()).request()
    const login = await agent.post('/login').send({ username: 'ann', password: 'guess' })
    expect(login.status).toBe(401)
    expect((await agent.get('/account/open')).body.data).toEqual({
      user: null,
      isAuthenticated: false,
    })
  })

  it('results in a 500 response if a strategy fails', async () => {
    const agent = (await start()).request()
    const { status, body } = await agent.post('/login').send({ username: 'broken', password: 'x' })
    expect(status).toBe(500)
    expect(body.message).toBe('Internal Server Error')
  })

  it('signs a user in if a handler calls req.logIn()', async () => {
    const agent = (await start()).request()
    expect((await agent.post('/account/adopt')).body.data).toEqual({ isAuthenticated: true })
    expect((await agent.get('/account')).body.data.user).toEqual(ANN)
  })
})

describe('the passport-http-bearer package', () => {
  const apps = appsOfTest()

  it('protects the routes that have @Auth if a guard uses the package', async () => {
    const auth = { guard: new PassportGuard(authenticator(), 'bearer') }
    const app = await apps.inProcess({ controllers, auth })
    expect((await app.request().get('/account')).status).toBe(401)
    expect((await app.withAuth('bad').request().get('/account')).status).toBe(401)
    const { status, body } = await app.withAuth('good').request().get('/account')
    expect(status).toBe(200)
    expect(body.data.user).toEqual(ANN)
    expect((await app.clearHeaders().request().get('/account/open')).status).toBe(200)
  })

  it('protects all routes if it is a middleware', async () => {
    const authenticate = authenticator().authenticate('bearer', { session: false })
    // passport sends a plain text.
    const contract = 'off'
    const app = await apps.inProcess({ controllers, middlewares: [authenticate], contract })
    const { status, headers, text } = await app.request().get('/account/open')
    expect(status).toBe(401)
    expect(headers['www-authenticate']).toBe('Bearer realm="Users"')
    expect(text).toBe('Unauthorized')
    expect((await app.withAuth('good').request().get('/account/open')).body.data.user).toEqual(ANN)
  })

  it('sends its 401 error in the envelope with `failWithError: true`', async () => {
    const authenticate = authenticator().authenticate('bearer', {
      session: false,
      failWithError: true,
    })
    const app = await apps.inProcess({ controllers, middlewares: [authenticate] })
    const { status, body, headers } = await app.request().get('/account/open')
    expect(status).toBe(401)
    expect(body).toEqual({
      statusCode: 'error',
      status: 401,
      message: 'Unauthorized',
      code: 'UNAUTHORIZED',
    })
    expect(headers['www-authenticate']).toBe('Bearer realm="Users"')
  })
})
