import {
  BaseController,
  Controller,
  Cookies,
  Get,
  Post,
  type Req,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import cookieParser from 'cookie-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sign } from '../../../src/http/signed-cookie.js'
import { bootProblems } from '../../support.js'

const Seen = z.object({
  visits: z.coerce.number().int().min(0).default(0),
  theme: z.enum(['dark', 'light']).optional(),
})
const Session = z.object({ session: z.string() })
const Kept = z.object({ kept: z.object({ user: z.string() }) })
const JSON_SEEN = {
  type: 'object',
  properties: { visits: { type: 'integer' } },
  required: ['visits'],
} as const
const beside = { cookies: { schema: Session, signed: ['session'] } } as const
const KEYS = ['new key new key new key new key 1', 'old key old key old key old key 2']

@Controller('cookies')
class CookiesController extends BaseController {
  @Get('seen')
  @Cookies(Seen)
  seen(req: Req<{ cookies: typeof Seen }>) {
    return { ...req.validated.cookies, same: req.cookies === req.validated.cookies }
  }

  @Get('json')
  @Cookies(JSON_SEEN)
  json(req: Req<{ cookies: typeof JSON_SEEN }>) {
    return req.validated.cookies
  }

  @Get('key')
  @Cookies('theme', z.string().max(5))
  key(req: Request) {
    return req.cookies
  }

  @Get('session')
  @Cookies(Session, { signed: ['session'] })
  session(req: Req<{ cookies: typeof Session }>) {
    return req.validated.cookies
  }

  @Get('beside', beside)
  beside({ validated }: Req<typeof beside>) {
    return validated.cookies
  }

  @Post('set')
  set(_req: Request, res: Response) {
    res.cookie('plain', 'a b').cookie('session', 'one', { signed: true })
    res.cookie('open', '1', { httpOnly: false, secure: false, sameSite: 'strict' })
    res.cookie('cross', '1', { sameSite: 'none' }).clearCookie('gone')
    res.cookie('__Host-own', '1').cookie('__secure-own', '1')
    res.cookie('parted', '1', { partitioned: true })
    // Express accepts it.
    res.cookie('bare', '1', null as unknown as object)
    return {}
  }

  @Post('kept/:kind')
  keep({ params }: Request<{ kind: string }>, res: Response) {
    const object = JSON.parse('{"user":"ada","__proto__":1}')
    res.cookie('kept', params.kind === 'object' ? object : 'j:{"user":"eve"}', { signed: true })
    return {}
  }

  @Get('kept')
  @Cookies(Kept, { signed: ['kept'] })
  kept(req: Req<{ cookies: typeof Kept }>) {
    return req.validated.cookies
  }

  @Get('none')
  none(req: Request) {
    return { cookies: req.cookies ?? null }
  }
}

let app: TestApp
const setByMiddleware = (req: Request, res: Response, next: () => void) => {
  if (req.query['middleware']) res.cookie('express', '1')
  next()
}
beforeAll(async () => {
  app = await TestApp.create({
    controllers: [CookiesController],
    contract: 'throw',
    cookies: { keys: KEYS },
    middlewares: [setByMiddleware],
  })
})
afterAll(() => app.close())

const get = (path: string, cookie?: string) => {
  const request = app.request().get(`/cookies/${path}`)
  return cookie === undefined ? request : request.set('Cookie', cookie)
}
const setCookies = async (host: string, path = 'set') => {
  const response = await app.request().post(`/cookies/${path}`).set('Host', host)
  return response.get('Set-Cookie') ?? []
}

describe('the @Cookies decorator', () => {
  it('validates and coerces the cookies of a request', async () => {
    expect((await get('seen', 'visits=3; theme=dark; other=1')).body.data).toEqual({
      visits: 3,
      theme: 'dark',
      same: true,
    })
    expect((await get('seen')).body.data).toEqual({ visits: 0, same: true })
    expect((await get('json', 'visits=7')).body.data).toMatchObject({ visits: 7 })
    expect((await get('key', 'theme=d%20k; other=1')).body.data).toEqual({ theme: 'd k' })
  })

  it('refuses invalid cookies and reports their location as `cookies`', async () => {
    const { status, body } = await get('seen', 'visits=x; theme=blue')
    expect(status).toBe(400)
    expect(body.errors.map((each: { in: string; path: string }) => [each.in, each.path])).toEqual([
      ['cookies', 'visits'],
      ['cookies', 'theme'],
    ])
    expect((await get('json')).body.errors[0]).toMatchObject({ in: 'cookies', path: 'visits' })
    expect((await get('key', '__proto__=1; theme=')).body.data).toEqual({ theme: '' })
  })

  it('documents the cookies, and reads no cookies on routes without it', async () => {
    const operation = app.document.paths['/cookies/seen']?.get
    expect(operation?.parameters).toEqual([
      { name: 'visits', in: 'cookie', schema: expect.objectContaining({ type: 'integer' }) },
      { name: 'theme', in: 'cookie', schema: { type: 'string', enum: ['dark', 'light'] } },
    ])
    expect(app.document.paths['/cookies/session']?.get?.parameters?.[0]).toMatchObject({
      required: true,
    })
    expect((await get('none', 'a=1')).body.data).toEqual({ cookies: null })
  })

  it('works together with cookie-parser, and replaces its cookies only on its own routes', async () => {
    const other = await TestApp.create({
      controllers: [CookiesController],
      middlewares: [cookieParser()],
      cookies: { keys: KEYS },
    })
    const read = (path: string) => other.request().get(`/cookies/${path}`).set('Cookie', 'visits=1')
    expect((await read('seen')).body.data).toEqual({ visits: 1, same: true })
    expect((await read('none')).body.data).toEqual({ cookies: { visits: '1' } })
    await other.close()
  })

  it.each([
    ['visits=1; visits=2', { visits: 1 }],
    ['visits="3"', { visits: 3 }],
    ['Visits=4', { visits: 0 }],
    [' \tvisits\t= 5 ;theme=dark;', { visits: 5, theme: 'dark' }],
    ['__proto__=1; constructor=2; visits=6', { visits: 6 }],
    ['visits', { visits: 0 }],
    ['=1; ;;visits=7', { visits: 7 }],
    [`${'a=1; '.repeat(2000)}visits=8`, { visits: 8 }],
    ['other=%E0%A4%A; visits=%39', { visits: 9 }],
  ])('parses the hostile header %s', async (header, cookies) => {
    expect((await get('seen', header)).body.data).toEqual({ ...cookies, same: true })
  })

  it('leaves an invalid percent-encoding unchanged', async () => {
    expect((await get('key', 'theme=%zz')).body.data).toEqual({ theme: '%zz' })
  })

  it('is covered by app.fuzz()', async () => {
    const report = await app.fuzz({
      seed: 3,
      operations: ({ handler }) => /seen|json|key/.test(handler),
    })
    expect(report.operations).toBe(3)
  })
})

describe('signed cookies', () => {
  const [newest = '', old = ''] = KEYS

  it('are verified with every key, and signed with the first', async () => {
    for (const key of KEYS) {
      for (const path of ['session', 'beside']) {
        const cookie = `session=${encodeURIComponent(sign('session', 'a.b', key))}`
        expect((await get(path, cookie)).body.data).toEqual({ session: 'a.b' })
      }
    }
    const [, session] = await setCookies('localhost:3000')
    expect(session?.split(';')[0]).toBe(`session=${sign('session', 'one', newest)}`)
    expect((await get('session', session?.split(';')[0])).body.data).toEqual({ session: 'one' })
  })

  it('are parsed as objects if Express wrote an object, but not if it wrote a string that looks like one', async () => {
    const setSigned = async (kind: string) =>
      (await setCookies('localhost:3000', `kept/${kind}`))[0]?.split(';')[0] ?? ''
    const object = await setSigned('object')
    expect(decodeURIComponent(object)).toMatch(/^kept=j:\{"user":"ada","__proto__":1\}\.[\w-]+$/)
    const { body } = await get('kept', object)
    expect(body.data).toEqual({ kept: { user: 'ada' } })
    const text = await setSigned('text')
    expect(decodeURIComponent(text)).toMatch(/^kept=j:\{"user":"eve"\}\.[\w-]+$/)
    expect((await get('kept', text)).status).toBe(400)
    expect((await get('kept', 'kept=j:{"user":"eve"}')).status).toBe(400)
    const changed = decodeURIComponent(object).replace('ada', 'eve').replace('kept=', '')
    expect((await get('kept', `kept=${encodeURIComponent(changed)}`)).status).toBe(400)
  })

  it.each([
    ['a plain value', 'one'],
    ['a changed value', sign('session', 'one', old).replace('one', 'two')],
    ['the signature of another cookie', sign('other', 'one', newest)],
    ['a signature of an unknown key', sign('session', 'one', 'x'.repeat(32))],
    ['a truncated signature', sign('session', 'one', newest).slice(0, -2)],
    ['an empty signature', 'one.'],
  ])('are treated as missing with %s', async (_, value) => {
    const { status, body } = await get('session', `session=${value}`)
    expect([status, body.errors[0].path]).toEqual([400, 'session'])
  })

  it('require the option `cookies.keys` with valid keys', async () => {
    const problems = await bootProblems({ controllers: [CookiesController] })
    expect(problems.map(({ subject }) => subject)).toEqual([
      'CookiesController.session',
      'CookiesController.beside',
      'CookiesController.kept',
    ])
    for (const keys of [[], ['short'], [1], 'x'.repeat(40)]) {
      const wrong = await bootProblems({ cookies: { keys: keys as string[] } })
      expect(wrong).toMatchObject([{ code: 'E_OPTION_INVALID', subject: 'cookies.keys' }])
    }
    expect(await bootProblems({ cookies: { key: 'a' } as object })).toHaveLength(1)
  })
})

describe('res.cookie', () => {
  it('sets HttpOnly, Secure and SameSite=Lax by default in controllers', async () => {
    const [plain, , open, cross, gone, ...others] = await setCookies('api.example.com')
    expect(others.at(-1)).toBe('bare=1; Path=/; HttpOnly; Secure; SameSite=Lax')
    expect(plain).toBe('plain=a%20b; Path=/; HttpOnly; Secure; SameSite=Lax')
    expect(open).toBe('open=1; Path=/; SameSite=Strict')
    expect(cross).toBe('cross=1; Path=/; HttpOnly; Secure; SameSite=None')
    expect(gone).toMatch(
      /^gone=; Path=\/; Expires=Thu, 01 Jan 1970 .*; HttpOnly; Secure; SameSite=Lax$/,
    )
  })

  it.each(['localhost', 'localhost:3000', 'app.localhost', '127.0.0.1:80', '[::1]:3000'])(
    'omits Secure on the host %s, unless the cookie requires it',
    async (host) => {
      const [plain, , , cross] = await setCookies(host)
      expect(plain).toBe('plain=a%20b; Path=/; HttpOnly; SameSite=Lax')
      expect(cross).toContain('Secure')
    },
  )

  it('always sets Secure for a partitioned cookie', async () => {
    const parted = (await setCookies('localhost')).find((each) => each.startsWith('parted='))
    expect(parted).toBe('parted=1; Path=/; HttpOnly; Secure; Partitioned; SameSite=Lax')
  })

  it('signs with the secret of cookie-parser in an application without keys', async () => {
    @Controller('signed')
    class Signed {
      @Get() get(req: Request, res: Response) {
        res.cookie('session', 'one', { signed: true })
        return { seen: req.signedCookies }
      }
    }
    await using other = await TestApp.create({
      controllers: [Signed],
      middlewares: [cookieParser('a secret of cookie-parser')],
      contract: 'off',
    })
    const first = await other.request().get('/signed')
    const [cookie = ''] = first.get('Set-Cookie') ?? []
    expect(cookie).toMatch(/^session=s%3Aone\./)
    const { body } = await other
      .request()
      .get('/signed')
      .set('Cookie', cookie.split(';')[0] ?? '')
    expect(body.data.seen).toEqual({ session: 'one' })
  })

  it('always sets Secure for a name with a prefix that requires it', async () => {
    const prefixed = (await setCookies('localhost')).filter((each) => each.startsWith('__'))
    expect(prefixed).toEqual([
      '__Host-own=1; Path=/; HttpOnly; Secure; SameSite=Lax',
      '__secure-own=1; Path=/; HttpOnly; Secure; SameSite=Lax',
    ])
  })

  it.each(['localhost.example.com', '127.0.0.1.example.com', 'xlocalhost'])(
    'sets Secure on the host %s',
    async (host) => {
      expect((await setCookies(host))[0]).toContain('Secure')
    },
  )

  it('is the unchanged Express function in middlewares', async () => {
    const response = await app
      .request()
      .get('/cookies/none?middleware=1')
      .set('Host', 'a.example.com')
    expect(response.get('Set-Cookie')).toEqual(['express=1; Path=/'])
  })
})

it('@Cookies with invalid options is refused at boot', async () => {
  class Wrong {
    read() {}
  }
  const cookies = Cookies as unknown as (...args: unknown[]) => (...args: unknown[]) => void
  const descriptor = Object.getOwnPropertyDescriptor(Wrong.prototype, 'read')
  const decorators = [Get(), cookies(Session, { signed: 'session' })] as ((
    ...args: unknown[]
  ) => void)[]
  for (const decorate of decorators) decorate(Wrong.prototype, 'read', descriptor)
  Controller('wrong')(Wrong)
  expect(await bootProblems({ controllers: [Wrong] })).toMatchObject([{ code: 'E_OPTION_INVALID' }])
})
