import { Auth, type AuthGuard, Controller, Get, type Request, type RequestHandler } from 'blazon'
import { keyIdOf, setKeyId } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  ask,
  guards,
  type Headers,
  NO_PARTNER,
  NO_USER,
  PARTNER,
  runs,
  start,
  Two,
  USER,
  WEB,
  whose,
} from './schemes-app.js'

beforeEach(() => {
  runs.length = 0
})

type Row = readonly [title: string, headers: Headers, results: Readonly<Record<string, unknown>>]

const TABLE: readonly Row[] = [
  [
    'no credential',
    {},
    {
      '/one/required': 401,
      '/one/optional': 'null/null',
      '/one/public': 'null/null',
      '/one/can': 401,
      '/two/required': 401,
      '/two/turned': 401,
      '/two/optional': 'null/null',
      '/two/public': 'null/null',
      '/two/can': 401,
      '/three/required': 401,
    },
  ],
  [
    'a valid one for the first guard',
    USER,
    {
      '/one/required': 'user/user',
      '/one/optional': 'user/user',
      '/one/public': 'null/null',
      '/one/can': 'user/user',
      '/two/required': 'user/user',
      '/two/turned': 'user/user',
      '/two/optional': 'user/user',
      '/two/public': 'null/null',
      '/two/can': 'user/user',
      '/three/required': 'user/user',
      '/three/web': 401,
    },
  ],
  [
    'a valid one for the second guard',
    PARTNER,
    {
      '/one/required': 401,
      '/one/optional': 'null/null',
      '/one/can': 401,
      '/two/required': 'partner/partner',
      '/two/turned': 'partner/partner',
      '/two/optional': 'partner/partner',
      '/two/public': 'null/null',
      '/two/can': 403,
      '/three/required': 'partner/partner',
    },
  ],
  [
    'a valid one for the third guard',
    WEB,
    { '/two/required': 401, '/three/required': 'web/web', '/three/web': 'web/web' },
  ],
  [
    'an invalid one',
    NO_USER,
    {
      '/one/required': 401,
      '/one/optional': 401,
      '/one/public': 'null/null',
      '/two/required': 401,
      '/two/optional': 401,
      '/two/public': 'null/null',
      '/two/can': 401,
      '/three/required': 401,
    },
  ],
  [
    'two valid ones',
    { ...USER, ...PARTNER },
    {
      '/one/required': 'user/user',
      '/two/required': 'user/user',
      '/two/turned': 'partner/partner',
      '/two/optional': 'user/user',
      '/two/can': 'user/user',
      '/three/required': 'user/user',
    },
  ],
  [
    'a valid one for the first guard and an invalid one for the second',
    { ...USER, ...NO_PARTNER },
    {
      '/one/required': 'user/user',
      '/one/optional': 'user/user',
      '/two/required': 401,
      '/two/turned': 401,
      '/two/optional': 401,
      '/two/public': 'null/null',
      '/two/can': 401,
      '/three/required': 401,
    },
  ],
  [
    'an invalid one for the first guard and a valid one for the second',
    { ...NO_USER, ...PARTNER },
    { '/two/required': 401, '/two/turned': 401, '/two/optional': 401, '/three/required': 401 },
  ],
  [
    'three valid ones',
    { ...USER, ...PARTNER, ...WEB },
    { '/two/required': 'user/user', '/three/required': 'user/user', '/three/web': 'web/web' },
  ],
  [
    'two valid ones and an invalid third one',
    { ...USER, ...PARTNER, cookie: 'session=wrong' },
    { '/two/required': 'user/user', '/three/required': 401, '/three/web': 401 },
  ],
  [
    'an empty one beside a valid one',
    { ...USER, 'x-api-key': '' },
    { '/two/required': 401, '/two/optional': 401, '/one/required': 'user/user' },
  ],
  [
    'a value in the header of the first guard that is not one of its credentials',
    { authorization: 'Basic YTpi' },
    {
      '/two/required': 401,
      '/two/optional': 401,
      '/one/optional': 401,
      '/two/public': 'null/null',
    },
  ],
  [
    'the same beside a valid one for the second guard',
    { authorization: 'Basic YTpi', ...PARTNER },
    { '/two/required': 'partner/partner', '/two/optional': 'partner/partner' },
  ],
]

