import {
  App,
  Auth,
  type AuthGuard,
  Controller,
  Get,
  Inject,
  Injectable,
  InjectionToken,
  type Request,
} from 'blazon'
import type { GuardSetup } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

const guard: AuthGuard = { canActivate: () => true }

@Controller('a')
class Plain {
  @Auth()
  @Get()
  get() {
    return 1
  }
}

const problemsOf = async (auth: unknown, controllers = [Plain]) =>
  (await bootProblems({ controllers, auth: auth as never })).map(
    ({ code, subject, cause, remedy }) => ({ code, subject, text: `${cause} ${remedy}` }),
  )

describe('the validation of guards at boot', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['both `guard` and `guards`', { guard, guards: { user: guard } }, 'auth.guards', /default/],
    ['`guards` without a guard', { guards: {} }, 'auth.guards', /at least one guard/],
    ['a list of guards', { guards: [guard] }, 'auth.guards', /not an object/],
    ['a name with a hyphen', { guards: { 'a-b': guard } }, 'auth.guards', /'a-b'/],
    ['a name that begins with a digit', { guards: { '1a': guard } }, 'auth.guards', /'1a'/],
    ['an object that is not a guard', { guards: { user: {} } }, 'auth.guards.user', /canActivate/],
    [
      'a guard that is undefined',
      { guards: { user: undefined } },
      'auth.guards.user',
      /canActivate/,
    ],
    [
      'credentials that are not header names',
      { guards: { user: { ...guard, credentials: ['a b'] } } },
      'auth.guards.user.credentials',
      /'a b'/,
    ],
    [
      'an empty list of credentials',
      { guard: { ...guard, credentials: [] } },
      'auth.guard.credentials',
      /list/,
    ],
    [
      'a challenge with two lines',
      { guards: { user: { ...guard, challenge: 'a\nb' } } },
      'auth.guards.user.challenge',
      /header/,
    ],
    [
      'a security scheme with an unknown type',
      { guard: { ...guard, security: { type: 'basic' } } },
      'auth.guard.security',
      /'basic'/,
    ],
    [
      'a security scheme without a name',
      { guard: { ...guard, security: { type: 'apiKey', in: 'header' } } },
      'auth.guard.security',
      /`name`/,
    ],
    [
      'a security scheme http without a scheme',
      { guard: { ...guard, security: { type: 'http' } } },
      'auth.guard.security',
      /`scheme`/,
    ],
    [
      'a security scheme apiKey without a place',
      { guard: { ...guard, security: { type: 'apiKey', name: 'x' } } },
      'auth.guard.security',
      /`in`/,
    ],
    [
      'a security scheme oauth2 without flows',
      { guard: { ...guard, security: { type: 'oauth2' } } },
      'auth.guard.security',
      /`flows`/,
    ],
    [
      'a security scheme openIdConnect without a URL',
      { guard: { ...guard, security: { type: 'openIdConnect' } } },
      'auth.guard.security',
      /`openIdConnectUrl`/,
    ],
    [
      'a security scheme that is null',
      { guard: { ...guard, security: null } },
      'auth.guard.security',
      /Its type is undefined/,
    ],
    [
      'a security scheme whose type is a member of every object',
      { guard: { ...guard, security: { type: 'constructor' } } },
      'auth.guard.security',
      /'constructor'/,
    ],
    [
      'an empty challenge',
      { guard: { ...guard, challenge: ' ' } },
      'auth.guard.challenge',
      /header/,
    ],
    [
      '`carries` that is no function',
      { guard: { ...guard, carries: true } },
      'auth.guard.carries',
      /method/,
    ],
    [
      '`contract` that is no function',
      { guard: { ...guard, contract: {} } },
      'auth.guard.contract',
      /method/,
    ],
    ['null as guards', { guards: null }, 'auth.guards', /null is not an object/],
    [
      'scopes that are not a function',
      { guard: { ...guard, scopes: ['a'] } },
      'auth.guard.scopes',
      /function/,
    ],
    [
      'scopes that return no list',
      { guards: { user: { ...guard, scopes: () => 'a' } } },
      'auth.guards.user scopes(Plain.get)',
      /list/,
    ],
    [
      'a contract with an invalid value',
      { guards: { user: { ...guard, contract: () => ({ errors: ['x'] }) } } },
      'auth.guards.user contract(Plain.get).errors',
      /./,
    ],
    ['a misspelled option', { gaurds: { user: guard } }, 'auth.gaurds', /not an option/],
  ])('refuses %s', async (_title, auth, subject, text) => {
    const [problem] = await problemsOf(auth)
    expect(problem).toMatchObject({ code: 'E_OPTION_INVALID', subject })
    expect(problem?.text).toMatch(text)
  })

  it('refuses an unknown guard name in @Auth on a method or on a class', async () => {
    @Auth('Parter')
    @Controller('b')
    class Wrong {
      @Get()
      get() {
        return 1
      }

      @Auth('user', 'nobody')
      @Get('two')
      two() {
        return 2
      }
    }
    const guards = { user: guard, partner: guard }
    expect(await problemsOf({ guards }, [Wrong])).toEqual([
      {
        code: 'E_AUTH_GUARD_UNKNOWN',
        subject: 'Wrong',
        text: "@Auth('Parter') refers to a guard that is not in `auth.guards`. The valid names are: user, partner. Did you mean 'partner'?",
      },
      {
        code: 'E_AUTH_GUARD_UNKNOWN',
        subject: 'Wrong.two',
        text: "@Auth('nobody') refers to a guard that is not in `auth.guards`. The valid names are: user, partner.",
      },
    ])
    const [problem] = await problemsOf({ guard }, [Wrong])
    expect(problem).toMatchObject({ code: 'E_AUTH_GUARD_UNKNOWN', subject: 'Wrong' })
    expect((await problemsOf(undefined, [Wrong]))[0]?.code).toBe('E_AUTH_GUARD_UNKNOWN')
  })

  it('suggests a guard name that begins with the unknown name, or the reverse, or differs in two letters', async () => {
    @Controller('b')
    class Wrong {
      @Auth('partner-keys')
      @Get()
      get() {
        return 1
      }

      @Auth('par')
      @Get('two')
      two() {}

      @Auth('PATRNER')
      @Get('three')
      three() {}

      @Auth('prtnerss')
      @Get('four')
      four() {}
    }
    const found = await problemsOf({ guards: { user: guard, partner: guard } }, [Wrong])
    const hints = found.map(({ text }) => /Did you mean '(.*)'\?$/.exec(text)?.[1])
    expect(hints).toEqual(['partner', 'partner', 'partner', undefined])
  })

  it('refuses two @Auth decorators with different names on one method', async () => {
    @Controller('c')
    class Twice {
      @Auth('user')
      @Auth('partner')
      @Get()
      get() {
        return 1
      }
    }
    const [problem] = await problemsOf({ guards: { user: guard, partner: guard } }, [Twice])
    expect(problem).toMatchObject({ code: 'E_DECORATOR_CONFLICT', subject: 'Twice.get' })
  })

  it('refuses a guard class whose `credentials` or `tenantOf` are instance fields', async () => {
    class Hidden {
      readonly credentials = ['x-key']
      readonly tenantOf = () => 'acme'
      canActivate() {
        return true
      }
    }
    const found = await problemsOf({ guards: { key: Hidden } })
    expect(found.map(({ subject, text }) => [subject, /`(\w+)`/.exec(text)?.[1]])).toEqual([
      ['auth.guards.key', 'credentials'],
      ['auth.guards.key', 'tenantOf'],
    ])
  })

  it('refuses a plugin that describes the security scheme of a guard differently', async () => {
    const security = { user: { type: 'apiKey', in: 'header', name: 'x' } } as const
    const plugins = [{ name: 'gateway', contract: () => ({ security }) }]
    const options = { controllers: [Plain], plugins, auth: { guards: { user: guard } } }
    const [problem] = await bootProblems(options)
    expect(problem?.cause).toContain('auth.guards.user')
  })

  it('refuses mutualTLS in an OpenAPI 3.0 document', async () => {
    const auth = { guards: { mesh: { ...guard, security: { type: 'mutualTLS' as const } } } }
    const [problem] = await bootProblems({ controllers: [Plain], auth })
    expect(problem?.subject).toBe('auth.guards.mesh.security')
    await (
      await App.create({ controllers: [Plain], auth, swagger: { openapi: '3.1' }, logger: false })
    ).close()
  })
})

