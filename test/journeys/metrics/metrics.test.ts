import {
  App,
  Auth,
  BadRequestError,
  Cache,
  ConfigError,
  Controller,
  ForbiddenError,
  Get,
  inject,
  Metrics,
  Post,
  RateLimit,
  type Request,
  type Response,
} from 'blazon'
import { apiKeys, generateApiKey } from 'blazon/keys'
import { TestApp, type TestOptions } from 'blazon/testing'
import createError from 'http-errors'
import parse from 'parse-prometheus-text-format'
import { Counter, Gauge, Registry } from 'prom-client'
import { afterEach, describe, expect, it } from 'vitest'
import { rounds } from '../../rounds.js'
import { gate } from '../gate.js'

/** The paths of each of twenty clients. */
const PATHS = 4 * rounds(125, 10)

/** A logger that keeps the lines of errors. */
const recordingLogger = (logged: object[]) => ({
  info() {},
  warn() {},
  error: (facts: object, message: string) => void logged.push({ ...facts, message }),
})

@Controller('letters')
class LettersController {
  @Get()
  list() {
    return []
  }

  @Get(':id')
  one(req: Request) {
    if (req.params.id === '0') throw new BadRequestError('No letter has the number 0.')
    if (req.params.id === 'broken') throw new TypeError('broken')
    return { id: req.params.id }
  }

  @Auth()
  @Post()
  write() {}

  @Cache({ ttl: '1m' })
  @Get('cached/all')
  cached() {
    return [1]
  }

  @RateLimit({ limit: 1, window: '1m' })
  @Get('limited/all')
  limited() {
    return [1]
  }

  @Get('odd/:status')
  odd(req: Request, res: Response) {
    res.status(Number(req.params.status)).end()
  }
}

let app: TestApp
const start = async (options: TestOptions = {}) => {
  app = await TestApp.create({
    controllers: [LettersController],
    logger: false,
    metrics: true,
    contract: 'off',
    ...options,
  })
}
afterEach(() => app?.close())
const get = (path: string) => app.request().get(path)
const DURATION = 'http_server_request_duration_seconds'

/**
 * The families of a scrape, as a parser of Prometheus' text format reads them. It keeps only one series of a histogram, so the
 * parts of histograms are families here.
 */
