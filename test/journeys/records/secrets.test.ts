import {
  Auth,
  Body,
  Cache,
  Controller,
  Cookies,
  Get,
  inject,
  Log,
  type Plugin,
  Post,
  Query,
  type Request,
  type Response,
  secret,
} from 'blazon'
import { noteOf, Statements } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

/** Texts that no record may have. Each is sent at another place. */
const CANARIES = {
  password: 'canary-password-1',
  pin: 731_902_645,
  bearer: 'canary-bearer-2',
  cookie: 'canary-cookie-3',
  key: 'canary-key-4',
  query: 'canary-query-5',
  partner: 'canary-partner-6',
  made: 'canary-made-7',
  basic: 'canary-basic-8',
  search: 'canary search/9',
} as const

const Login = z.object({ password: secret(z.string()), pin: secret(z.number()) })

@Controller('accounts')
class AccountsController {
  readonly #log = inject(Log)
  readonly #statements = inject(Statements)

  @Body(Login) @Post() login(req: Request, res: Response) {
    res.setHeader('Set-Cookie', `sid=${CANARIES.made}; HttpOnly`)
    const all = `${JSON.stringify(req.body)} ${JSON.stringify(req.headers)} ${CANARIES.made}`
    this.#log.warn(all)
    const text = `select '${CANARIES.password}' -- ${all}`
    const { pin } = CANARIES
    // A record contains 2,000 characters, so the secret would be cut.
    const long = `${'x'.repeat(1990)} ${CANARIES.password}`
    for (const each of [text, long])
      this.#statements.begin({ system: 'store', text: each, values: [all] })?.fail(new Error(all))
    noteOf(req)?.({ by: all, verdict: all, reason: all, facts: { all, long, pin, code: pin } })
    throw new Error(all)
  }

  @Auth() @Get('closed') closed() {
    return []
  }

  @Cache({ ttl: 60, shared: true, key: (req) => `by ${req.headers.authorization} ${req.url}` })
  @Query(z.object({ token: z.string(), q: secret(z.string()).optional() }))
  @Get('cached')
  cached() {
    return []
  }

  @Cookies(z.object({ sid: z.number() })) @Get('cookies') cookies() {
    return []
  }
}

const guard = {
  credentials: ['authorization', 'x-partner'],
  canActivate(req: Request) {
    throw new Error(`No user has ${JSON.stringify(req.headers)}`)
  },
}

let app: TestApp

afterEach(() => app.close())

async function start(plugins: readonly Plugin[] = []) {
  app = await TestApp.create({ controllers: [AccountsController], auth: { guard }, plugins })
  return app.request()
}

const HEADERS = {
  authorization: `Bearer ${CANARIES.bearer}`,
  cookie: `theme=dark; sid=${CANARIES.cookie}`,
  'x-api-key': CANARIES.key,
  'x-partner': CANARIES.partner,
}

function expectNoCanary(text: string) {
  for (const canary of Object.values(CANARIES)) {
    expect(text).not.toContain(String(canary))
    expect(text).not.toContain(encodeURIComponent(String(canary)))
  }
}

it('a record hides secrets in its url, decisions, statements, logs and errors', async () => {
  const request = await start()
  const { password, pin } = CANARIES
  const response = await request
    .post(`/accounts?token=${CANARIES.query}`)
    .set(HEADERS)
    .send({ password, pin })
    .expect(500)
  const record = app.explain(response)
  expect(record.url).toBe('/accounts?token=[secret]')
  expect(record.statements[0]).toMatchObject({
    valueCount: 1,
    error: expect.stringContaining('[secret]'),
  })
  expect(record.logs[0]?.message).toContain('[secret]')
  expect(record.error?.message).toContain('[secret]')
  expect(record.decisions.some(({ facts }) => facts['pin'] === '[secret]')).toBe(true)
  expect(JSON.stringify(record)).not.toContain('canary')
  expectNoCanary(JSON.stringify(record))
  expectNoCanary(String(record))
})

it('a record hides secrets in the reason of a guard and in a failed assertion', async () => {
  const request = await start()
  const basic = Buffer.from(`me:${CANARIES.basic}`).toString('base64')
  const failure = await request
    .get('/accounts/closed')
    .set({ ...HEADERS, authorization: `Basic ${basic}` })
    .expect(200)
    .catch((error: Error) => error)
  const { message, stack } = failure as Error
  expect(message).toContain('guard')
  expectNoCanary(`${message}${stack}`)
  expect(message).not.toContain(basic)
})

it('a record hides secrets in a cache key and in the issues of a schema', async () => {
  const request = await start()
  const q = encodeURIComponent(CANARIES.search)
  const url = `/accounts/cached?token=${CANARIES.query}&q=${q}`
  const cached = app.explain(await request.get(url).set(HEADERS).expect(200))
  expect(cached.decisions.find(({ by }) => by === 'cache')?.facts['key']).toContain('[secret]')
  expectNoCanary(JSON.stringify(cached))
  const refused = app.explain(await request.get('/accounts/cookies').set(HEADERS))
  expect(refused.cause).toBe('validation')
  expectNoCanary(JSON.stringify(refused))
})

it('a record does not hide the values of ordinary cookies if they occur elsewhere', async () => {
  const request = await start()
  const record = app.explain(await request.get('/accounts/dark').set(HEADERS))
  expect(record.url).toBe('/accounts/dark')
})