describe('a request to an application with several guards', () => {
  it.each(TABLE)(
    'is authenticated or refused according to its credentials: %s',
    async (_title, headers, results) => {
      await using app = await start()
      const found: Record<string, unknown> = {}
      for (const path of Object.keys(results)) found[path] = await ask(app, path, headers)
      expect(found).toEqual(results)
    },
  )

  it('runs only the guards whose credentials it contains, in the order of @Auth', async () => {
    await using app = await start()
    const all = { ...USER, ...PARTNER, ...WEB }
    await ask(app, '/two/turned', all)
    expect(runs.splice(0)).toEqual(['partner', 'user'])
    await ask(app, '/three/web', all)
    expect(runs.splice(0)).toEqual(['web'])
    await ask(app, '/two/public', all)
    await ask(app, '/two/required', WEB)
    await ask(app, '/two/required')
    expect(runs).toEqual([])
  })

  it('receives the challenge of each accepted guard once', async () => {
    await using app = await start()
    const challengesOf = async (path: string, headers: Headers = {}) =>
      (await app.request().get(path).set(headers)).headers['www-authenticate']
    expect(await challengesOf('/one/required')).toBe('Bearer')
    expect(await challengesOf('/two/required')).toBe('Bearer, ApiKey')
    expect(await challengesOf('/two/turned', NO_USER)).toBe('ApiKey, Bearer')
    expect(await challengesOf('/three/web')).toBe('Cookie')
    await using same = await start({
      auth: { guards: { ...guards, partner: { ...guards.partner, challenge: 'Bearer' } } },
    })
    const { headers } = await same.request().get('/two/required')
    expect(headers['www-authenticate']).toBe('Bearer')
  })

  it('receives the status and the headers of an HTTP error that a guard throws', async () => {
    const { UnauthorizedError } = await import('blazon')
    const canActivate = () => {
      const header = 'Bearer error="invalid_token"'
      throw new UnauthorizedError('Expired', { headers: { 'WWW-Authenticate': header } })
    }
    await using app = await start({
      auth: { guards: { ...guards, user: { ...guards.user, canActivate } } },
    })
    const { status, headers, body } = await app
      .request()
      .get('/two/required')
      .set({ ...USER, ...PARTNER })
    expect([status, headers['www-authenticate'], body.message]).toEqual([
      401,
      'Bearer error="invalid_token"',
      'Expired',
    ])
  })

  it('is refused with 401 if a guard throws, and the error is logged', async () => {
    await using app = await start()
    expect(await ask(app, '/two/required', { authorization: 'crash', ...PARTNER })).toBe(401)
    expect(app.logs.map(({ level }) => level)).toEqual(['error'])
  })

  it('is refused if only a middleware has set its user', async () => {
    const identify: RequestHandler = (req, _res, next) => {
      req.user = { id: 'from a middleware' }
      next()
    }
    await using app = await start({ middlewares: [identify] })
    expect(await ask(app, '/two/optional')).toBe(401)
    expect(await ask(app, '/two/required')).toBe(401)
    expect(await ask(app, '/two/optional', PARTNER)).toBe('partner/partner')
  })

  it('has no user if one of its guards refuses it', async () => {
    const seen: unknown[] = []
    const users = async (
      _error: unknown,
      req: Request,
      res: { status(code: number): { end(): void } },
      _next: unknown,
    ) => {
      seen.push(req.user)
      res.status(401).end()
    }
    await using app = await start({ middlewares: [users as never], contract: 'off' })
    await ask(app, '/two/required', { ...USER, ...NO_PARTNER })
    await ask(app, '/two/turned', { ...NO_USER, ...PARTNER })
    expect(seen).toEqual([undefined, undefined])
  })

  it('has the key id of the first guard that sets one', async () => {
    const withKey = (key: string): AuthGuard => ({
      credentials: [`x-${key}`],
      canActivate(req: Request) {
        setKeyId(req, key)
        return true
      },
    })

    @Controller('keys')
    class KeysController {
      @Auth('one', 'two')
      @Get()
      key(req: Request) {
        return { key: keyIdOf(req) }
      }
    }
    await using app = await TestApp.create({
      controllers: [KeysController],
      auth: { guards: { one: withKey('one'), two: withKey('two') } },
    })
    const { body } = await app.request().get('/keys').set({ 'x-one': '1', 'x-two': '2' })
    expect(body.data).toEqual({ key: 'one' })
  })

  it('has no user if the first guard sets none, even if a later guard does', async () => {
    const silent = { ...guards.user, canActivate: () => true }
    await using app = await start({ auth: { guards: { ...guards, user: silent } } })
    expect(await ask(app, '/two/required', { ...USER, ...PARTNER })).toBe('null/user')
  })

  it('is not admitted by a guard whose `carries` throws or returns no boolean', async () => {
    const broken = [
      () => {
        throw new Error('broken')
      },
      () => undefined,
      () => Promise.resolve(false),
    ]
    for (const carries of broken) {
      const user = { ...guards.user, carries: carries as never }
      await using app = await start({ auth: { guards: { ...guards, user } } })
      expect(await ask(app, '/two/required', PARTNER)).toBe(401)
      expect(await ask(app, '/two/optional')).toBe(401)
      expect(await ask(app, '/one/optional')).toBe(401)
    }
  })
})

