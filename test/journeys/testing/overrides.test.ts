import {
  App,
  Auth,
  type AuthGuard,
  ConfigError,
  Controller,
  Get,
  Inject,
  Injectable,
  InjectionToken,
  inject,
  type Plugin,
  type Request,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

class Mailer {
  send(): string {
    return 'really sent'
  }
}
const fake: Mailer = { send: () => 'kept' }

@Injectable()
class UnlistedMailer extends Mailer {}

class Tokens {
  accepts(token: string | undefined) {
    return token === 'Bearer real'
  }
}

class TokenGuard implements AuthGuard {
  private readonly tokens = inject(Tokens)
  async canActivate(req: Request) {
    return this.tokens.accepts(req.get('authorization'))
  }
}

class Signup {
  readonly mailer = inject(Mailer)
}

const Limit = new InjectionToken<number>('Limit')

@Controller('mail')
class MailController {
  private readonly signup = inject(Signup)
  @Inject('unlisted') private readonly unlisted!: Mailer
  constructor(
    private readonly mailer = inject(Mailer),
    private readonly limit = inject(Limit, { optional: true }),
  ) {}

  @Get() send() {
    const mailers = [this.mailer, this.signup.mailer, this.unlisted]
    return { sent: mailers.map((mailer) => mailer.send()), limit: this.limit ?? null }
  }
  @Auth() @Get('guarded') guarded() {
    return this.mailer.send()
  }
}

const options = {
  controllers: [MailController],
  providers: [Tokens, Signup, { token: 'unlisted', useExisting: UnlistedMailer }],
  modules: [{ name: 'mail', providers: [Mailer] }],
  auth: { guard: TokenGuard },
}

let app: TestApp
afterEach(() => app.close())

async function sent() {
  return (await app.request().get('/mail')).body.data
}

describe('an override', () => {
  it('applies to controllers, providers, aliases and unlisted classes', async () => {
    app = await TestApp.create(options)
    expect((await sent()).sent).toEqual(['really sent', 'really sent', 'really sent'])
    await app.close()
    const testOverrides = [
      { token: Mailer, useValue: fake },
      { token: UnlistedMailer, useValue: fake },
    ]
    app = await TestApp.create({ ...options, testOverrides })
    expect((await sent()).sent).toEqual(['kept', 'kept', 'kept'])
    expect(app.logs).toEqual([])
  })

  it('applies to dependencies of a guard', async () => {
    const testOverrides = [{ token: Tokens, useValue: { accepts: () => true } }]
    app = await TestApp.create({ ...options, testOverrides })
    expect((await app.request().get('/mail/guarded')).status).toBe(200)
  })

  it('applies to a guard that is specified by class or token', async () => {
    const useValue = { canActivate: async () => true }
    app = await TestApp.create({ ...options, testOverrides: [{ token: TokenGuard, useValue }] })
    expect((await app.request().get('/mail/guarded')).status).toBe(200)
    await app.close()
    const providers = [...options.providers, { token: 'guard', useClass: TokenGuard }]
    const auth = { guard: 'guard' }
    const testOverrides = [{ token: 'guard', useValue }]
    app = await TestApp.create({ ...options, providers, auth, testOverrides })
    expect((await app.request().get('/mail/guarded')).status).toBe(200)
  })

  it('applies to providers of a plugin, and to the tokens that the plugin requests', async () => {
    let got: unknown
    const plugin: Plugin = {
      name: 'mail',
      providers: [Mailer],
      setup: ({ get }) => {
        got = [get(Mailer), get('later')]
      },
    }
    const testOverrides = [
      { token: Mailer, useValue: fake },
      { token: 'later', useValue: 1 },
    ]
    app = await TestApp.create({ ...options, modules: [], plugins: [plugin], testOverrides })
    expect(got).toEqual([fake, 1])
    expect((await sent()).sent[0]).toBe('kept')
    expect(app.logs).toEqual([])
  })

  it('applies to private providers of a module', async () => {
    const { controllers, providers } = options
    const modules = [{ name: 'mail', providers: [...providers, Mailer], controllers, exports: [] }]
    const testOverrides = [{ token: Mailer, useValue: fake }]
    app = await TestApp.create({
      modules,
      auth: { guard: TokenGuard },
      providers: [Tokens],
      testOverrides,
    })
    expect((await sent()).sent[0]).toBe('kept')
  })

  it('can provide a token that has no other provider', async () => {
    app = await TestApp.create({ ...options, testOverrides: [{ token: Limit, useValue: 0 }] })
    expect((await sent()).limit).toBe(0)
    expect(app.logs).toEqual([])
  })

  it('replaces earlier overrides of the same token', async () => {
    const testOverrides = [
      { token: Limit, useValue: 1 },
      { token: Limit, useValue: 2 },
    ]
    app = await TestApp.create({ ...options, testOverrides })
    expect((await sent()).limit).toBe(2)
  })

  it('prevents the replaced provider from being created', async () => {
    let made = 0
    const providers = [...options.providers, { token: 'costly', useFactory: () => ++made }]
    const testOverrides = [{ token: 'costly', useValue: 0 }]
    app = await TestApp.create({ ...options, providers, testOverrides })
    expect(made).toBe(0)
  })
})

describe('an override that replaces nothing', () => {
  class Mailr {}

  it('is used, and causes a warning that suggests a similar name', async () => {
    app = await TestApp.create({ ...options, testOverrides: [{ token: Mailr, useValue: fake }] })
    expect(app.get(Mailr)).toBe(fake)
    expect(app.logs).toMatchObject([{ level: 'warn', facts: { code: 'W_OVERRIDE_UNUSED' } }])
    expect(app.logs[0]?.message).toContain('Did you mean Mailer?')
  })

  it('causes a warning that another token has the same name', async () => {
    const token = new InjectionToken<number>('Limit')
    app = await TestApp.create({ ...options, testOverrides: [{ token, useValue: 1 }] })
    expect((await sent()).limit).toBeNull()
    expect(app.logs[0]?.message).toMatch(/Another token has the same name/)
  })

  it('causes a warning without a suggestion if no name is similar', async () => {
    const testOverrides = [{ token: 'quite another thing', useValue: 1 }]
    app = await TestApp.create({ ...options, testOverrides })
    expect(app.logs[0]?.message).toMatch(/'quite another thing'[\s\S]*or remove the override/)
  })

  it('prevents the start of a strict application, whose providers are then closed', async () => {
    app = await TestApp.create()
    const closed: string[] = []
    const pool = { token: 'pool', useFactory: () => ({ onClose: () => closed.push('pool') }) }
    const providers = [...options.providers, pool]
    const testOverrides = [{ token: Mailr, useValue: fake }]
    const failure = await TestApp.create({
      ...options,
      providers,
      testOverrides,
      strict: true,
    }).catch((error) => error)
    expect(failure).toBeInstanceOf(ConfigError)
    expect(failure.problems).toMatchObject([{ code: 'W_OVERRIDE_UNUSED', subject: 'Mailr' }])
    expect(closed).toEqual(['pool'])
  })
})

describe('an invalid override', () => {
  it.each([
    ['not an array', 'no list'],
    ['undefined', [undefined]],
    ['no token', [{ token: undefined, useValue: 1 }]],
    ['no value', [{ token: Mailer, useClass: Mailer }]],
    ['an undefined value', [{ token: Mailer, useValue: undefined }]],
  ])('causes a boot error: %s', async (_, testOverrides) => {
    app = await TestApp.create()
    const [problem] = await bootProblems({ testOverrides } as never)
    expect(problem).toMatchObject({ code: 'E_OPTION_INVALID' })
    expect(problem?.subject).toMatch(/^testOverrides/)
  })
})

describe('an App that is not a TestApp', () => {
  it('ignores testOverrides, and an overrides() method of a subclass', async () => {
    app = await TestApp.create()
    class Sneaky extends App {
      protected overrides() {
        return [{ token: Mailer, useValue: fake }]
      }
    }
    const testOverrides = [{ token: Mailer, useValue: fake }]
    const real = new Sneaky({ ...options, testOverrides, logger: false })
    await real.init()
    expect(real.get(Mailer).send()).toBe('really sent')
    await real.close()
  })
})