describe('the @Auth decorator', () => {
  it.each<[string, readonly unknown[]]>([
    ['a number', [1]],
    ['an empty name', ['']],
    ['the option `roles`', [{ roles: ['admin'] }]],
    ['a list', [['user']]],
    ['a name after the options', [{ optional: true }, 'user']],
    ['an unknown option after a name', ['user', { roles: [] }]],
    ['undefined after a name', ['user', undefined]],
  ])('refuses %s', (_title, args) => {
    const decorate = Auth as (...given: readonly unknown[]) => unknown
    expect(() => decorate(...args)).toThrow(/E_DECORATOR_TARGET/)
  })
})

const Names = new InjectionToken<string[]>('Names')

@Injectable()
class ClassGuard implements AuthGuard {
  static readonly credentials: readonly string[] = ['x-key']

  @Inject(Names)
  readonly names!: string[]

  canActivate(req: Request) {
    req.user = { id: String(req.headers['x-key']) }
    return this.names.includes(String(req.headers['x-key']))
  }
}

@Controller('who')
class Who {
  @Auth('key')
  @Get()
  get(req: Request) {
    return { id: req.user?.id }
  }

  @Auth('key', { optional: true })
  @Get('optional')
  optional(req: Request) {
    return { id: req.user?.id ?? null }
  }
}