describe('@Auth in an application with several guards', () => {
  it('replaces the @Auth of the class or of a base class when it is on a method or a subclass', async () => {
    @Auth('partner')
    @Controller('base')
    class Base {
      @Get('own')
      own(req: Request) {
        return whose(req)
      }

      @Auth('user')
      @Get('other')
      other(req: Request) {
        return whose(req)
      }
    }

    @Controller('sub')
    class Sub extends Base {
      override other(req: Request) {
        return whose(req)
      }
    }

    @Auth('web')
    @Controller('web')
    class Web extends Base {}

    await using app = await start({}, [Base, Sub, Web])
    const paths = ['/base/own', '/base/other', '/sub/own', '/sub/other', '/web/own', '/web/other']
    const all = { ...USER, ...PARTNER, ...WEB }
    const found = await Promise.all(paths.map((path) => ask(app, path, all)))
    expect(found).toEqual(
      ['partner', 'user', 'partner', 'user', 'web', 'user'].map((n) => `${n}/${n}`),
    )
    for (const path of paths) expect(await ask(app, path)).toBe(401)
  })

  it('is shown in the table of routes', async () => {
    await using app = await start()
    const rows = app.getRouteTable().map(({ path, method, guards: named }) => [method, path, named])
    expect(rows).toContainEqual(['GET', '/one/required', ['user']])
    expect(rows).toContainEqual(['GET', '/one/public', undefined])
    expect(rows).toContainEqual(['GET', '/two/turned', ['partner', 'user']])
    await using single = await start({ auth: { guard: guards.user } }, [PlainTwo])
    expect(Object.keys(single.getRouteTable()[0] ?? {})).not.toContain('guards')
  })

  it('accepts each guard only once, even if it is named twice', async () => {
    @Controller('again')
    class Again {
      @Auth('partner', 'user', 'partner')
      @Get()
      get(req: Request) {
        return whose(req)
      }
    }
    await using app = await start({}, [Again])
    expect(app.getRouteTable()[0]?.guards).toEqual(['partner', 'user'])
    expect(app.document.paths['/again']?.get?.security).toHaveLength(2)
  })

  it('uses the first guard if it has no name, and so does `auth.default`', async () => {
    @Controller('plain')
    class Plain {
      @Get()
      get(req: Request) {
        return whose(req)
      }
    }
    await using app = await start({ auth: { guards, default: 'protected' } }, [Plain])
    expect(await ask(app, '/plain', USER)).toBe('user/user')
    expect(await ask(app, '/plain', PARTNER)).toBe(401)
  })
})

describe('a test caller', () => {
  it('is a user of the first guard that the route accepts', async () => {
    await using app = await start()
    const caller = app.as({ id: 1, from: 'test', permissions: ['write'] })
    const schemes = ['/one/required', '/two/turned', '/two/can', '/two/optional', '/three/web'].map(
      async (path) => (await caller.request().get(path)).body.data,
    )
    expect(await Promise.all(schemes)).toEqual(
      ['user', 'partner', 'user', 'user', 'web'].map((scheme) => ({ from: 'test', scheme })),
    )
  })

  it('can be a principal of authMatrix() with the credentials of each guard', async () => {
    await using app = await start({}, [Two])
    const matrix = await app.authMatrix({
      nobody: null,
      admin: { permissions: ['write'] },
      partner: app.with(PARTNER),
      wrong: app.with({ ...USER, ...NO_PARTNER }),
    })
    const table = Object.fromEntries(
      matrix.rows.map(({ operation, access }) => [operation, Object.values(access)]),
    )
    expect(table).toEqual({
      'GET /two/required': [401, 'allowed', 'allowed', 401],
      'POST /two/required': [401, 'allowed', 'allowed', 401],
      'GET /two/turned': [401, 'allowed', 'allowed', 401],
      'GET /two/optional': ['allowed', 'allowed', 'allowed', 401],
      'GET /two/public': ['allowed', 'allowed', 'allowed', 'allowed'],
      'GET /two/can': [401, 'allowed', 403, 401],
      'GET /two/stream': [401, 'allowed', 'allowed', 401],
    })
  })
})

@Controller('plain-two')
class PlainTwo {
  @Auth()
  @Get()
  get(req: Request) {
    return whose(req)
  }
}
