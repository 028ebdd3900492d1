import {
  ApiResponseDoc,
  type AppOptions,
  Body,
  Controller,
  type ErrorRequestHandler,
  Get,
  type JsonSchema,
  Limits,
  Post,
  type Request,
  type RequestHandler,
  type Response,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compareDocuments } from '../../../src/cli/diff/compare-documents.js'
import { bootWarnings } from '../../support.js'
import { turns } from '../turns.js'

const running: { close(): Promise<void> }[] = []
afterEach(() => Promise.all(running.splice(0).map((app) => app.close())))

async function start(options: TestOptions) {
  const logged: object[] = []
  const logger = { info() {}, warn() {}, error: (facts: object) => void logged.push(facts) }
  const timeouts = { close: '10ms', ...options.timeouts }
  const app = await TestApp.create({ contract: 'throw', logger, ...options, timeouts })
  running.push(app)
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await app.fetch(path, init)
    return [response.status, ((await response.json()) as { code?: string }).code]
  }
  return { app, post, logged }
}

const text = (bytes: number) => 'x'.repeat(bytes - 2)
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
const never = () => new Promise(() => {})

@Limits({ body: '1kb', depth: 3 })
@Controller('docs')
class DocsController {
  @Post('small')
  small() {
    return 'ok'
  }

  @Limits({ body: 2048 })
  @Post('larger')
  larger() {
    return 'ok'
  }

  @Limits({ depth: 80 })
  @Post('deeper')
  @Body(z.unknown())
  deeper() {
    return 'ok'
  }
}

@Controller('other')
class OtherController {
  @Post()
  create() {
    return 'ok'
  }
}

const controllers = [DocsController, OtherController]
const tooLarge = [413, 'PAYLOAD_TOO_LARGE']
const tooDeep = [400, 'MALFORMED_JSON']

