import {
  App,
  type AppOptions,
  Auth,
  type AuthGuard,
  Controller,
  Get,
  InjectionToken,
  type Interceptor,
  inject,
  Use,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

const Missing = new InjectionToken<string>('Missing')
const OtherMissing = new InjectionToken<string>('OtherMissing')

@Controller('a')
class Needy {
  readonly missing = inject(Missing)
  @Get(':id?') get() {}
}

async function namesOf(options: AppOptions): Promise<[string, string][]> {
  return (await bootProblems(options)).map(({ code, subject }) => [code, subject])
}

describe('a single boot error', () => {
  it('lists a wrong option, a wrong path and a missing provider', async () => {
    expect(await namesOf({ controllers: [Needy], timeouts: { handler: '5 parsecs' } })).toEqual([
      ['E_OPTION_INVALID', 'timeouts.handler'],
      ['E_PATH_SYNTAX', 'Needy.get'],
      ['E_PROVIDER_MISSING', 'Missing'],
    ])
  })

  it('lists missing providers of classes, factories, guards and interceptors', async () => {
    const Guard = new InjectionToken<AuthGuard>('Guard')
    const Timing = new InjectionToken<Interceptor>('Timing')
    @Controller('b')
    class Items {
      readonly missing = inject(Missing)
      @Get() @Use(Timing) list() {}
    }
    const made = { token: 'made', useFactory: () => 1, inject: [OtherMissing] }
    const options = { controllers: [Items], providers: [made], auth: { guard: Guard } }
    const expected = ['OtherMissing', 'Missing', 'Guard', 'Timing']
    expect(await namesOf(options)).toEqual(expected.map((name) => ['E_PROVIDER_MISSING', name]))
    const withWrong = await namesOf({ ...options, limits: { body: -1 } })
    expect(withWrong).toEqual([
      ['E_OPTION_INVALID', 'limits.body'],
      ...expected.map((name) => ['E_PROVIDER_MISSING', name]),
    ])
  })

  it('lists a wrong option and a wrong route before anything is constructed', () => {
    let constructed = 0
    @Controller('c')
    class Items {
      constructor() {
        constructed++
      }
      @Get(':id?') get() {}
    }
    const app = new App({ controllers: [Items], timeouts: { handler: -1 } })
    expect(() => app.getRouteTable()).toThrow(/timeouts\.handler[\s\S]*Items\.get/)
    expect(constructed).toBe(0)
  })

  it('lists no problem that only results from a wrong option', async () => {
    @Controller('d')
    class Items {
      @Get('x') list() {}
      @Get('y') other() {}
    }
    const wrong = { controllers: [Items], prefix: 7 } as unknown as AppOptions
    expect(await namesOf(wrong)).toEqual([['E_OPTION_INVALID', 'prefix']])
  })

  it.each<[string, object]>([
    ['auth.guards.user', { auth: { guards: { user: {} } } }],
    ['providers', { providers: {} }],
    ['modules', { modules: {} }],
    ['plugins', { plugins: {} }],
    ['controllers[0]', { controllers: [undefined] }],
    ['defaultStatus.GET', { defaultStatus: { GET: 99 } }],
    ['envelope', { envelope: 'bare' }],
    ['responses', { responses: 'drop' }],
  ])(
    'lists nothing else if %s is wrong, because routes and providers can depend on it',
    async (...row) => {
      const [subject, wrong] = row
      @Controller('e')
      class Items {
        readonly missing = inject(Missing)
        @Auth('user') @Get('x') list() {}
      }
      const guard = { canActivate: () => true }
      const options = { controllers: [Items], auth: { guards: { user: guard } }, ...wrong }
      expect(await namesOf(options as AppOptions)).toEqual([['E_OPTION_INVALID', subject]])
    },
  )
})

describe('the search for missing providers after another problem', () => {
  it('runs no factories, closes the instances it constructs, and reports no further problems', async () => {
    const events: string[] = []
    const Pool = new InjectionToken<object>('Pool')
    class Users {
      readonly pool = inject(Pool)
    }
    class Timer {
      onInit() {
        events.push('init')
      }
      onClose() {
        events.push('close')
      }
    }
    class Plain {
      onClose() {
        events.push('closed plain')
      }
    }
    class Broken {
      constructor() {
        throw new Error('broken')
      }
    }
    const pool = { token: Pool, useFactory: async () => events.push('connected') }
    const problems = await namesOf({
      controllers: [Needy],
      providers: [pool, Users, Timer, Plain, Broken, { token: Missing, useValue: 'here' }],
    })
    expect(problems).toEqual([['E_PATH_SYNTAX', 'Needy.get']])
    expect(events).toEqual(['closed plain'])
  })
})