async function scrape() {
  const { text } = await get('/metrics').expect(200)
  const families = new Map<string, ReturnType<typeof parse>[number]>()
  for (const family of parse(text.replace(/^# TYPE \w+ histogram\n/gm, ''))) {
    const known = families.get(family.name)
    if (known === undefined) families.set(family.name, family)
    else known.metrics.push(...family.metrics)
  }
  return families
}

/** The number of requests of each series: `GET /letters 2xx`. */
async function durations(): Promise<Record<string, number>> {
  const metrics = (await scrape()).get(`${DURATION}_count`)?.metrics ?? []
  return Object.fromEntries(
    metrics.map(({ labels, value }) => [
      `${labels?.['method']} ${labels?.['route']} ${labels?.['status']}`,
      Number(value),
    ]),
  )
}

describe('the durations of requests', () => {
  it('are counted by method, route and status class', async () => {
    await start({ auth: { guard: { canActivate: () => false } } })
    await get('/letters').expect(200)
    await get('/letters?page=2').expect(200)
    await get('/letters/7').expect(200)
    await get('/letters/0').expect(400)
    await get('/letters/broken').expect(500)
    await app.request().head('/letters').expect(200)
    await app.request().post('/letters').expect(401)
    await get('/nowhere').expect(404)
    expect(await durations()).toEqual({
      'GET /letters 2xx': 2,
      'HEAD /letters 2xx': 1,
      'GET /letters/:id 2xx': 1,
      'GET /letters/:id 4xx': 1,
      'GET /letters/:id 5xx': 1,
      'POST /letters 4xx': 1,
      'GET (none) 4xx': 1,
    })
  })

  it('have cumulative buckets, and the sum of all durations', async () => {
    await start({ metrics: { buckets: [0.001, 60, 3600] } })
    await get('/letters').expect(200)
    const families = await scrape()
    const buckets = families.get(`${DURATION}_bucket`)?.metrics ?? []
    expect(buckets.map(({ labels }) => labels?.['le'])).toEqual(['0.001', '60', '3600', '+Inf'])
    const counts = buckets.map(({ value }) => Number(value))
    expect(counts).toEqual([...counts].sort((a, b) => a - b))
    expect(counts.at(-1)).toBe(1)
    expect(Number(families.get(`${DURATION}_sum`)?.metrics[0]?.value)).toBeGreaterThan(0)
  })

  it('produce at most three additional series after thousands of paths, methods and headers', async () => {
    await start()
    await durations()
    const before = Object.keys(await durations()).length
    const server = await app.listen(0, { host: '127.0.0.1', announce: false })
    await Promise.all(
      Array.from({ length: 20 }, async (_, worker) => {
        for (let index = 0; index < PATHS; index += 1) {
          const id = `${worker}-${index}-${Math.random()}`
          const method = ['GET', 'PUT', 'PROPFIND', 'MKCOL'][index % 4] as string
          const response = await fetch(`http://127.0.0.1:${server.port}/x/${id}?q=${id}`, {
            method,
            headers: { 'x-tenant-id': id, 'user-agent': id },
          })
          await response.arrayBuffer()
        }
      }),
    )
    const after = await durations()
    expect(Object.keys(after).length - before).toBeLessThanOrEqual(3)
    expect(after['_OTHER (none) 4xx']).toBe(10 * PATHS)
  })

  it('include a request with status 799, and a request whose client disconnects before the response', async () => {
    const waiting = gate()
    const entered = gate()
    @Controller('slow')
    class SlowController {
      @Get()
      async get() {
        entered.open()
        await waiting.opened
      }
    }
    await start({ controllers: [LettersController, SlowController] })
    await get('/letters/odd/799').expect(799)
    const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
    const controller = new AbortController()
    const slow = fetch(`http://127.0.0.1:${port}/slow`, { signal: controller.signal })
    await entered.opened
    expect((await scrape()).get('http_server_active_requests')?.metrics[0]?.value).toBe('2')
    controller.abort()
    await expect(slow).rejects.toThrow()
    await expect
      .poll(async () => await durations())
      .toMatchObject({ 'GET /letters/odd/:status other': 1, 'GET /slow aborted': 1 })
    waiting.open()
    expect((await scrape()).get('http_server_active_requests')?.metrics[0]?.value).toBe('1')
  })

  it('match the number of log lines after various requests', async () => {
    await start({ logs: true })
    const paths = ['/letters', '/letters/1', '/letters/0', '/letters/broken', '/no', '/letters/%zz']
    for (let index = 0; index < 120; index += 1) await get(paths[index % 6] as string)
    const counted = await durations()
    const logged = app.logs.filter(({ facts }) => facts['ms'] !== undefined).length - 1
    expect(logged).toBe(120)
    expect(Object.values(counted).reduce((sum, count) => sum + count, 0)).toBe(logged)
  })
})

describe('metrics other than the durations of requests', () => {
  it('count responses by the part of the application that sent them', async () => {
    await start({ rateLimit: {}, auth: { guard: { canActivate: () => false } } })
    for (let index = 0; index < 3; index += 1) await get('/letters/limited/all')
    for (let index = 0; index < 3; index += 1) await get('/letters/cached/all')
    await app.request().post('/letters').expect(401)
    await get('/no').expect(404)
    const metrics = (await scrape()).get('http_server_responses_total')?.metrics ?? []
    const causes = Object.fromEntries(
      metrics.map(({ labels, value }) => [labels?.['cause'], Number(value)]),
    )
    expect(causes).toEqual({ handler: 2, limit: 2, cache: 2, guard: 1, router: 1 })
    const cache = (await scrape()).get('cache_reads_total')?.metrics ?? []
    const reads = Object.fromEntries(cache.map(({ labels, value }) => [labels?.['result'], value]))
    expect(reads).toMatchObject({ hits: '2', misses: '1' })
  })

  it('describe the process under the same names as prom-client', async () => {
    await start()
    const families = await scrape()
    for (const name of [
      'process_cpu_user_seconds_total',
      'process_cpu_system_seconds_total',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
      'nodejs_heap_size_used_bytes',
      'nodejs_heap_size_total_bytes',
      'nodejs_external_memory_bytes',
    ]) {
      expect([name, Number(families.get(name)?.metrics[0]?.value)]).toEqual([
        name,
        expect.toSatisfy((value: number) => value > 0),
      ])
    }
    for (const name of ['p50', 'p99', 'max']) {
      const lag = families.get(`nodejs_eventloop_lag_${name}_seconds`)?.metrics[0]?.value
      expect(Number(lag)).toBeGreaterThanOrEqual(0)
    }
    expect(families.get('nodejs_gc_duration_seconds_count')?.metrics.length).toBeGreaterThan(0)
  })

  it('can be added by any class, and a metric that fails is left out and logged', async () => {
    class Queue {
      constructor(metrics = inject(Metrics)) {
        const shared = { help: 'Jobs that wait. \\ "now"\nAll.', type: 'gauge' } as const
        metrics.add({ ...shared, name: 'jobs_waiting', read: () => 3 })
        const labels = { queue: 'a "b"\n\\' }
        metrics.add({ ...shared, name: 'jobs_by_queue', read: () => [{ labels, value: 2 }] })
        metrics.add({
          ...shared,
          name: 'jobs_broken',
          read: () => {
            throw new Error('cannot be read')
          },
        })
      }
    }
    await start({ providers: [Queue] })
    const families = await scrape()
    expect(families.get('jobs_waiting')?.metrics).toEqual([{ value: '3' }])
    expect(families.get('jobs_by_queue')?.metrics).toEqual([
      { value: '2', labels: { queue: 'a "b"\n\\' } },
    ])
    expect(families.has('jobs_broken')).toBe(false)
    expect(app.logs.map(({ facts }) => facts['metric'])).toContain('jobs_broken')
  })

  it.each([
    [{ name: 'with space' }, /letters, digits/],
    [{ name: '9lives' }, /^[^']*metric '9lives'[\s\S]*letters, digits/],
    [{ name: undefined }, /letters, digits/],
    [{ help: undefined }, /no `help`/],
    [{ help: ' ' }, /no `help`/],
    [{ type: 'histogram' }, /'counter' or 'gauge'/],
    [{ type: 'counter' }, /not end with `_total`/],
    [{ read: 3 }, /not a function/],
  ])('are refused if they are declared with %o', async (wrong, cause) => {
    await start()
    const metric = { name: 'jobs_waiting', help: 'Jobs.', type: 'gauge', read: () => 1, ...wrong }
    expect(() => app.get(Metrics).add(metric as never)).toThrow(cause)
  })

  it('are refused if two have the same name', async () => {
    await start()
    const metric = { name: 'jobs_waiting', help: 'Jobs.', type: 'gauge', read: () => 1 } as const
    app.get(Metrics).add(metric)
    expect(() => app.get(Metrics).add(metric)).toThrow(/It has already been added/)
    app.get(Metrics).add({ ...metric, name: 'Jobs_9_total', type: 'counter' })
    app.get(Metrics).add({ ...metric, name: '_jobs' })
    expect(
      app
        .get(Metrics)
        .list()
        .map(({ name }) => name),
    ).toEqual(['jobs_waiting', 'Jobs_9_total', '_jobs'])
  })

  it('count requests per tenant up to a maximum, and the requests of all other tenants together', async () => {
    await start({ tenant: {}, metrics: { tenants: { max: 2 } } })
    for (const tenant of ['a', 'b', 'c', 'd', 'a']) {
      await get('/letters').set('x-tenant-id', tenant).expect(200)
    }
    await get('/letters').expect(200)
    const metrics = (await scrape()).get('http_server_tenant_requests_total')?.metrics ?? []
    expect(metrics.map(({ labels, value }) => [labels?.['tenant'], value])).toEqual([
      ['a', '2'],
      ['b', '1'],
      ['other', '2'],
    ])
  })

  it('contain no tenant without the option `tenants`, and no tenant that `authorize` refuses', async () => {
    await start({ tenant: { authorize: () => false }, metrics: { tenants: { max: 2 } } })
    await get('/letters').set('x-tenant-id', 'acme')
    expect((await get('/metrics')).text).not.toContain('acme')
    await app.close()
    await start({ tenant: {} })
    await get('/letters').set('x-tenant-id', 'acme').expect(200)
    expect((await get('/metrics')).text).not.toContain('acme')
  })
})

describe('a scrape of the metrics', () => {
  it('receives OpenMetrics with exemplars if it sends the Accept header of a scraper', async () => {
    await start()
    const trace = '0af7651916cd43dd8448eb211c80319c'
    await get('/letters').set('traceparent', `00-${trace}-b7ad6b7169203331-03`).expect(200)
    const accept =
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,' +
      'application/openmetrics-text;version=0.0.1;q=0.5,' +
      'text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'
    const { text, headers } = await get('/metrics').set('accept', accept).expect(200)
    expect(headers['content-type']).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    )
    expect(text).toContain('# TYPE http_server_responses counter\nhttp_server_responses_total{')
    expect(text).toContain('# UNIT http_server_request_duration_seconds seconds')
    expect(text).toMatch(new RegExp(`le="[^"]+"} 1 # {trace_id="${trace}"} \\d.* \\d+\\.\\d{3}\\n`))
    expect(text).toContain('le="1.0"')
    expect(text.endsWith('\n# EOF\n')).toBe(true)
  })

  it.each([
    'application/openmetrics-text;version=1.0.0;charset=utf-8',
    'application/openmetrics-text; version=1.0.0; validchars=utf8, text/plain;q=0.5',
    'Application/OpenMetrics-Text;Version=1.0.0;Escaping=values;charset=utf-8',
    'text/plain;version=0.0.4;q=0.4,application/openmetrics-text;version=1.0.0;q=0.5',
  ])('receives OpenMetrics if it accepts %s', async (accept) => {
    await start()
    const { headers } = await get('/metrics').set('accept', accept).expect(200)
    expect(headers['content-type']).toMatch(/^application\/openmetrics-text/)
  })

  it('has a log line of the level debug, like those for the health', async () => {
    await start({ logs: true, health: true })
    for (const path of ['/metrics', '/livez', '/readyz', '/startupz']) await get(path).expect(200)
    const lines = app.logs.filter(({ facts }) => facts['ms'] !== undefined)
    expect(lines.map(({ level, facts }) => [level, facts['path']])).toEqual([
      ['debug', '/metrics'],
      ['debug', '/livez'],
      ['debug', '/readyz'],
      ['debug', '/startupz'],
    ])
  })

  it.each([
    undefined,
    '*/*',
    'text/plain',
    'text/html',
    'application/json;q=0.1',
    'text/plain;version=0.0.4;q=0.5,application/openmetrics-text;version=1.0.0;q=0.4',
  ])('receives the text format if it accepts %s', async (accept) => {
    await start()
    const request = get('/metrics')
    if (accept !== undefined) request.set('accept', accept)
    const { headers, text } = await request.expect(200)
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(headers['cache-control']).toBe('no-store')
    expect(text).not.toContain('# EOF')
  })

  it('contains no trace that the caller has not sampled', async () => {
    await start()
    const trace = '0af7651916cd43dd8448eb211c80319c'
    await get('/letters').set('traceparent', `00-${trace}-b7ad6b7169203331-00`).expect(200)
    const open = get('/metrics').set('accept', 'application/openmetrics-text;version=1.0.0')
    expect((await open.buffer(true)).text).not.toContain(trace)
  })

  it('is refused by a guard that does not return true', async () => {
    const guard = { canActivate: (req: Request) => req.get('authorization') === 'Bearer scraper' }
    await start({ metrics: { guard, path: '/internal/metrics' } })
    const refused = await get('/internal/metrics').expect(401)
    expect(refused.headers['www-authenticate']).toBe('Bearer')
    expect(refused.text).not.toContain('process_')
    await get('/internal/metrics').set('authorization', 'Bearer scraper').expect(200)
    await get('/metrics').expect(404)
  })

  it('requires a key if apiKeys() is the guard, and so do the details of /readyz', async () => {
    const { key, hash } = generateApiKey({ prefix: 'ops' })
    const guard = apiKeys({
      prefix: 'ops',
      find: (given) => (given === hash ? { id: 'prometheus', hash } : undefined),
    })
    await start({ metrics: { guard }, health: { guard } })
    await get('/metrics').expect(401)
    await get('/metrics').set('x-api-key', key).expect(200)
    expect((await get('/readyz')).body).not.toHaveProperty('plugins')
    expect((await get('/readyz').set('x-api-key', key)).body).toHaveProperty('plugins')
  })

  it('is refused by a guard that throws, which is logged once per request', async () => {
    const guard = {
      canActivate() {
        throw new TypeError('broken')
      },
    }
    const [logged, reported]: [object[], unknown[]] = [[], []]
    const logger = recordingLogger(logged)
    const onError = (error: unknown) => void reported.push(error)
    await start({ metrics: { guard }, logger, onError })
    const refused = await get('/metrics?token=x')
    expect(refused.status).toBe(401)
    expect(refused.text).not.toContain('broken')
    expect(logged).toEqual([
      {
        err: expect.objectContaining({ message: 'broken' }),
        method: 'GET',
        url: '/metrics?token=[secret]',
        requestId: expect.any(String),
        status: 401,
        message: 'The guard failed, so the request was refused',
      },
    ])
    expect(reported).toEqual([expect.objectContaining({ message: 'broken' })])
  })

  it.each([
    ['returns false', () => false, 401],
    [
      'throws an error that is not a programming error',
      () => Promise.reject(new Error('expired')),
      401,
    ],
    ['refuses with an HTTP error', () => Promise.reject(new ForbiddenError('no')), 403],
    ['refuses with an error of http-errors', () => Promise.reject(createError(403)), 403],
  ])('logs nothing about a guard that %s', async (_, canActivate, status) => {
    const logged: object[] = []
    await start({ metrics: { guard: { canActivate } }, logger: recordingLogger(logged) })
    expect((await get('/metrics')).status).toBe(status)
    expect(logged).toEqual([])
  })

  it('is not affected by middlewares and tenants', async () => {
    await start({
      tenant: { required: true },
      middlewares: [(_req: Request, res: Response) => res.status(503).end()],
    })
    await get('/letters').expect(503)
    await get('/metrics').expect(200)
  })

  it('is refused with the challenge of its guard, and closes its guard', async () => {
    const closed: string[] = []
    const guard = {
      challenge: 'ApiKey',
      canActivate: () => 1 as never,
      onClose: () => void closed.push('guard'),
    }
    await start({ metrics: { guard } })
    const { headers } = await get('/metrics').expect(401)
    expect(headers['www-authenticate']).toBe('ApiKey')
    expect(closed).toEqual([])
    await app.close()
    expect(closed).toEqual(['guard'])
  })

  it('is sent with headers against guessing its type and storing it', async () => {
    await start()
    const { headers } = await get('/metrics').expect(200)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  })

  it('contains the seconds of each tenant, under the own name for all others', async () => {
    await start({ tenant: {}, metrics: { tenants: { max: 1, rest: 'rest' } } })
    for (const tenant of ['a', 'b']) await get('/letters').set('x-tenant-id', tenant).expect(200)
    const seconds = (await scrape()).get('http_server_tenant_request_seconds_total')
    expect(seconds?.type).toBe('COUNTER')
    expect(seconds?.metrics.map(({ labels }) => labels)).toEqual([
      { tenant: 'a' },
      { tenant: 'rest' },
    ])
    const states = (await scrape()).get('nodejs_eventloop_time_seconds_total')?.metrics
    expect(states?.map(({ labels }) => labels?.['state'])).toEqual(['active', 'idle'])
  })

  it('contains each series once, even of more than 100 routes', async () => {
    @Controller('many')
    class ManyController {}
    const names = Array.from({ length: 101 }, (_, n) => `route${n}`)
    for (const name of names) {
      Object.defineProperty(ManyController.prototype, name, { value: () => name })
      const descriptor = Object.getOwnPropertyDescriptor(ManyController.prototype, name)
      const decorate = Get(name) as unknown as (...args: unknown[]) => void
      decorate(ManyController.prototype, name, descriptor)
    }
    await start({ controllers: [ManyController] })
    await Promise.all(names.map((name) => app.fetch(`/many/${name}`)))
    const { text } = await get('/metrics')
    const counts = text.match(/^http_server_request_duration_seconds_count\{.*\} 1$/gm)
    expect(counts).toHaveLength(101)
  })

  it('contains the metrics of a prom-client registry, with each name once', async () => {
    const registry = new Registry()
    new Counter({ name: 'mails_total', help: 'Mails.', registers: [registry] }).inc(2)
    const own = new Gauge({
      name: 'process_start_time_seconds',
      help: 'Start.',
      registers: [registry],
    })
    own.set(7)
    new Gauge({ name: DURATION, help: 'Own.', registers: [registry] }).set(1)
    await start({ metrics: { registry } })
    const families = await scrape()
    expect(families.get('mails_total')?.metrics).toEqual([{ value: '2' }])
    expect(families.get('process_start_time_seconds')?.metrics).toEqual([{ value: '7' }])
    const { text } = await get('/metrics')
    for (const name of ['process_start_time_seconds', DURATION]) {
      expect(text.match(new RegExp(`# TYPE ${name} `, 'g'))).toHaveLength(1)
    }
  })

  it('has the format of the prom-client registry', async () => {
    const registry = new Registry()
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never)
    new Counter({ name: 'mails_total', help: 'Mails.', registers: [registry] }).inc(2)
    await start({ metrics: { registry } })
    const { text, headers } = await get('/metrics').buffer(true).expect(200)
    expect(headers['content-type']).toContain('application/openmetrics-text')
    expect(text.match(/# EOF/g)).toHaveLength(1)
    expect(text.endsWith('# EOF\n')).toBe(true)
  })
})

describe('two applications in one process', () => {
  it('count only their own requests', async () => {
    await start()
    const other = await TestApp.create({
      controllers: [LettersController],
      metrics: true,
      contract: 'off',
    })
    await other.request().get('/letters').expect(200)
    expect(await durations()).toEqual({})
    await other.close()
  })
})

describe('the metrics option', () => {
  it.each([
    [{ metrics: 3 }, /metrics/],
    [{ metrics: { path: 'metrics' } }, /metrics\.path/],
    [{ metrics: { paths: '/x' } }, /metrics\.paths/],
    [{ metrics: { guard: {} } }, /metrics\.guard/],
    [{ metrics: { buckets: [1, 1] } }, /metrics\.buckets/],
    [{ metrics: { buckets: [] } }, /metrics\.buckets/],
    [{ metrics: { buckets: [0, 1] } }, /metrics\.buckets/],
    [{ metrics: { tenants: { max: 0 } } }, /metrics\.tenants/],
    [{ metrics: { tenants: { max: 3, rests: 'x' } } }, /metrics\.tenants\.rests/],
    [{ metrics: { registry: {} } }, /metrics\.registry/],
  ])('causes a boot error if it is invalid: %o', async (options, subject) => {
    const booting = App.create({
      controllers: [LettersController],
      logger: false,
      ...options,
    } as never)
    await expect(booting).rejects.toThrow(ConfigError)
    await expect(booting).rejects.toThrow(subject)
  })

  it('adds no route if it is false or missing', async () => {
    await start({ metrics: false })
    await get('/metrics').expect(404)
    await app.close()
    app = await TestApp.create({ controllers: [LettersController] })
    await get('/metrics').expect(404)
  })
})
