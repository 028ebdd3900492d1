import { type } from 'arktype'
import {
  App,
  type AppOptions,
  Body,
  Controller,
  defineParameter,
  Get,
  Headers,
  HttpError,
  inject,
  Log,
  Post,
  Query,
  type Request,
} from 'blazon'
import * as v from 'valibot'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { captureStdout } from './captured-stdout.js'

const SECRET = 'correct horse "battery"'

const secret = () =>
  z
    .string()
    .refine((value) => value !== SECRET, { error: ({ input }) => `never ${String(input)}!` })
    .meta({ secret: true })

const Login = z.object({ name: z.string(), password: secret() })

const Tree: z.ZodType<unknown> = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree).optional()
  },
  keys: z.array(secret()).optional(),
  byName: z.record(z.string(), secret()).optional(),
  either: z.union([z.number(), z.object({ pin: secret() })]).optional(),
})

const JsonLogin = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 3 },
    pin: { $ref: '#/$defs/pin' },
    token: { type: 'string', format: 'password', maxLength: 1 },
  },
  $defs: { pin: { type: 'integer', secret: true, maximum: 10 } },
} as const

const ValibotLogin = v.object({
  password: v.pipe(
    v.string(),
    v.metadata({ secret: true }),
    v.check(
      () => false,
      ({ input }) => `never ${input}`,
    ),
  ),
})

/** arktype has no field for other keywords, so its schemas have none of their own: the names of others still count. */
const ArkLogin = type({ password: 'string' })

@Controller('login')
class LoginController {
  private readonly log = inject(Log)

  @Post('zod') @Body(Login) zod() {
    return 'in'
  }

  @Post('tree') @Body(Tree) tree() {
    return 'in'
  }

  @Get('query') @Query(Login) query() {
    return 'in'
  }

  @Post('json') @Body(JsonLogin) json() {
    return 'in'
  }

  @Post('valibot') @Body(ValibotLogin) valibot() {
    return 'in'
  }

  @Post('ark') @Body(ArkLogin) ark(req: Request) {
    this.log.info({ body: req.body }, 'in')
    return 'in'
  }

  @Post('open') @Body(z.object({ password: z.string().trim().meta({ secret: true }) })) open(
    req: Request,
  ) {
    const { body } = req
    this.log.info({ body, deep: [{ body }] }, `with ${body.password}`)
    throw Object.assign(new Error(`bad ${body.password}`), { body, cause: body })
  }

  @Post('refused') @Body(z.object({ pin: z.number().meta({ secret: true }) })) refused(
    req: Request,
  ) {
    const errors = [{ in: 'body', path: 'pin', message: `not ${req.body.pin}` }] as const
    throw new HttpError(409, `The pin ${req.body.pin} is 12 taken`, { errors })
  }
}

async function serve(options: AppOptions = {}) {
  const app = new App({ controllers: [LoginController], ...options })
  onTestFinished(() => app.close())
  const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
  const post = async (path: string, body: unknown, accept = 'application/json') => {
    const response = await fetch(`http://127.0.0.1:${port}/login/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/login/${path}`)
    return { status: response.status, text: await response.text() }
  }
  return { app, post, get }
}

/** No form of the secret is in a text. */
function expectHidden(text: string): void {
  for (const part of ['correct', 'horse', 'battery']) expect(text).not.toContain(part)
}