describe('a guard of `auth.guards`', () => {
  it.each(['a class', 'a token'])('can be %s', async (kind) => {
    const token = new InjectionToken<AuthGuard>('guard')
    const providers = [
      { token: Names, useValue: ['ann'] },
      { token, useExisting: ClassGuard },
      ClassGuard,
    ]
    const key = kind === 'a class' ? ClassGuard : token
    await using app = await TestApp.create({
      controllers: [Who],
      providers,
      auth: { guards: { key } },
    })
    const get = async (id?: string, path = '/who') =>
      (
        await app
          .request()
          .get(path)
          .set(id === undefined ? {} : { 'x-key': id })
      ).status
    expect(await get('ann')).toBe(200)
    expect(await get('bob')).toBe(401)
    expect(await get()).toBe(401)
    // A token shows no places, so they are those of `auth.credentials`.
    expect(await get('bob', '/who/optional')).toBe(kind === 'a class' ? 401 : 200)
  })

  it('is set up with its hooks once for each application, but not if only a document is created', async () => {
    const calls: string[] = []
    let applications = 0
    const shared: AuthGuard = {
      canActivate: () => {
        throw new Error('The original guard must not run.')
      },
      async forApplication({ get, logger }: GuardSetup) {
        expect(logger.info).toBeTypeOf('function')
        const own = ++applications
        const names = get(Names)
        return {
          canActivate: (req: Request) => names.includes(String(req.headers.authorization)),
          onInit: () => calls.push(`init ${own}`),
          onReady: () => calls.push(`ready ${own}`),
          onClose: () => calls.push(`close ${own}`),
        } as AuthGuard
      },
    }
    const options = (name: string) => ({
      controllers: [Who],
      providers: [{ token: Names, useValue: [name] }],
      auth: { guards: { key: shared, again: shared } },
    })
    void new App(options('nobody')).document
    expect(applications).toBe(0)
    const one = await TestApp.create(options('ann'))
    const two = await TestApp.create(options('bob'))
    const get = async (app: TestApp, authorization: string) =>
      (await app.request().get('/who').set({ authorization })).status
    expect([await get(one, 'ann'), await get(one, 'bob')]).toEqual([200, 401])
    expect([await get(two, 'ann'), await get(two, 'bob')]).toEqual([401, 200])
    await two.close()
    await one.close()
    expect(applications).toBe(2)
    expect(calls).toEqual(['init 1', 'ready 1', 'init 2', 'ready 2', 'close 2', 'close 1'])
  })

  it('prevents startup and closes the other guards if `forApplication` fails or returns no guard', async () => {
    const closed: string[] = []
    const first: AuthGuard = {
      canActivate: () => true,
      forApplication: () =>
        ({ canActivate: () => true, onClose: () => closed.push('first') }) as AuthGuard,
    }
    const wrong = { canActivate: () => true, forApplication: () => ({}) } as unknown as AuthGuard
    const [problem] = await bootProblems({
      controllers: [Plain],
      auth: { guards: { first, wrong } },
    })
    expect(problem).toMatchObject({ code: 'E_OPTION_INVALID', subject: 'auth.guards.wrong' })
    const failing: AuthGuard = {
      canActivate: () => true,
      forApplication: async () => {
        throw new Error('no issuer')
      },
    }
    const auth = { guards: { first, failing } }
    await expect(App.create({ controllers: [Plain], auth, logger: false })).rejects.toThrow(
      'no issuer',
    )
    expect(closed).toEqual(['first', 'first'])
  })
})
