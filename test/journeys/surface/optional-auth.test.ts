import { request as send } from 'node:http'
import { App, Auth, Can, Controller, Get, Public, type Request, type RequestHandler } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'
import {
  Articles,
  ask,
  type Headers,
  Notes,
  start,
  TokenGuard,
  whose,
} from './optional-auth-app.js'

describe('the decorator @Auth({ optional: true })', () => {
  it('calls the guard if a middleware sets a user, but not if it sets null or undefined', async () => {
    const asked: unknown[] = []
    const guard = {
      canActivate(req: Request) {
        asked.push(req.user)
        return true
      },
    }
    const given: unknown[] = [null, undefined, { id: 'ann' }]
    for (const user of given) {
      const middlewares: RequestHandler[] = [
        (req, _res, next) => {
          req.user = user as never
          next()
        },
      ]
      await using app = await start({ auth: { guard }, middlewares })
      expect(await ask(app)).toBe(user ? 'ann' : 'anybody')
    }
    expect(asked).toEqual([{ id: 'ann' }])
  })

  it('accepts a request that has no credentials, and does not call the guard', async () => {
    const guard = {
      canActivate() {
        throw new Error('The guard must not run.')
      },
    }
    await using app = await start({ auth: { guard } })
    expect(await ask(app)).toBe('anybody')
    expect(await ask(app, { 'x-api-key': 'ann', cookie: 'session=ann' })).toBe('anybody')
  })

  it('lets the guard refuse a request even if a middleware has set a user', async () => {
    const identify: RequestHandler = (req, _res, next) => {
      req.user = { id: 'from a session' }
      next()
    }
    await using app = await start({ middlewares: [identify] })
    expect(await ask(app)).toBe(401)
    expect(await ask(app, { authorization: 'Bearer ann' })).toBe('ann')
  })

  it('calls the guard for a request with credentials', async () => {
    await using app = await start()
    expect(await ask(app, { authorization: 'Bearer ann' })).toBe('ann')
    const refused = await app.request().get('/articles').set('authorization', 'Bearer eve')
    expect([refused.status, refused.body.code]).toEqual([401, 'UNAUTHORIZED'])
    expect(refused.headers['www-authenticate']).toBe('Bearer')
  })

  it.each([
    ['an empty value', ['Authorization', '']],
    ['white space', ['authorization', '   ']],
    ['another scheme', ['AUTHORIZATION', 'Basic YTpi']],
    [
      'two headers, of which the first is empty',
      ['Authorization', '', 'Authorization', 'Bearer ann'],
    ],
    ['two headers', ['Authorization', 'Bearer eve', 'authorization', 'Bearer ann']],
  ])('never skips the guard for an unusual Authorization header: %s', async (_, headers) => {
    await using app = await start()
    const status = await new Promise((resolve, reject) => {
      const raw = ['Host', 'localhost', ...headers]
      const req = send(
        { createConnection: app.connect, path: '/articles', headers: raw },
        (res) => {
          res.resume().once('end', () => resolve(res.statusCode))
        },
      )
      req.once('error', reject).end()
    })
    expect(status).toBe(401)
  })

  it('refuses requests with credentials, and causes a warning, if no guard is configured', async () => {
    await using app = await start({ auth: {}, contract: 'off' })
    expect(await ask(app)).toBe('anybody')
    expect(await ask(app, { authorization: 'Bearer ann' })).toBe(401)
    const [warning] = await bootWarnings({ controllers: [Articles] })
    expect(warning?.code).toBe('W_AUTH_WITHOUT_GUARD')
    expect(warning?.text).toContain('Articles.list, Articles.comment')
  })
})

describe('the auth.credentials option', () => {
  const credentials = ['Authorization', 'X-API-Key', 'cookie:session']
  const auth = { guard: TokenGuard, credentials }

  it('defines which headers and cookies are credentials', async () => {
    await using app = await start({ auth })
    expect(await ask(app)).toBe('anybody')
    expect(await ask(app, { cookie: 'theme=dark; my_session=x; session.sig=y' })).toBe('anybody')
    for (const headers of [
      { authorization: 'Bearer ann' },
      { 'x-api-key': 'ann' },
      { cookie: 'session=ann' },
      { cookie: 'theme=dark;session=ann' },
    ]) {
      expect(await ask(app, headers as Headers)).toBe('ann')
    }
  })

  it.each([
    'session=eve',
    'session=',
    'session',
    'a=b; session =eve',
    'a=b;\tsession=eve',
    'session=eve; session=eve',
    'a=b,session=eve',
    '; session=eve',
  ])('makes the guard check even an unusual cookie: %s', async (cookie) => {
    await using app = await start({ auth })
    expect(await ask(app, { cookie })).toBe(401)
  })

  it.each([
    ['not a list', 'authorization'],
    ['an empty list', []],
    ['a list with an empty name', ['']],
    ['a list with a cookie without a name', ['cookie:']],
    ['a list with a space in a name', ['x api key']],
    ['a list with a number', [7]],
    ['null', null],
  ])('is refused at boot if it is %s', async (_, given) => {
    const problems = await bootProblems({
      controllers: [Articles],
      auth: { guard: TokenGuard, credentials: given as never },
    })
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_OPTION_INVALID', 'auth.credentials'],
    ])
    expect(problems[0]?.remedy).toContain("'cookie:session'")
  })
})

