import { App, type AppOptions, InjectionToken } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

const registry = { contentType: 'text/plain', metrics: async () => '', getMetricsAsArray: () => [] }
const without = (name: keyof typeof registry) => ({
  metrics: { registry: { ...registry, [name]: undefined } },
})
const bounds = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

const BUCKETS = 'Pass 1 to 100 bounds in seconds, above 0 and ascending: [0.1, 0.5, 1].'
const TENANTS = "Pass { max: 50, rest: 'other' }, with a max from 1 to 10000."
const PATH = "Pass a path such as '/metrics'."
const REGISTRY = 'Pass the registry itself: `register`, or `new Registry()`.'
const LOGGER = 'Pass a pino logger, { level, redact, pretty }, or false.'
const CHECKS = 'Pass { name: () => …, other: { check: () => …, required: false } }.'
const GUARD = 'Pass an instance with canActivate(req), a class, or a token.'

describe('the options of features', () => {
  it.each<[string, object, string]>([
    ['outgoing', { outgoing: [] }, "Pass { retries: true, circuit: true, timeout: '10s' }."],
    ['outgoing', { outgoing: null }, "Pass { retries: true, circuit: true, timeout: '10s' }."],
    ['outgoing.retries', { outgoing: { retries: 1 } }, 'Pass true or false.'],
    ['outgoing.circuit', { outgoing: { circuit: 'on' } }, 'Pass true or false.'],
    ['logger', { logger: null }, LOGGER],
    ['logger', { logger: 'info' }, LOGGER],
    ['logger', { logger: { info() {}, error() {} } }, LOGGER],
    [
      'logger.level',
      { logger: { level: 'warning' } },
      'Pass one of trace, debug, info, warn, error, fatal, silent.',
    ],
    [
      'logger.redact',
      { logger: { redact: [''] } },
      "Pass field names: ['password', 'card.number'].",
    ],
    [
      'logger.redact',
      { logger: { redact: 'a' } },
      "Pass field names: ['password', 'card.number'].",
    ],
    ['logger.pretty', { logger: { pretty: 'yes' } }, "Pass 'auto', true or false."],
    ['logs', { logs: [] }, 'Pass true, false, or { level, fields }.'],
    ['logs', { logs: null }, 'Pass true, false, or { level, fields }.'],
    ['logs.level', { logs: { level: 'info' } }, 'Pass a function (ended) => ….'],
    ['logs.fields', { logs: { fields: {} } }, 'Pass a function (ended) => ….'],
    ['metrics', { metrics: [] }, 'Pass true, or { path, guard, buckets, tenants, registry }.'],
    ['metrics', { metrics: null }, 'Pass true, or { path, guard, buckets, tenants, registry }.'],
    ['metrics.path', { metrics: { path: '/' } }, PATH],
    ['metrics.path', { metrics: { path: '/a/' } }, PATH],
    ['metrics.path', { metrics: { path: '/:a' } }, PATH],
    ['metrics.guard', { metrics: { guard: null } }, GUARD],
    ['metrics.buckets', { metrics: { buckets: bounds(101) } }, BUCKETS],
    ['metrics.buckets', { metrics: { buckets: [1, Number.POSITIVE_INFINITY] } }, BUCKETS],
    ['metrics.buckets', { metrics: { buckets: [2, 1] } }, BUCKETS],
    ['metrics.buckets', { metrics: { buckets: 1 } }, BUCKETS],
    ['metrics.tenants', { metrics: { tenants: { max: 10_001 } } }, TENANTS],
    ['metrics.tenants', { metrics: { tenants: { max: 1.5 } } }, TENANTS],
    ['metrics.tenants', { metrics: { tenants: { max: 1, rest: '' } } }, TENANTS],
    ['metrics.tenants', { metrics: { tenants: null } }, TENANTS],
    ['metrics.registry', without('contentType'), REGISTRY],
    ['metrics.registry', without('metrics'), REGISTRY],
    ['metrics.registry', without('getMetricsAsArray'), REGISTRY],
    ['metrics.registry', { metrics: { registry: null } }, REGISTRY],
    ['health', { health: 1 }, 'Pass true, or { guard, checks, paths }.'],
    ['health.guard', { health: { guard: null } }, GUARD],
    ['health.checks', { health: { checks: null } }, CHECKS],
    ['health.checks.a', { health: { checks: { a: null } } }, CHECKS],
    ['health.checks.a', { health: { checks: { a: { required: true } } } }, CHECKS],
    ['health.paths', { health: { paths: null } }, "Pass { live: '/healthz' }."],
    ['health.paths', { health: { paths: [] } }, "Pass { live: '/healthz' }."],
    ['health.paths.live', { health: { paths: { live: '/' } } }, "Pass a path such as '/healthz'."],
    [
      'health.paths.live',
      { health: { paths: { live: '/a/' } } },
      "Pass a path such as '/healthz'.",
    ],
    [
      'health.paths',
      { health: { paths: { live: '/a', startup: '/A' } } },
      'Use a separate path for each.',
    ],
  ])('refuse an invalid value of %s, and say what is valid', async (subject, options, remedy) => {
    const problems = await bootProblems(options as AppOptions)
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject, remedy }])
  })

  it('report every invalid option of a feature together', async () => {
    const problems = await bootProblems({
      metrics: { path: 'x', buckets: [] },
      health: { checks: { a: 1, b: 2 }, paths: { live: 'x', ready: 'y' } },
      logger: { level: 'x', pretty: 1 },
      outgoing: { retries: 1, timeout: 'x' },
    } as never)
    expect(problems.map(({ subject }) => subject).sort()).toEqual([
      ...['health.checks.a', 'health.checks.b', 'health.paths.live', 'health.paths.ready'],
      ...['logger.level', 'logger.pretty', 'metrics.buckets', 'metrics.path'],
      ...['outgoing.retries', 'outgoing.timeout'],
    ])
  })

  it.each<[string, object]>([
    ['no own values', { outgoing: {}, logger: {}, logs: {}, metrics: {}, health: {} }],
    ['100 buckets', { metrics: { buckets: bounds(100) } }],
    ['10,000 tenants', { metrics: { tenants: { max: 10_000, rest: 'rest' } } }],
    ['longer paths', { metrics: { path: '/a-b/c.d/~e' }, health: { paths: { live: '/a/_b' } } }],
    ['undefined values', { logs: { level: undefined }, health: { checks: undefined } }],
    ['a silent logger', { logger: { level: 'silent', redact: [], pretty: false } }],
    ['a logger with three methods', { logger: { info() {}, warn() {}, error() {} } }],
    ['a check without `required`', { health: { checks: { a: { check() {} } } } }],
  ])('accept %s', async (_, options) => {
    const app = await App.create({ logger: false, ...options } as AppOptions)
    await app.close()
  })

  it.each([
    ['a symbol without a description', Symbol()],
    ['a token', new InjectionToken('guard')],
    ['a class', class Guard {}],
  ])('accept %s as the token of a guard', async (_, token) => {
    const guard = { canActivate: () => true }
    const providers = [{ token, useValue: guard }]
    const options = {
      metrics: { guard: token },
      health: { guard: token },
      providers,
      logger: false,
    }
    const app = await App.create(options as never)
    await app.close()
  })
})
