import { createHmac } from 'node:crypto'
import {
  App,
  type AppOptions,
  Controller,
  type CookieKeyOptions,
  Cookies,
  cursor,
  env,
  Get,
  githubWebhooks,
  Paged,
  Post,
  type Request,
  type Response,
  Webhook,
  type WebhookSecrets,
} from 'blazon'
import { jwt, signTestToken } from 'blazon/jwt'
import type { GuardSetup } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

const SECRET = 'a secret of thirty-two characters, or more'
const Env = env(z.object({ SECRET: z.string() }))
const provided = { token: Env, useValue: { SECRET } }
const Note = z.object({ id: z.int() })
const NotePages = cursor(Note, { order: ['id'], max: 10, limit: 1 })

@Controller('notes')
class Notes {
  @Get() @Paged(NotePages) list({ page }: Paged<typeof NotePages>) {
    return page.of([{ id: 1 }, { id: 2 }])
  }

  @Post('login') login(_req: Request, res: Response) {
    res.cookie('session', 'ada', { signed: true })
    return 'in'
  }

  @Get('me')
  @Cookies(z.object({ session: z.string() }), { signed: ['session'] })
  me(req: Request) {
    return req.cookies
  }
}

/** The three functions that an option with secrets may be. */
const SOURCES: readonly [string, (app: GuardSetup) => string | Promise<string>][] = [
  ['a function without parameters', () => SECRET],
  ['a function that uses `get`', ({ get }) => get(Env).SECRET],
  ['an asynchronous function', async ({ get }) => get(Env).SECRET],
]

describe.each(SOURCES)('an option whose secret comes from %s', (_, source) => {
  it('can provide the keys that sign cookies and cursors', async () => {
    const keys = async (app: GuardSetup) => [await source(app)]
    const options = { controllers: [Notes], providers: [provided], cookies: { keys } }
    await using app = await TestApp.create({ ...options, envelope: false, logger: false })
    const agent = app.request()
    await agent.post('/notes/login').expect(200)
    expect((await agent.get('/notes/me').expect(200)).body).toEqual({ session: 'ada' })
    const { body } = await agent.get('/notes').expect(200)
    await using other = await TestApp.create({
      ...options,
      cookies: { keys: [SECRET] },
      envelope: false,
      logger: false,
    })
    await other.request().get('/notes').query({ cursor: body.next }).expect(200)
  })

  it('can provide the secret of a webhook', async () => {
    @Controller('hooks')
    class Hooks {
      @Post() @Webhook(githubWebhooks(source)) handle() {
        return 'done'
      }
    }
    await using app = await TestApp.create({ controllers: [Hooks], providers: [provided] })
    const body = '{}'
    const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`
    const headers = { 'Content-Type': 'application/json', 'X-GitHub-Delivery': '1' }
    const signed = { ...headers, 'X-Hub-Signature-256': signature }
    const statusOf = async (sent: Record<string, string>) =>
      (await app.fetch('/hooks', { method: 'POST', headers: sent, body })).status
    expect(await statusOf(signed)).toBe(200)
    expect(
      await statusOf({ ...signed, 'X-Hub-Signature-256': `${signature.slice(0, -2)}00` }),
    ).toBe(401)
  })

  it('can provide the keys that verify tokens', async () => {
    const guard = jwt({ keys: source })
    const options = { providers: [provided], auth: { guard, default: 'protected' as const } }
    await using app = await TestApp.create({
      ...options,
      controllers: [Notes],
      cookies: { keys: [SECRET] },
    })
    const token = await signTestToken({ sub: 'ada' }, SECRET)
    await app
      .with({ authorization: `Bearer ${token}` })
      .request()
      .get('/notes')
      .expect(200)
    await app.request().get('/notes').expect(401)
  })
})

describe('a function that returns no secret', () => {
  const failing = () => {
    throw new Error('no vault')
  }

  it.each<[string, CookieKeyOptions['keys'], RegExp]>([
    ['throws', failing, /The function threw Error: no vault\./],
    ['rejects', async () => failing(), /The function threw Error: no vault\./],
    ['returns nothing', (() => undefined) as never, /not a list of keys/],
    ['returns a short key', () => ['short'], /not a list of keys/],
    ['returns one key', (() => SECRET) as never, /not a list of keys/],
  ])('causes a boot error for cookies.keys if it %s', async (_, keys, cause) => {
    const options = { controllers: [Notes], cookies: { keys } } as AppOptions
    const problems = await bootProblems(options)
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject: 'cookies.keys' }])
    expect(problems[0]?.cause).toMatch(cause)
  })

  it('causes a boot error for each route whose webhook uses it', async () => {
    const hook = (secrets: WebhookSecrets) => Webhook(githubWebhooks(secrets))
    @Controller('hooks')
    class Hooks {
      @Post('a') @hook(failing) a() {}
      @Post('b') @hook(async () => failing()) b() {}
      @Post('c') @hook(async () => undefined as never) c() {}
      @Post('d') @hook(() => SECRET) d() {}
    }
    const problems = await bootProblems({ controllers: [Hooks] })
    expect(problems.map(({ subject }) => subject)).toEqual(['Hooks.a', 'Hooks.b', 'Hooks.c'])
    expect(problems[0]?.cause).toContain('threw Error: no vault.')
  })
})

describe('the warning W_PAGES_WITHOUT_KEYS', () => {
  const codesOf = async (cookies: CookieKeyOptions) => {
    @Controller('paged')
    class Paging {
      @Get() @Paged(NotePages) list({ page }: Paged<typeof NotePages>) {
        return page.of([])
      }
    }
    const warnings = await bootWarnings({ controllers: [Paging], cookies })
    return warnings.map(({ code }) => code)
  }

  it('is logged if cookies.keys is missing, but not if it is a function', async () => {
    expect(await codesOf({})).toEqual(['W_PAGES_WITHOUT_KEYS'])
    expect(await codesOf({ keys: () => [SECRET] })).toEqual([])
  })

  it('is not caused by getRouteTable() or by a TestApp', async () => {
    @Controller('paged')
    class Paging {
      @Get() @Paged(NotePages) list({ page }: Paged<typeof NotePages>) {
        return page.of([])
      }
    }
    const options = { controllers: [Paging], strict: true, logger: false } as const
    expect(new App(options).getRouteTable()).toHaveLength(1)
    await using app = await TestApp.create(options)
    await app.request().get('/paged').expect(200)
    expect((await bootProblems(options)).map(({ code }) => code)).toEqual(['W_PAGES_WITHOUT_KEYS'])
  })
})

it('getRouteTable() and `document` do not call a function that returns keys', () => {
  let calls = 0
  const count = () => {
    calls++
    return [SECRET]
  }
  const app = new App({ controllers: [Notes], cookies: { keys: count } })
  expect(app.getRouteTable()).toHaveLength(3)
  expect(app.document.paths).toHaveProperty('/notes')
  expect(calls).toBe(0)
})