@Auth({ optional: true })
@Controller('drafts')
class Drafts {
  @Get('open')
  open(req: Request) {
    return whose(req)
  }

  @Auth()
  @Get('mine')
  mine(req: Request) {
    return whose(req)
  }

  @Can('drafts')
  @Get('all')
  all(req: Request) {
    return whose(req)
  }

  @Public()
  @Get('help')
  help(req: Request) {
    return whose(req)
  }
}

describe('the access rule of a route', () => {
  it('comes from its method or else from its class, and always requires a user with @Can', async () => {
    const auth = { guard: TokenGuard, default: 'protected' } as const
    await using app = await start({ auth }, [Drafts, Notes, Articles])
    const anonymous: Record<string, unknown> = {}
    const wrong: Record<string, unknown> = {}
    for (const path of [
      '/drafts/open',
      '/drafts/mine',
      '/drafts/all',
      '/drafts/help',
      '/notes',
      '/notes/mine',
      '/articles',
    ]) {
      anonymous[path] = await ask(app, {}, path)
      wrong[path] = await ask(app, { authorization: 'Bearer eve' }, path)
    }
    expect(anonymous).toEqual({
      '/drafts/open': 'anybody',
      '/drafts/mine': 401,
      '/drafts/all': 401,
      '/drafts/help': 'anybody',
      '/notes': 'anybody',
      '/notes/mine': 401,
      '/articles': 'anybody',
    })
    expect(Object.values(wrong).filter((each) => each !== 401)).toEqual(['anybody'])
    expect(await ask(app, { authorization: 'Bearer bob' }, '/drafts/all')).toBe(403)
    expect(await ask(app, { authorization: 'Bearer ann' }, '/drafts/all')).toBe('ann')
  })

  it('appears in the table of routes', async () => {
    await using app = await start({}, [Drafts])
    const table = app
      .getRouteTable()
      .map(({ path, isProtected, isAuthOptional }) => [path, isProtected, isAuthOptional])
    expect(table).toEqual([
      ['/drafts/open', false, true],
      ['/drafts/mine', true, false],
      ['/drafts/all', true, false],
      ['/drafts/help', false, false],
    ])
  })

  it('appears in the document as optional security and the status 401', async () => {
    await using app = await start({}, [Drafts, Articles])
    const { paths } = app.document
    const open = paths['/drafts/open']?.get
    expect(open?.security).toEqual([{ BearerAuth: [] }, {}])
    expect(open?.responses['401']).toBeDefined()
    expect(paths['/drafts/mine']?.get?.security).toEqual([{ BearerAuth: [] }])
    expect(paths['/drafts/help']?.get?.security).toBeUndefined()
  })

  it.each([
    ['an unknown option', () => (Auth as unknown as (given: unknown) => void)({ optionall: true })],
    ['a value that is not a boolean', () => Auth({ optional: 'yes' as never })],
    ['a guard', () => (Auth as unknown as (given: unknown) => void)(TokenGuard)],
  ])('cannot be set with %s', (_, apply) => {
    expect(apply).toThrow(/@Auth/)
  })

  it('can be undefined, which has no effect', async () => {
    @Controller('plain')
    class Plain {
      @Auth(undefined)
      @Get()
      get() {}
    }
    const app = new App({ controllers: [Plain], auth: { guard: TokenGuard }, logger: false })
    expect(app.getRouteTable()).toMatchObject([{ path: '/plain', isProtected: true }])
  })

  it('causes an error that shows the wrong one of several arguments', () => {
    const auth = Auth as unknown as (...args: unknown[]) => unknown
    expect(() => auth('user', 7)).toThrow('@Auth was given 7, but takes only guard names')
    expect(() => auth({ roles: ['admin'] })).toThrow("@Auth was given { roles: [ 'admin' ] }, but")
  })

  it('causes an error if it is both optional and required, and a warning if it is optional with @Can', async () => {
    @Controller('twice')
    class Twice {
      @Auth()
      @Auth({ optional: true })
      @Get('a')
      a() {}

      @Public()
      @Auth({ optional: true })
      @Get('b')
      b() {}

      @Can('x')
      @Auth({ optional: true })
      @Get('c')
      c() {}
    }
    @Auth()
    @Auth({ optional: true })
    @Controller('both')
    class Both {
      @Get()
      a() {}
    }
    @Can('x')
    @Controller('able')
    class Able {
      @Auth({ optional: true })
      @Get()
      a() {}
    }
    const problems = await bootProblems({
      controllers: [Twice, Both, Able],
      auth: { guard: TokenGuard },
      strict: true,
    })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`).sort()).toEqual([
      'E_DECORATOR_CONFLICT Both',
      'E_DECORATOR_CONFLICT Twice.a',
      'E_DECORATOR_CONFLICT Twice.b',
      'W_AUTH_NOT_OPTIONAL Able.a',
      'W_AUTH_NOT_OPTIONAL Twice.c',
    ])
  })
})