describe('the limits `body` and `depth` of @Limits', () => {
  it('override the limits of the application, and @Limits of a method overrides its class', async () => {
    const { post } = await start({ controllers, limits: { body: '3kb', depth: 5 } })
    expect(await post('/docs/small', text(1024))).toEqual([200, undefined])
    expect(await post('/docs/small', text(1025))).toEqual(tooLarge)
    expect(await post('/docs/small', nested(3))).toEqual([200, undefined])
    expect(await post('/docs/small', nested(4))).toEqual(tooDeep)
    expect(await post('/docs/larger', text(2048))).toEqual([200, undefined])
    expect(await post('/docs/larger', text(2049))).toEqual(tooLarge)
    expect(await post('/docs/larger', nested(4))).toEqual(tooDeep)
    expect(await post('/docs/deeper', text(1025))).toEqual(tooLarge)
    expect(await post('/docs/deeper', nested(80))).toEqual([200, undefined])
    expect(await post('/docs/deeper', nested(81))).toEqual(tooDeep)
    expect(await post('/other', text(3072))).toEqual([200, undefined])
    expect(await post('/other', nested(6))).toEqual(tooDeep)
  })

  it('apply to the body after decompression', async () => {
    const { app } = await start({ controllers })
    const { gzipSync } = await import('node:zlib')
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const send = (bytes: number) =>
      app.fetch('/docs/small', {
        method: 'POST',
        headers,
        body: new Uint8Array(gzipSync(JSON.stringify(text(bytes)))),
      })
    expect((await send(1024)).status).toBe(200)
    expect((await send(1025)).status).toBe(413)
  })

  it('add the maximum body size to the OpenAPI document', async () => {
    const { app } = await start({ controllers })
    const responses = (path: string) => app.document.paths[path]?.post?.responses ?? {}
    expect(responses('/docs/larger')['413']).toMatchObject({
      description: 'The request body is larger than 2048 bytes.',
      'x-max-body-bytes': 2048,
      content: { 'application/json': { example: { status: 413 } } },
    })
    expect(responses('/docs/deeper')['413']).toMatchObject({
      description: 'The request body is larger than 1024 bytes.',
    })
    expect(responses('/other')['413']).toEqual({ $ref: '#/components/responses/PayloadTooLarge' })
    const shared = async (body: number) =>
      (await start({ controllers, limits: { body } })).app.document.components.responses
    expect(await shared(4096)).toMatchObject({ PayloadTooLarge: { 'x-max-body-bytes': 4096 } })
    expect(await shared(5120)).toMatchObject({ PayloadTooLarge: { 'x-max-body-bytes': 5120 } })
  })

  it('appear in `blazon openapi diff` if they change', async () => {
    @Controller('docs')
    class Unlimited {
      @Post()
      create(): unknown {
        return 'ok'
      }
    }
    @Controller('docs')
    class Limited extends Unlimited {
      @Limits({ body: '1kb' })
      @Post()
      override create() {
        return 'ok'
      }
    }
    const documentOf = async (controller: typeof Unlimited) =>
      (await start({ controllers: [controller] })).app.document
    const [base, limited] = [await documentOf(Unlimited), await documentOf(Limited)]
    const change = { operation: 'POST /docs', location: 'response 413' }
    expect(compareDocuments(base, limited)).toContainEqual({
      ...change,
      rule: 'body-limit-lowered',
      isBreaking: true,
      message: 'The maximum body size was 102400 bytes and is now 1024 bytes.',
    })
    expect(compareDocuments(limited, base)).toContainEqual({
      ...change,
      rule: 'body-limit-raised',
      isBreaking: false,
      message: 'The maximum body size was 1024 bytes and is now 102400 bytes.',
    })
  })

  it('are inherited separately', async () => {
    @Limits({ depth: 4 })
    class Base {
      @Limits({ body: '1kb', timeout: '2s' })
      @Post('own')
      own(): unknown {
        return 'ok'
      }
    }
    @Limits({ body: '2kb' })
    @Controller('inherited')
    class Inheriting extends Base {
      @Limits({ timeout: '9s' })
      override own() {
        return never()
      }

      @Post()
      create() {
        return 'ok'
      }
    }
    const { app, post } = await start({ controllers: [Inheriting] })
    expect(await post('/inherited', text(2049))).toEqual(tooLarge)
    expect(await post('/inherited', nested(5))).toEqual(tooDeep)
    expect(await post('/inherited/own', text(1025))).toEqual(tooLarge)
    const waiting = post('/inherited/own', 1)
    await app.clock.advance('8s')
    await app.clock.advance('1s')
    expect(await waiting).toEqual([503, 'HANDLER_TIMEOUT'])
  })

  it('cause a boot warning if `body` is raised and the schema allows lists of unlimited length', async () => {
    const schema: JsonSchema = { type: 'array', items: { type: 'boolean' } }
    @Controller('lists')
    class ListsController {
      @Post()
      @Body(schema)
      create() {
        return null
      }

      @Limits({ body: '1mb' })
      @Post('many')
      @Body(schema)
      many() {
        return null
      }
    }
    const codes = async (options: AppOptions = {}) =>
      (await bootWarnings({ controllers: [ListsController], ...options })).map(({ text }) => text)
    expect(await codes()).toEqual([expect.stringContaining('ListsController.many')])
    const small = await codes({ limits: { body: '1mb' } })
    expect(small).toHaveLength(2)
  })
})

@Limits({ timeout: '5s' })
@Controller()
class SlowController {
  @Get('class')
  ofClass() {
    return never()
  }

  @Limits({ timeout: '90s' })
  @Get('long')
  long() {
    return never()
  }

  @Limits({ timeout: false })
  @Get('unlimited')
  unlimited() {
    return never()
  }

  /** Waits for a response from a callback that never runs. */
  @Limits({ timeout: '7s' })
  @Get('later')
  later(_req: Request, _res: Response) {}

  @ApiResponseDoc({ status: 200, description: 'Text', contentType: 'text/plain' })
  @Limits({ timeout: '1s' })
  @Get('stream')
  stream(_req: Request, res: Response) {
    res.type('text/plain').write('begun')
    return res
  }
}

@Controller('default')
class DefaultController {
  @Get()
  wait() {
    return never()
  }
}

const slow = { controllers: [SlowController, DefaultController] }

/** Sends a request, and tells whether it has been answered. */
function ask(app: TestApp, path: string, init: RequestInit = {}) {
  const state = { status: 0 }
  app.fetch(path, init).then(
    ({ status }) => {
      state.status = status
    },
    () => {},
  )
  return state
}

