import { Auth, Controller, Get, Health, Post, type Request } from 'blazon'
import { memorySessions, type SessionsOptions, sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { bootProblems, usable } from '../../support.js'
import { failing, startShop } from './support.js'

const site = 'https://a.example'

describe('the options of sessions()', () => {
  it.each<[string, object, string, string]>([
    ['idle', { idle: 0.999 }, '0.999 is not a valid session duration.', '1 or more'],
    ['idle', { idle: 'soon' }, 'soon is not a valid session duration.', "'30m'"],
    ['absolute', { idle: 1, absolute: 0 }, '0 is not a valid session duration.', '1 or more'],
    ['idle', { idle: '61m', absolute: '1h' }, 'It is longer than `absolute`.', 'shorter duration'],
    ['cookie.name', { cookie: { name: '' } }, '"" is not a valid cookie name.', 'at most 64'],
    ['cookie.name', { cookie: { name: 'a b' } }, '"a b" is not', 'without the prefix'],
    ['cookie.name', { cookie: { name: 'x'.repeat(65) } }, 'is not a valid', 'at most 64'],
    ['cookie.name', { cookie: { name: '__Host-a' } }, 'is not a valid', 'without the prefix'],
    ['cookie.name', { cookie: { name: '__secure-a' } }, 'is not a valid', 'without the prefix'],
    ['cookie.sameSite', { cookie: { sameSite: 'none' } }, 'It is "none".', '`trustedOrigins`'],
    ['trustedOrigins', { trustedOrigins: site }, 'It is not a list.', 'scheme and host'],
    ['trustedOrigins', { trustedOrigins: [site, `${site}/`] }, `"${site}/" is not`, 'scheme'],
    [
      'trustedOrigins',
      { trustedOrigins: ['a.example'] },
      '"a.example" is not an origin.',
      'scheme',
    ],
    ['schema', { schema: null }, 'It is not a Standard Schema.', 'zod 4'],
    ['schema', { schema: { parse() {} } }, 'It is not a Standard Schema.', 'zod 4'],
    ['store', { store: null }, 'It is not a session store.', 'redisSessions()'],
    ['store', { store: { read() {} } }, 'It is not a session store.', 'postgresSessions()'],
    ['findUser', { findUser: 'id' }, 'It is not a function.', 'users.find(id)'],
    ['tenant', { tenant: '' }, 'It is neither the name of a field nor', "'clinic'"],
    ['tenant', { tenant: 'a', bindTenant: true }, 'It contradicts bindTenant', 'Remove one'],
    ['bindTenant', { bindTenant: 'no' }, 'It is not a boolean.', 'true or false'],
  ])('are refused with an error about `%s`: %j', (name, options, cause, remedy) => {
    let error: unknown
    try {
      usable(sessions(options as never))
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({
      problems: [
        {
          code: 'E_OPTION_INVALID',
          subject: `sessions(): ${name}`,
          cause: expect.stringContaining(cause),
          remedy: expect.stringContaining(remedy),
        },
      ],
    })
  })

  it.each<SessionsOptions<unknown, unknown, unknown>>([
    { idle: 1, absolute: 1 },
    { idle: '14d' },
    { cookie: { name: 'x'.repeat(64), sameSite: 'strict' } },
    { cookie: { name: '__a.b-c_0' } },
    { trustedOrigins: [site, 'http://localhost:8080'] },
    { tenant: 'clinic', bindTenant: false },
  ])('are accepted at their limits: %j', (options) => {
    expect(usable(sessions(options as never)).name).toBe('sessions')
  })

  it('determine the name of the cookie and its SameSite attribute', async () => {
    const { browser } = await startShop({ cookie: { name: 'sid', sameSite: 'strict' } })
    const ada = browser()
    expect((await ada.login()).line).toMatch(/^sid=[\w-]{43}; .*; SameSite=Strict$/)
    expect((await ada.get('me')).status).toBe(200)
  })

  it('end an unused session after 12 hours if they set no time', async () => {
    const { app, browser } = await startShop()
    await app.clock.advance(0)
    const [ada, bob] = [browser(), browser()]
    for (const each of [ada, bob]) await each.login()
    await app.clock.advance('11h')
    await app.clock.advance('3599s')
    expect((await ada.get('me')).status).toBe(200)
    await app.clock.advance('1s')
    expect([(await ada.get('me')).status, (await bob.get('me')).status]).toEqual([200, 401])
  })

  it('prevent startup if the schema does not accept the values of a new session', async () => {
    const web = sessions({ schema: z.object({ visits: z.number() }) })
    expect(await bootProblems({ plugins: [web] })).toMatchObject([
      {
        code: 'E_OPTION_INVALID',
        subject: 'sessions(): schema',
        cause: 'It does not accept {}, the value of a new session.',
        remedy: 'Make each value optional, or set a default for it.',
      },
    ])
  })
})

describe('the option findUser', () => {
  it('may take longer than the session would have lasted without this request', async () => {
    let lookUp = async () => {}
    const findUser = async (id: string) => {
      await lookUp()
      return { id }
    }
    const timeouts = { handler: '1h' } as const
    const { app, browser } = await startShop({ findUser, idle: '10m', app: { timeouts } })
    const ada = browser()
    await ada.login()
    await app.clock.advance('8m')
    lookUp = () => app.clock.advance('4m')
    expect((await ada.get('me')).status).toBe(200)
  })

  it('admits no user whose session it has ended', async () => {
    const web = sessions<object, object, { id: string }>({
      async findUser(id, req) {
        await (await web.of(req)).logout()
        return { id }
      },
    })

    @Controller('users')
    class UsersController {
      @Post() async login(req: Request) {
        await (await web.of(req)).login({ id: 7 })
      }

      @Auth()
      @Get()
      me() {
        return 'me'
      }
    }
    const options = { controllers: [UsersController], auth: { guard: web }, plugins: [web] }
    const app = await TestApp.create({ ...options, contract: 'off' })
    onTestFinished(() => app.close())
    const browser = app.request()
    await browser.post('/users').set('sec-fetch-site', 'same-origin')
    expect((await browser.get('/users')).status).toBe(401)
  })
})

describe('sessions that are not in `plugins`', () => {
  it('prevent startup if they are the guard', async () => {
    const web = sessions()
    @Auth()
    @Controller('me')
    class MeController {
      @Get() me() {}
    }
    const [problem] = await bootProblems({ controllers: [MeController], auth: { guard: web } })
    expect(JSON.stringify(problem)).toContain('it must also be in `plugins`')
  })

  it('cause an error with the remedy when a handler reads them', async () => {
    const web = sessions()
    @Controller('lost')
    class LostController {
      @Get() async lost(req: Request) {
        await web.of(req)
      }
    }
    await using app = await TestApp.create({ controllers: [LostController] })
    expect((await app.request().get('/lost')).status).toBe(500)
    expect(String(app.logs[0]?.facts['err'])).toContain('Add it to this list.')
  })
})

describe('the store of sessions()', () => {
  @Controller('shop')
  class PlainController {
    @Post('plain') plain() {}
  }

  it('is part of the health report if it can be checked', async () => {
    let isDown = false
    const check = () => {
      if (isDown) throw new Error('connect ECONNREFUSED')
    }
    const store = { ...failing(memorySessions(), () => false), check }
    await using app = await TestApp.create({
      controllers: [PlainController],
      plugins: [sessions({ store })],
    })
    const health = async () => (await app.get(Health).check()).plugins
    expect(await health()).toEqual({ sessions: { status: 'up' } })
    isDown = true
    await app.clock.advance('1s')
    expect(await health()).toMatchObject({ sessions: { status: 'down' } })
    for (const unchecked of [undefined, failing(memorySessions(), () => false)]) {
      const plugins = [sessions(unchecked && { store: unchecked })]
      await using other = await TestApp.create({ plugins })
      expect((await other.get(Health).check()).plugins).toEqual({})
    }
  })

  it('is opened and closed once for each application', async () => {
    const calls: unknown[] = []
    const store = {
      ...failing(memorySessions(), () => false),
      open: ({ usesTenants }: { readonly usesTenants: boolean }) =>
        void calls.push(['open', usesTenants]),
      close: () => void calls.push('close'),
    }
    const web = sessions({ store })
    const one = await TestApp.create({ plugins: [web] })
    const other = await TestApp.create({ plugins: [web], tenant: { authorize: () => true } })
    expect(calls).toEqual([
      ['open', false],
      ['open', true],
    ])
    await one.close()
    expect(calls).toHaveLength(3)
    await other.close()
    expect(calls.slice(2)).toEqual(['close', 'close'])
  })

  it('is not closed if it was not opened, because the schema prevented startup', async () => {
    let closed = 0
    const store = { ...failing(memorySessions(), () => false), close: () => void closed++ }
    await bootProblems({ plugins: [sessions({ store, schema: z.object({ n: z.number() }) })] })
    expect(closed).toBe(0)
  })

  it('in memory has the configured limit in each application', async () => {
    const { browser } = await startShop({ store: memorySessions({ maxSessions: 2 }) })
    const [first, second, third] = [browser(), browser(), browser()]
    for (const each of [first, second, third]) await each.login()
    const statuses = []
    for (const each of [first, second, third]) statuses.push((await each.get('me')).status)
    expect(statuses).toEqual([401, 200, 200])
  })
})
