import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  App,
  Body,
  Controller,
  inject,
  Log,
  Params,
  Post,
  type Request,
  type Response,
  secret,
} from 'blazon'
import { noteOf, Statements } from 'blazon/plugin'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

/** Texts that no capsule may have. Each comes to the server at another place. */
const CANARIES = {
  schema: 'canary-schema-01',
  nested: 'canary nested/02',
  pin: 731_902_645,
  path: 'canary-path-03',
  bearer: 'canary-bearer-04',
  cookie: 'canary-cookie-05',
  key: 'canary-key-06',
  query: 'canary-query-07',
  reset: 'canary-reset-08',
  made: 'canary-made-09',
  header: 'canary-header-10',
  field: 'canary-field-11',
  row: 'canary-row-12',
  bytes: 'canary-bytes-13',
  value: 'canary-value-14',
  url: 'canary-url-15',
  user: 'canary-user-16',
  literal: 'canary-literal-17',
  form: 'canary-form-18',
  named: 'canary/named-19',
} as const

const Login = z.object({
  name: z.string(),
  password: secret(z.string()),
  pin: secret(z.number()),
  deep: z.array(z.object({ answer: secret(z.string()) })),
  extra: z.object({ apiKey: z.string() }),
})

const Form = z.object({ name: z.string(), client_secret: z.string() })

let folder: string | undefined
let app: App | undefined

afterEach(async () => {
  await app?.close()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

@Controller('accounts')
class AccountsController {
  readonly #log = inject(Log)
  readonly #statements = inject(Statements)

  @Params(z.object({ code: secret(z.string()) }))
  @Body(Login)
  @Post('login/:code')
  login(req: Request, res: Response) {
    this.#fail(req, res)
  }

  @Body(Form, { type: 'form' })
  @Post('form')
  form(req: Request, res: Response) {
    this.#fail(req, res)
  }

  @Post('reset/:token')
  reset(req: Request, res: Response) {
    this.#fail(req, res)
  }

  /** Puts everything that it knows into each place that a capsule has. */
  #fail(req: Request, res: Response): never {
    res.setHeader('Set-Cookie', `sid=${CANARIES.made}; HttpOnly`)
    res.setHeader('X-Session-Token', CANARIES.made)
    req.user = { id: 'ada', token: CANARIES.user, profile: { apiSecret: CANARIES.user } }
    const { value, row, bytes, literal, url } = CANARIES
    const sent = `${JSON.stringify(req.body)} ${JSON.stringify(req.headers)} ${req.originalUrl} ${CANARIES.made}`
    const all = `${sent} ${row} ${value} ${literal} postgres://ada:${url}@db.example/shop ${CANARIES.user}`
    const rows = [
      { id: 7, password_hash: row, note: all, secret_bytes: Buffer.from(bytes) },
      { id: 8, note: Buffer.from(row), list: [all], map: { deep: { all } } },
    ]
    const text = `select '${literal}' as token, $1 as reset_token`
    this.#statements.begin({ system: 'a', text, values: [value, 7] })?.end({ rows, rowCount: 2 })
    const failure = Object.assign(new Error(all), {
      code: '23505',
      detail: `Key (a)=(${row} ${value})`,
    })
    this.#statements
      .begin({ system: 'a', text: `select -- ${sent}`, values: [all, [all]] })
      ?.fail(failure)
    this.#log.warn(all)
    noteOf(req)?.({ by: 'note', verdict: 'noted', reason: all, facts: { all, list: [all] } })
    throw new Error(all)
  }
}

async function bytesOfCapsule(path: string, init: RequestInit): Promise<string> {
  const place = mkdtempSync(join(tmpdir(), 'blazon-capsules-'))
  folder = place
  app = await App.create({
    controllers: [AccountsController],
    logger: false,
    records: { capsules: { folder: place } },
  })
  const { port } = await app.listen(0, '127.0.0.1')
  const headers = {
    authorization: `Bearer ${CANARIES.bearer}`,
    cookie: `sid=${CANARIES.cookie}; theme=dark`,
    'x-api-key': CANARIES.key,
    'x-partner-signature': CANARIES.header,
    referer: `http://localhost/?x=${CANARIES.query}`,
    ...init.headers,
  }
  const query = `access_token=${CANARIES.query}&reset_token=${CANARIES.reset}&page=2`
  const url = `http://127.0.0.1:${port}/accounts${path}?${query}`
  const response = await fetch(url, { ...init, method: 'POST', headers })
  expect(response.status).toBe(500)
  await app.close()
  const [name = ''] = readdirSync(place).filter((each) => each.endsWith('.json'))
  return readFileSync(join(place, name), 'utf8')
}

/** Each form in which a text may be in a file. */
function formsOf(canary: string | number): string[] {
  const text = String(canary)
  const base64 = Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1)
  return [text, encodeURIComponent(text), base64, Buffer.from(text).toString('hex')]
}

function expectNone(file: string): void {
  const found = Object.entries(CANARIES).filter(([, text]) =>
    formsOf(text).some((form) => file.includes(form)),
  )
  expect(found).toEqual([])
}

it('a capsule contains no secret of a JSON request, wherever the secret occurs', async () => {
  const body = {
    name: 'Ada',
    password: CANARIES.schema,
    pin: CANARIES.pin,
    deep: [{ answer: CANARIES.nested }],
    extra: { apiKey: CANARIES.field },
  }
  const file = await bytesOfCapsule(`/login/${CANARIES.path}`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expectNone(file)
  const capsule = JSON.parse(file)
  // What is not a secret is there.
  expect(capsule).toMatchObject({
    record: { url: '/accounts/login/[secret]?access_token=[secret]&reset_token=[secret]&page=2' },
    principal: { id: 'ada', token: '[secret]', profile: { apiSecret: '[secret]' } },
    statements: [
      { values: ['[secret]', '[secret]'], rows: [{ id: 7, password_hash: '[secret]' }, { id: 8 }] },
      { error: { code: '23505' } },
    ],
  })
  expect(JSON.parse(capsule.sent.body)).toMatchObject({ name: 'Ada', password: '[secret]' })
  expect(capsule.hidden).toEqual(
    expect.arrayContaining([
      'authorization',
      'cookie',
      'x-api-key',
      'body',
      'url',
      'password_hash',
    ]),
  )
})

it('a capsule contains no secret of a form', async () => {
  const file = await bytesOfCapsule('/form', {
    body: new URLSearchParams({ name: 'Ada', client_secret: CANARIES.form }),
  })
  expectNone(file)
  expect(JSON.parse(file).sent.body).toContain('name=Ada')
})

it('a capsule contains no path parameter whose name marks it as a secret', async () => {
  const file = await bytesOfCapsule(`/reset/${encodeURIComponent(CANARIES.named)}`, {})
  expectNone(file)
  expect(JSON.parse(file).record.url).toContain('/accounts/reset/[secret]?')
})