describe('the timeout of @Limits', () => {
  it('ends each of several waiting requests after the time of its own route', async () => {
    const { app, logged } = await start(slow)
    const long = ask(app, '/long')
    const unlimited = ask(app, '/unlimited')
    const common = ask(app, '/default')
    const later = ask(app, '/later')
    const short = ask(app, '/class')
    const seen = async (by: string) => {
      await app.clock.advance(by)
      await turns()
      return [short, later, common, long, unlimited].map(({ status }) => status)
    }
    expect(await seen('4s')).toEqual([0, 0, 0, 0, 0])
    expect(await seen('1s')).toEqual([503, 0, 0, 0, 0])
    expect(await seen('2s')).toEqual([503, 503, 0, 0, 0])
    expect(await seen('22s')).toEqual([503, 503, 0, 0, 0])
    expect(await seen('1s')).toEqual([503, 503, 503, 0, 0])
    expect(await seen('60s')).toEqual([503, 503, 503, 503, 0])
    expect(await seen('10m')).toEqual([503, 503, 503, 503, 0])
    expect(logged).toHaveLength(4)
  })

  it('applies even if the application has no handler timeout', async () => {
    const { app } = await start({ ...slow, timeouts: { handler: false } })
    const [short, common] = [ask(app, '/class'), ask(app, '/default')]
    await app.clock.advance('5s')
    await app.clock.advance('10m')
    await turns()
    expect([short.status, common.status]).toEqual([503, 0])
  })

  it('does not end a response that has begun', async () => {
    const { app, logged } = await start({ ...slow, contract: 'off' })
    const response = await app.fetch('/stream')
    await app.clock.advance('10m')
    expect([response.status, logged]).toEqual([200, []])
    await response.body?.cancel()
  })

  it('aborts req.signal when it expires', async () => {
    let reason: unknown
    @Controller()
    class Aborted {
      @Limits({ timeout: '250ms' })
      @Get()
      wait(req: Request) {
        req.signal.addEventListener('abort', () => {
          reason = req.signal.reason
        })
        return never()
      }
    }
    const { app } = await start({ controllers: [Aborted] })
    const answer = app.fetch('/')
    await app.clock.advance('250ms')
    expect((await answer).status).toBe(503)
    expect(reason).toMatchObject({ code: 'HANDLER_TIMEOUT' })
  })

  it('applies to an error middleware that handles an error of the route', async () => {
    const hanging: ErrorRequestHandler = (_error, _req, _res, _next) => {}
    @Controller()
    class Failing {
      @Limits({ timeout: '2s' })
      @Get('own')
      own() {
        throw new Error('x')
      }

      @Get('default')
      common() {
        throw new Error('x')
      }
    }
    const options = { controllers: [Failing], middlewares: [hanging], logger: false } as const
    const { app } = await start(options)
    const [own, common] = [ask(app, '/own'), ask(app, '/default')]
    // The error of the time limit gets to the same error middleware, which has the same time again.
    for (let i = 0; i < 2; i++) await app.clock.advance('2s')
    await turns()
    expect([own.status, common.status]).toEqual([503, 0])
    for (let i = 0; i < 2; i++) await app.clock.advance('30s')
    await turns()
    expect(common.status).toBe(503)
  })

  it('starts again for an error middleware if a middleware reports an error late', async () => {
    let failLate: (error: Error) => void = () => {}
    const late: RequestHandler = (_req, _res, next) => {
      failLate = next
      next()
    }
    const hanging: ErrorRequestHandler = (_error, _req, _res, _next) => {}
    const { app } = await start({ ...slow, middlewares: [late, hanging], contract: 'off' })
    const answer = ask(app, '/class')
    await app.clock.advance('4s')
    failLate(new Error('late'))
    await app.clock.advance('4s')
    await turns()
    expect(answer.status).toBe(0)
    await app.clock.advance('1s')
    await turns()
    expect(answer.status).toBe(503)
  })

  it('determines whether the document contains the 503 response', async () => {
    const has503 = async (options: TestOptions) => {
      const { app } = await start({ ...slow, ...options })
      return Object.entries(app.document.paths).flatMap(([path, { get }]) =>
        get !== undefined && '503' in get.responses ? [path] : [],
      )
    }
    expect(await has503({})).toEqual(['/class', '/default', '/later', '/long', '/stream'])
    expect(await has503({ timeouts: { handler: false } })).toEqual([
      '/class',
      '/later',
      '/long',
      '/stream',
    ])
  })
})