describe('a field that its schema marks as secret', () => {
  it.each([
    ['a body', 'zod', { name: 'a', password: SECRET }],
    ['a nested list', 'tree', { name: 'a', children: [{ name: 'b', keys: ['x', SECRET] }] }],
    ['a record', 'tree', { name: 'a', byName: { first: SECRET } }],
    ['a union', 'tree', { name: 'a', either: { pin: SECRET } }],
    ['a body of valibot', 'valibot', { password: SECRET }],
  ])('does not appear in the validation errors of %s', async (_, path, body) => {
    const { post } = await serve({ logger: false })
    for (const accept of ['application/json', 'application/problem+json']) {
      const { status, text } = await post(path, body, accept)
      expect(status).toBe(400)
      expect(text).toContain('[secret]')
      expectHidden(text)
    }
  })

  it('does not appear in the validation errors of a query in a custom error format', async () => {
    const format = (failure: object) => ({ failure })
    const { get } = await serve({ logger: false, errors: { format, schema: {} } })
    const { status, text } = await get(`query?name=a&password=${encodeURIComponent(SECRET)}`)
    expect(status).toBe(400)
    expect(text).toContain('never [secret]!')
    expectHidden(text)
  })

  it('is detected in JSON Schema by the keyword `secret` behind a reference', async () => {
    const { post } = await serve({ logger: false })
    const { status, text } = await post('json', { pin: 4711, name: 'long name' })
    expect(status).toBe(400)
    expect(text).not.toContain('4711')
    expect(text).toContain('must be <= 10')
  })

  it('is detected behind references to any part of a JSON Schema', async () => {
    const schema = {
      type: 'object',
      properties: {
        pin: { $ref: '#/$defs/100%25' },
        token: { $ref: '#/$defs/list/prefixItems/1' },
      },
      $defs: {
        '100%': { type: 'integer', secret: true },
        list: { prefixItems: [{ type: 'string' }, { type: 'string', format: 'password' }] },
      },
    }
    @Controller('referred')
    class ReferredController {
      @Post() @Body(schema) post({ body }: Request) {
        throw new HttpError(409, `${body.pin} and ${body.token} are taken`)
      }
    }
    const { post } = await serve({ controllers: [ReferredController], logger: false })
    const { text } = await post('../referred', { pin: 4711, token: 'a token' })
    expect(text).toContain('[secret] and [secret] are taken')
  })

  it('is detected in a header that its schema changes, and in a parameter of a plugin', async () => {
    const hidden = z.string().toUpperCase().meta({ secret: true })
    const Pin = defineParameter((req) => req.get('x-pin'), {
      in: 'header',
      name: 'X-Pin',
      schema: hidden,
    })
    @Controller('sent')
    class SentController {
      @Get('header') @Headers(z.object({ 'X-Pin': hidden })) header({ validated }: Request) {
        throw new HttpError(
          409,
          `${(validated.headers as Record<string, string>)['X-Pin']} is taken`,
        )
      }
      @Pin() @Get('parameter') parameter(req: Request) {
        throw new HttpError(409, `${Pin.of(req)} is taken`)
      }
    }
    const { app } = await serve({ controllers: [SentController], logger: false })
    for (const path of ['header', 'parameter']) {
      const url = `http://localhost/sent/${path}`
      const response = await app.fetch(
        new globalThis.Request(url, { headers: { 'x-pin': 'abcd' } }),
      )
      expect(await response.json()).toMatchObject({ message: '[secret] is taken' })
    }
  })

  it('does not appear in an HttpError that the handler throws, even if its value is short', async () => {
    const { post } = await serve({ logger: false })
    const { status, text } = await post('refused', { pin: 12 })
    expect(status).toBe(409)
    expect(text).toContain('The pin [secret] is [secret] taken')
    expect(text).toContain('not [secret]')
  })

  it.each([
    ['the built-in logger', { level: 'trace', pretty: false } as const],
    ['the built-in logger in pretty format', { pretty: true } as const],
  ])('does not appear in the lines of %s, even if the handler logs it', async (_, logger) => {
    const { text } = captureStdout()
    const { app, post } = await serve({ logger, logs: true })
    const { status } = await post('open', { password: ` ${SECRET} ` })
    expect(status).toBe(500)
    await post('ark', { password: SECRET })
    await app.close()
    expect(text()).toContain('bad [secret]')
    expect(text()).toContain('with [secret]')
    expectHidden(text())
  })

  it('does not appear in the lines that a pino-compatible logger receives', async () => {
    const lines: { facts: object; message: string }[] = []
    const write = (facts: object, message: string) => void lines.push({ facts, message })
    const { post } = await serve({ logger: { info: write, warn: write, error: write } })
    await post('open', { password: SECRET })
    expect(lines).toHaveLength(2)
    const [logged, failed] = lines as [(typeof lines)[0], { facts: { err: Error } }]
    expect(logged).toMatchObject({
      facts: { body: { password: '[secret]' } },
      message: 'with [secret]',
    })
    const { err } = failed.facts
    expect(err).toBeInstanceOf(Error)
    expect(err).toMatchObject({ message: 'bad [secret]', body: { password: '[secret]' } })
    expectHidden(String(err.stack))
    expectHidden(JSON.stringify([logged, { ...err }]))
  })

  describe('in a failed request', () => {
    const Token = z.object({ token: z.string().meta({ secret: true }) })
    let error: unknown

    @Controller('fail')
    class FailController {
      @Get() @Query(Token) fail() {
        throw error
      }
    }

    async function failWith(thrown: unknown, token: string) {
      error = thrown
      const lines: { err: unknown; url: string; status: number; method: string }[] = []
      const reported: unknown[] = []
      const logger = {
        info() {},
        warn() {},
        error: (facts: object) => void lines.push(facts as never),
      }
      const onError = (each: unknown) => void reported.push(each)
      const { app } = await serve({ logger, onError, controllers: [FailController] })
      const { port } = app.server.address() as { port: number }
      await fetch(`http://127.0.0.1:${port}/fail?token=${token}`)
      expect(lines).toHaveLength(1)
      expect(reported).toEqual([lines[0]?.err])
      return lines[0] as (typeof lines)[0]
    }

    it.each(['correct%20horse/battery', 'correct+horse%2Fbattery', '%63orrect%20horse%2fbattery'])(
      'does not appear in the logged URL: %s',
      async (token) => {
        const { url } = await failWith(new Error('x'), token)
        expect(url).toBe('/fail?token=[secret]')
      },
    )

    it('does not appear in an error that onError receives', async () => {
      const thrown = new DOMException('correct horse is late', 'TimeoutError')
      const { err } = await failWith(thrown, 'correct+horse')
      expect(err).toMatchObject({ name: 'TimeoutError', message: '[secret] is late' })
    })

    it('does not change an error without secrets', async () => {
      const thrown = new Error('x')
      expect((await failWith(thrown, 'correct')).err).toBe(thrown)
    })

    it('does not hide the status or the method of the request if its value is the same', async () => {
      expect(await failWith(new Error('x'), '500')).toMatchObject({ status: 500, method: 'GET' })
      expect(await failWith(new Error('x'), 'GET')).toMatchObject({ status: 500, method: 'GET' })
    })

    it('does not prevent the log line of an error with a getter that throws', async () => {
      const thrown = Object.defineProperty(new Error('with correct'), 'boom', {
        enumerable: true,
        get() {
          throw new Error('y')
        },
      })
      const { err } = await failWith(thrown, 'correct')
      expect(err).toMatchObject({ message: 'with [secret]', boom: '[unreadable]' })
    })
  })

  it('has the format `password` but not the keyword `secret` in the document', () => {
    const { document } = new App({ controllers: [LoginController] })
    const text = JSON.stringify(document)
    expect(text).toContain('"password":{"type":"string","format":"password"}')
    expect(text).not.toContain('"secret":')
  })

  it('is unchanged in req.body and in the response', async () => {
    @Controller('echo')
    class EchoController {
      @Post() @Body(z.object({ key: z.string().meta({ secret: true }) })) echo(req: Request) {
        return req.body
      }
    }
    const { app } = await serve({ logger: false, controllers: [EchoController] })
    const { port } = app.server.address() as { port: number }
    const response = await fetch(`http://127.0.0.1:${port}/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: SECRET }),
    })
    expect(await response.json()).toMatchObject({ data: { key: SECRET } })
  })
})
