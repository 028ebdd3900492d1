import {
  ConfigError,
  Controller,
  Get,
  Head,
  Health,
  InjectionToken,
  inject,
  memoryCache,
  type Plugin,
  type Request,
  type Response,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { gate } from '../gate.js'

@Controller('letters')
class LettersController {
  @Get('health')
  async health(_req: unknown, res: Response) {
    res.json(await this.#health.check())
  }

  readonly #health = inject(Health)
}

/** A logger that keeps the lines of errors. */
const recordingLogger = (logged: object[]) => ({
  info() {},
  warn() {},
  error: (facts: object, message: string) => void logged.push({ ...facts, message }),
})

/** Recognises operators by a header. */
class Operators {
  canActivate(req: Request) {
    if (req.get('x-operator') === 'broken') throw new TypeError('broken')
    return req.get('x-operator') === 'yes'
  }
}

let app: TestApp
const start = async (options: TestOptions = {}) => {
  app = await TestApp.create({
    controllers: [LettersController],
    logger: false,
    // The responses of these plugins are not in the document.
    contract: 'off',
    ...options,
  })
}
afterEach(() => app?.close())
const get = (path: string) => app.request().get(path)
const asOperator = (path: string) => get(path).set('x-operator', 'yes')

const hangs = () => new Promise(() => {})
const fails = () => Promise.reject(new Error('cannot be reached at 10.0.0.7'))

/** The problems of an application that does not start. */
async function problemsOf(options: TestOptions) {
  const error = await TestApp.create({ contract: 'off', ...options }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(ConfigError)
  return (error as ConfigError).problems
}

describe('the health of an application', () => {
  it('is up if there is no health check', async () => {
    await start({ plugins: [{ name: 'silent' }] })
    const { body } = await get('/letters/health')
    expect(body).toEqual({ status: 'up', plugins: {}, checks: {} })
  })

  it('is down if one plugin is down', async () => {
    await start({
      plugins: [
        { name: 'fine', health: () => ({ lag: 3 }) },
        { name: 'gone', health: () => Promise.reject(new Error('cannot be reached')) },
        {
          name: 'odd',
          health: () => {
            throw 'odd'
          },
        },
      ],
    })
    expect((await get('/letters/health')).body).toMatchObject({
      status: 'down',
      plugins: {
        fine: { status: 'up', details: { lag: 3 } },
        gone: { status: 'down', reason: 'cannot be reached' },
        odd: { status: 'down', reason: 'odd' },
      },
    })
  })

  it('is checked by a plugin method, which has access to the providers', async () => {
    class Asking implements Plugin {
      readonly name = 'asking'
      readonly providers = [{ token: 'word', useValue: 'hello' }]
      health({ get: find }: { get<T>(token: string): T }) {
        return `${find<string>('word')} from ${this.name}`
      }
    }
    await start({ plugins: [new Asking()] })
    expect((await get('/letters/health')).body.plugins).toEqual({
      asking: { status: 'up', details: 'hello from asking' },
    })
  })

  it('is down if one of two plugins with the same name is down', async () => {
    const plugins = [
      { name: 'queue', health: fails },
      { name: 'queue', health: () => 'fine' },
    ]
    for (const list of [plugins, plugins.toReversed()]) {
      await start({ plugins: list })
      expect(await app.get(Health).check()).toMatchObject({
        status: 'down',
        plugins: { queue: { status: 'down', reason: 'cannot be reached at 10.0.0.7' } },
      })
      await app.close()
    }
  })

  it('includes the reason for each address if connections to several addresses fail', async () => {
    const tried = new AggregateError([
      new Error('connect ECONNREFUSED ::1:5432'),
      new Error('connect ECONNREFUSED 127.0.0.1:5432'),
    ])
    const nameless = () => Promise.reject(new TypeError())
    await start({ health: { checks: { tried: () => Promise.reject(tried), nameless } } })
    expect((await app.get(Health).check()).checks).toMatchObject({
      tried: { reason: 'connect ECONNREFUSED ::1:5432, connect ECONNREFUSED 127.0.0.1:5432' },
      nameless: { reason: 'TypeError' },
    })
  })

  it('is reported as closing if the application closes during a check', async () => {
    const opened = gate()
    await start({ health: { checks: { slow: () => opened.opened } } })
    const report = app.get(Health).check()
    const closed = app.close()
    opened.open()
    expect((await report).status).toBe('closing')
    await closed
  })

  it('is checked at most once per second', async () => {
    let calls = 0
    await start({ health: { checks: { counted: () => void calls++ } } })
    await app.clock.advance(1)
    const health = app.get(Health)
    const [one, other] = await Promise.all([health.check(), health.check()])
    expect(other).toBe(one)
    await app.clock.advance('999ms')
    await health.check()
    expect(calls).toBe(1)
    await app.clock.advance('1ms')
    await health.check()
    expect(calls).toBe(2)
  })

  it('is reused for a second after its checks have ended', async () => {
    let calls = 0
    const waiting = gate()
    const slow = () => {
      calls++
      return waiting.opened
    }
    await start({ health: { checks: { slow } } })
    await app.clock.advance(1)
    const first = app.get(Health).check()
    await app.clock.advance('900ms')
    waiting.open()
    const report = await first
    await app.clock.advance('999ms')
    expect(await app.get(Health).check()).toBe(report)
    expect(calls).toBe(1)
  })

  it('is logged when a check fails and when it succeeds again', async () => {
    let isUp = true
    const disk = () => {
      if (!isUp) throw new Error('The disk is full')
    }
    await start({ health: { checks: { disk } } })
    await app.clock.advance(1)
    for (const next of [true, false, false, true, true]) {
      isUp = next
      await app.get(Health).check()
      await app.clock.advance(1)
    }
    expect(app.logs).toEqual([
      {
        level: 'warn',
        facts: { check: 'disk', reason: 'The disk is full' },
        message: 'A health check has failed',
      },
      { level: 'info', facts: { check: 'disk' }, message: 'A health check has succeeded again' },
    ])
  })

  it('is reported as closing without a check once the application closes', async () => {
    let calls = 0
    await start({ health: { checks: { counted: () => void calls++ } } })
    const health = app.get(Health)
    const closed = app.close()
    expect(await health.check()).toEqual({ status: 'closing', plugins: {}, checks: {} })
    await closed
    expect(calls).toBe(0)
  })

  it('contains the details and reasons of checks in every form, and cannot be changed', async () => {
    const rejecting = (error: unknown) => () => Promise.reject(error)
    const named = new AggregateError([new Error('inner')], 'outer')
    const nested = new AggregateError([new Error('a'), new AggregateError([new TypeError(), 'b'])])
    await start({
      health: {
        checks: {
          empty: () => null,
          zero: () => 0,
          named: rejecting(named),
          nested: rejecting(nested),
          nothing: rejecting(undefined),
          unreadable: rejecting(Object.create(null)),
          rejected: { check: rejecting('text'), required: true },
          usual: { check: rejecting('text') },
        },
      },
    })
    const report = await app.get(Health).check()
    expect(report).toEqual({
      status: 'down',
      plugins: {},
      checks: {
        empty: { status: 'up', details: null },
        zero: { status: 'up', details: 0 },
        named: { status: 'down', reason: 'outer' },
        nested: { status: 'down', reason: 'a, TypeError, b' },
        nothing: { status: 'down', reason: 'undefined' },
        unreadable: { status: 'down', reason: 'The error has no message.' },
        rejected: { status: 'down', reason: 'text' },
        usual: { status: 'down', reason: 'text' },
      },
    })
    for (const part of [report, report.plugins, report.checks]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })

  it('is logged with the name of the plugin, also if the check exceeds its time limit', async () => {
    await start({ plugins: [{ name: 'slow', health: hangs }] })
    const report = app.get(Health).check()
    await app.clock.advance('1s')
    expect((await report).plugins['slow']).toEqual({
      status: 'down',
      reason: 'No response within 1000 ms.',
    })
    expect(app.logs).toEqual([
      {
        level: 'warn',
        facts: { plugin: 'slow', reason: 'No response within 1000 ms.' },
        message: 'A health check has failed',
      },
    ])
  })

  it('is checked again only after ten seconds if a check does not return', async () => {
    let calls = 0
    await start({
      health: {
        checks: {
          stuck: () => {
            calls++
            return hangs()
          },
        },
      },
    })
    const health = app.get(Health)
    const round = async () => {
      const report = health.check()
      await app.clock.advance('2s')
      return (await report).status
    }
    for (let index = 0; index < 5; index++) expect(await round()).toBe('down')
    expect(calls).toBe(1)
    expect(await round()).toBe('down')
    expect(calls).toBe(2)
  })
})

describe('the health option', () => {
  it('adds three routes for GET and HEAD, with Cache-Control: no-store', async () => {
    await start({ health: true })
    for (const path of ['/livez', '/readyz', '/startupz']) {
      const { status, text, headers } = await get(path)
      expect([status, text]).toEqual([200, '{"status":"up"}\n'])
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
        'content-length': '16',
        'x-content-type-options': 'nosniff',
      })
      const head = await app.request().head(path)
      expect([head.status, head.text, head.headers['content-length']]).toEqual([
        200,
        undefined,
        '16',
      ])
      expect((await app.request().post(path)).status).toBe(405)
    }
  })

  it('adds no routes if it is false', async () => {
    await start({ health: false })
    for (const path of ['/livez', '/readyz', '/startupz'])
      expect((await get(path)).status).toBe(404)
  })

  it('adds routes that ignore prefix and rateLimit, and are in no document or route table', async () => {
    await start({ health: true, prefix: 'api', rateLimit: { limit: 1, window: '1h' } })
    for (let index = 0; index < 5; index++) expect((await get('/readyz')).status).toBe(200)
    expect(Object.keys(app.document.paths)).toEqual(['/api/letters/health'])
    expect(app.getRouteTable()).toHaveLength(1)
  })

  it('adds routes that run no middlewares and require no tenant', async () => {
    await start({
      health: true,
      tenant: {},
      security: { cors: { origin: ['https://shop.example'], credentials: true } },
      middlewares: [
        () => {
          // Waits for a server that is away.
        },
      ],
    })
    expect((await get('/livez')).status).toBe(200)
    expect((await get('/readyz')).status).toBe(200)
  })

  it('results in a 503 response only for /readyz if a required check fails', async () => {
    await start({ health: true, plugins: [{ name: 'db', health: fails }] })
    const ready = await get('/readyz')
    expect([ready.status, ready.text]).toEqual([503, '{"status":"down"}\n'])
    expect((await get('/livez')).status).toBe(200)
    expect((await get('/startupz')).status).toBe(200)
  })

  it('results in 200 and "degraded" for /readyz if only an optional check fails', async () => {
    await start({
      health: { checks: { cache: { check: fails, required: false } } },
      plugins: [{ name: 'replica', health: { check: fails, required: false } }],
    })
    const { status, text } = await get('/readyz')
    expect([status, text]).toEqual([200, '{"status":"degraded"}\n'])
  })

  it('results in "degraded" if the store of the cache fails, which requests do not need', async () => {
    await start({ health: true, cache: { store: Object.assign(memoryCache(), { check: fails }) } })
    const { status, text } = await get('/readyz')
    expect([status, text]).toEqual([200, '{"status":"degraded"}\n'])
  })

  it('shows reasons only to callers that the guard accepts', async () => {
    await start({
      health: { guard: new Operators(), checks: { mail: fails, queue: () => 3 } },
      plugins: [{ name: 'db', health: () => 'fine' }],
    })
    expect((await asOperator('/readyz')).body).toEqual({
      status: 'down',
      plugins: { db: { status: 'up', details: 'fine' } },
      checks: {
        mail: { status: 'down', reason: 'cannot be reached at 10.0.0.7' },
        queue: { status: 'up', details: 3 },
      },
    })
    for (const operator of ['no', 'broken']) {
      const { status, text } = await get('/readyz').set('x-operator', operator)
      expect([status, text]).toEqual([503, '{"status":"down"}\n'])
    }
  })

  it('shows no reasons if its guard returns another value than true, and closes its guard', async () => {
    const closed: string[] = []
    const guard = { canActivate: () => 1 as never, onClose: () => void closed.push('guard') }
    await start({ health: { guard, checks: { mail: fails } } })
    expect((await get('/readyz')).text).toBe('{"status":"down"}\n')
    expect(closed).toEqual([])
    await app.close()
    expect(closed).toEqual(['guard'])
  })

  it('logs failures of its guard, but no refusals', async () => {
    const logged: object[] = []
    await start({ health: { guard: new Operators() }, logger: recordingLogger(logged) })
    for (const operator of ['no', 'broken']) {
      await get('/readyz').set('x-operator', operator).expect(200, '{"status":"up"}\n')
    }
    expect(logged).toEqual([
      {
        err: expect.objectContaining({ message: 'broken' }),
        method: 'GET',
        url: '/readyz',
        requestId: expect.any(String),
        status: 200,
        message: 'The guard failed, so the reasons were not shown',
      },
    ])
  })

  it('accepts the injection token of a guard, and refuses other tokens at boot', async () => {
    const token = new InjectionToken<Operators>('operators')
    await start({ health: { guard: token }, providers: [{ token, useClass: Operators }] })
    expect((await asOperator('/readyz')).body).toMatchObject({ status: 'up', plugins: {} })
    const wrong = { health: { guard: 'x' }, providers: [{ token: 'x', useValue: {} }] }
    expect(await problemsOf(wrong)).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: 'health.guard' },
    ])
    expect(await problemsOf({ health: { guard: 'nobody' } })).toMatchObject([
      { code: 'E_PROVIDER_MISSING' },
    ])
  })

  it('uses the guard to which `forApplication` resolves', async () => {
    const refusing = () => {
      throw new Error('The original guard must not run.')
    }
    const forApplication = async () => new Operators()
    await start({ health: { guard: { canActivate: refusing, forApplication } } })
    expect((await asOperator('/readyz')).body).toMatchObject({ status: 'up', plugins: {} })
  })

  it('sends only the status if the details cannot be serialized as JSON', async () => {
    const checks = { big: () => 1n }
    await start({ health: { guard: new Operators(), checks } })
    expect((await asOperator('/readyz')).text).toBe('{"status":"up"}\n')
  })

  it('results in a 503 response after one second if a check and the guard hang', async () => {
    const guard = { canActivate: () => hangs() as Promise<boolean> }
    await start({ health: { guard, checks: { hangs } } })
    const answer = app.fetch('/readyz')
    await app.clock.advance('1s')
    const { status } = await answer
    expect(status).toBe(503)
    expect(await (await answer).text()).toBe('{"status":"down"}\n')
    expect((await get('/livez')).status).toBe(200)
  })

  it('calls each check once for 1,000 parallel probes', async () => {
    const opened = gate()
    const calls = { plugin: 0, check: 0 }
    const count = (name: keyof typeof calls) => () => {
      calls[name]++
      return opened.opened
    }
    await start({
      health: { checks: { slow: count('check') } },
      plugins: [{ name: 'slow', health: count('plugin') }],
    })
    // The clock stands still, so that no check fails because it takes more than a second.
    await app.clock.advance(1)
    const probes = Array.from({ length: 1000 }, () => app.fetch('/readyz'))
    await expect.poll(() => calls).toEqual({ plugin: 1, check: 1 })
    opened.open()
    const answers = await Promise.all(probes)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(calls).toEqual({ plugin: 1, check: 1 })
  })

  it('can set other paths for its routes', async () => {
    await start({ health: { paths: { live: '/healthz', ready: '/is/ready' } } })
    expect((await get('/healthz')).status).toBe(200)
    expect((await get('/is/ready')).status).toBe(200)
    expect((await get('/startupz')).status).toBe(200)
    expect((await get('/livez')).status).toBe(404)
  })

  it('takes only its own paths from a route with a path parameter', async () => {
    @Controller()
    class Pages {
      @Get(':page') page({ params }: Request) {
        return params['page']
      }
    }
    await start({ controllers: [Pages], health: true })
    expect((await get('/about')).body.data).toBe('about')
    expect((await get('/livez')).body).toEqual({ status: 'up' })
  })

  it('causes a boot error if a controller uses one of its paths', async () => {
    @Controller()
    class Own {
      @Get('livez') live() {}
      @Head('Readyz') ready() {}
    }
    const remedy = (name: string) =>
      `Move the route, or specify another path: \`health: { paths: { ${name}: '/other' } }\`.`
    expect(await problemsOf({ controllers: [Own], health: true })).toMatchObject([
      { code: 'E_ROUTE_DUPLICATE', subject: 'Own.live', remedy: remedy('live') },
      { code: 'E_ROUTE_DUPLICATE', subject: 'Own.ready', remedy: remedy('ready') },
    ])
    const other = { paths: { live: '/a', ready: '/b' } }
    await start({ controllers: [Own], health: other })
  })

  it.each([
    [{ health: 'yes' }, 'health'],
    [{ health: [] }, 'health'],
    [{ health: { path: '/x' } }, 'health.path'],
    [{ health: { guard: {} } }, 'health.guard'],
    [{ health: { checks: [] } }, 'health.checks'],
    [{ health: { checks: { db: 'up' } } }, 'health.checks.db'],
    [{ health: { checks: { db: { check() {}, required: 'no' } } } }, 'health.checks.db'],
    [{ health: { paths: '/livez' } }, 'health.paths'],
    [{ health: { paths: { live: 'healthz' } } }, 'health.paths.live'],
    [{ health: { paths: { ready: '/:name' } } }, 'health.paths.ready'],
    [{ health: { paths: { ready: '/livez' } } }, 'health.paths'],
    [{ health: { paths: { ready: '/LiveZ' } } }, 'health.paths'],
    [{ health: { paths: { alive: '/x' } } }, 'health.paths.alive'],
  ])('causes a boot error if its value is invalid: %j', async (options, subject) => {
    const problems = await problemsOf(options as unknown as TestOptions)
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject }])
  })
})

describe('the routes of a plugin', () => {
  const status = (path: string): Plugin => ({
    name: 'status',
    routes: ({ get: find }) => [
      { path, handle: (_req, res) => res.send(String(find('word'))) },
      {
        path: '/fails',
        handle: async () => {
          throw new Error('no')
        },
      },
    ],
    providers: [{ token: 'word', useValue: 'hello' }],
  })

  it('run after the middlewares, and result in a 500 response if they throw', async () => {
    const seen: string[] = []
    const middlewares = [
      (req: Request, _res: Response, next: () => void) => {
        seen.push(req.path)
        next()
      },
    ]
    await start({ plugins: [status('/status')], middlewares })
    expect((await get('/status')).text).toBe('hello')
    expect((await get('/fails')).status).toBe(500)
    expect(seen).toEqual(['/status', '/fails'])
  })

  it.each([
    ['/letters/health', 'E_ROUTE_DUPLICATE', 'LettersController.health'],
    ['/api-docs', 'E_ROUTE_DUPLICATE', "plugin 'status'"],
    ['/fails', 'E_ROUTE_DUPLICATE', "plugin 'status'"],
    ['status', 'E_PATH_SYNTAX', "plugin 'status'"],
    ['/status/', 'E_PATH_SYNTAX', "plugin 'status'"],
    ['/:status', 'E_PATH_SYNTAX', "plugin 'status'"],
    ['/a b', 'E_PATH_SYNTAX', "plugin 'status'"],
  ])(
    'cause a boot error if a path is invalid or already in use: %s',
    async (path, code, subject) => {
      const options = { controllers: [LettersController], plugins: [status(path)] }
      expect(await problemsOf(options)).toMatchObject([{ code, subject }])
    },
  )
})
