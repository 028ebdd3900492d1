import { type AppOptions, ConfigError, memoryCache, memoryRateLimit } from 'blazon'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readOptions } from '../../scripts/options-tables.js'
import { resolveSettings } from '../../src/app/settings/resolve-settings.js'
import type { Settings } from '../../src/app/settings/settings.js'

const settingsOf = (options: AppOptions): Settings => resolveSettings(options).settings
const none = () => {}
const readKeys = () => []
const KEY = 'k'.repeat(32)
const CAPSULES = { folder: '.blazon/capsules', files: 50, bytes: 20_000_000 }
const logger = { info: none, warn: none, error: none }
const find = () => null
const authorize = () => true

/** Every option, each with a value that is not its default. */
const everything: AppOptions = {
  controllers: [class {}],
  modules: [{ name: 'shop' }],
  prefix: 'api//v1/',
  defaultStatus: { POST: 201 },
  providers: [class {}],
  middlewares: [none, [none]],
  plugins: [
    { name: 'own', middlewares: [none] },
    { name: 'other', middlewares: { first: [none], last: [[none]] } },
  ],
  auth: { guard: { canActivate: () => true }, default: 'protected', can: () => true },
  security: { helmet: { hidePoweredBy: false }, cors: { origin: 'https://app.example' } },
  tenant: {
    header: 'X-Org',
    jwtClaim: 'org',
    strategies: [() => undefined],
    pattern: /^[a-z]+$/,
    onMismatch: 'reject',
    store: { find },
    positiveTtl: '2m',
    negativeTtl: '250ms',
    required: true,
    authorize,
  },
  swagger: [
    { path: 'docs/one/', title: 'One', converters: { own: () => ({}) } },
    { enabled: false, path: '/docs/two' },
  ],
  cache: { store: memoryCache(), defaultTtl: '2h', headers: false },
  rateLimit: {
    policies: [{ limit: 5, window: '15m', by: 'user', name: 'login' }],
    store: memoryRateLimit(),
  },
  limits: { body: '2kb', depth: 3, headers: 50 },
  validation: { messages: 'generic' },
  timeouts: { handler: '250ms', headers: 1, request: '2s', keepAlive: '1m', close: '1.5s' },
  trustProxy: 1,
  etag: true,
  logger,
  strict: true,
  testOverrides: [{ token: 'clock', useValue: 1 }],
}

/** The objects that the settings have created. Objects of the program are not checked. */
function* ownObjects({ controllers, modules, providers, ...settings }: Settings) {
  yield* [controllers, modules, providers, settings.middlewares, settings.plugins]
  yield* [settings.auth, settings.security, settings.swagger, settings.converters, settings.cache]
  yield* [settings.records, settings.errors, settings.responses, settings.cookies]
  yield* [settings.cookies.keys, settings.responses.documented, settings.interceptors]
  if (settings.records.kept !== null) yield settings.records.kept
  if (settings.records.capsules !== null) yield settings.records.capsules
  yield settings.defaultStatus
  yield* [settings.rateLimit, settings.rateLimit.policies, settings.limits, settings.validation]
  yield* [...settings.swagger, ...settings.rateLimit.policies, settings.timeouts]
  if (settings.tenant !== null) yield* [settings.tenant, settings.tenant.strategies]
  if (settings.testOverrides !== null) yield settings.testOverrides
}

describe('resolveSettings', () => {
  it('fills in the default of every missing option', () => {
    expect(settingsOf({})).toMatchObject({
      controllers: [],
      modules: [],
      prefix: '/',
      defaultStatus: {},
      providers: [],
      middlewares: [],
      plugins: [],
      auth: { guards: [], names: [], defaultAccess: 'public', can: undefined },
      security: { helmet: { contentSecurityPolicy: { useDefaults: false } }, cors: null },
      tenant: null,
      swagger: [
        { isServed: true, isDecided: false, path: '/api-docs', title: 'API', version: '1.0.0' },
      ],
      converters: {},
      cache: { store: null, defaultTtlMs: 60_000, hasHeaders: true },
      rateLimit: { isOff: false, policies: [], store: null },
      limits: { bodyBytes: 102_400, depth: 64, headers: 200 },
      validation: { isGeneric: false },
      timeouts: {
        handlerMs: 30_000,
        headersMs: 15_000,
        requestMs: 60_000,
        keepAliveMs: 72_000,
        closeMs: 10_000,
      },
      capacity: null,
      trustProxy: null,
      etag: false,
      strict: false,
      testOverrides: null,
    })
    expect(settingsOf({ tenant: {} }).tenant).toEqual({
      header: 'x-tenant-id',
      jwtClaim: null,
      strategies: [],
      pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
      onMismatch: 'header',
      store: null,
      positiveMs: 60_000,
      negativeMs: 5000,
      isRequired: false,
      authorize: null,
      guards: [],
    })
    expect(settingsOf({ rateLimit: true }).rateLimit.policies).toEqual([
      { name: undefined, limit: 100, windowMs: 60_000, by: 'ip' },
    ])
  })

  it('rounds a time limit below 1 ms up to 1 ms, because Node treats 0 as no limit', () => {
    const timeouts = { headers: '0.4ms', request: 0.0004, keepAlive: '0.001ms' } as const
    expect(settingsOf({ timeouts }).timeouts).toMatchObject({
      headersMs: 1,
      requestMs: 1,
      keepAliveMs: 1,
    })
  })

  it('converts units, and stores the given values', () => {
    const settings = settingsOf(everything)
    expect(settings).toMatchObject({
      auth: {
        guards: [{ name: null, entry: everything.auth?.guard, confirmsTenant: false }],
        names: [],
        defaultAccess: 'protected',
        can: everything.auth?.can,
      },
      prefix: '/api/v1',
      defaultStatus: { POST: 201 },
      security: { helmet: { hidePoweredBy: false }, cors: { origin: 'https://app.example' } },
      tenant: {
        header: 'x-org',
        jwtClaim: 'org',
        pattern: /^[a-z]+$/,
        onMismatch: 'reject',
        store: { find },
        positiveMs: 120_000,
        negativeMs: 250,
        isRequired: true,
        authorize,
      },
      swagger: [
        { isServed: true, isDecided: false, path: '/docs/one', title: 'One' },
        { isServed: false, isDecided: true, path: '/docs/two', title: 'API' },
      ],
      cache: { defaultTtlMs: 7_200_000, hasHeaders: false },
      rateLimit: {
        isOff: false,
        policies: [{ name: 'login', limit: 5, windowMs: 900_000, by: 'user' }],
      },
      limits: { bodyBytes: 2048, depth: 3, headers: 50 },
      validation: { isGeneric: true },
      timeouts: {
        handlerMs: 250,
        headersMs: 1000,
        requestMs: 2000,
        keepAliveMs: 60_000,
        closeMs: 1500,
      },
      trustProxy: 1,
      etag: true,
      logger,
      strict: true,
      testOverrides: everything.testOverrides,
    })
    expect(Object.keys(settings.converters)).toEqual(['own'])
    expect(settings.cache.store).toBe(everything.cache?.store)
    expect(settings.middlewares.map(({ name }) => name)).toEqual([
      "plugin 'other', middlewares.first[0]",
      'middlewares[0]',
      'middlewares[1][0]',
      "plugin 'own', middlewares[0]",
      "plugin 'other', middlewares.last[0][0]",
    ])
  })

  it.each([
    [{ headers: '5s' }, { headersMs: 5000, requestMs: 60_000 }],
    [{ headers: '90s' }, { headersMs: 90_000, requestMs: 90_000 }],
    [{ request: '5s' }, { headersMs: 5000, requestMs: 5000 }],
    [{ request: '90s' }, { headersMs: 15_000, requestMs: 90_000 }],
    [{ handler: false as const }, { handlerMs: null }],
  ])(
    'adjusts the default of one timeout to the passed value of another: %o',
    (timeouts, expected) => {
      expect(settingsOf({ timeouts }).timeouts).toMatchObject(expected)
    },
  )

  it.each<[string, AppOptions]>([
    ['no option', {}],
    ['every option', everything],
    ['records and capsules', { records: { capsules: { files: 3 } }, cookies: { keys: [KEY] } }],
    [
      'options without limits and documents',
      { rateLimit: false, swagger: false, security: { cors: true } },
    ],
  ])('freezes the settings for %s', (_, options) => {
    const settings = settingsOf(options)
    expect(settings).toSatisfy(Object.isFrozen)
    for (const each of ownObjects(settings)) expect(each).toSatisfy(Object.isFrozen)
    // The objects of the program are not frozen.
    for (const each of [options, ...Object.values(options)])
      expect(each).not.toSatisfy(isFrozenObject)
  })

  it.each<[AppOptions, object]>([
    [{}, { records: { kept: null, capsules: null, isOff: false } }],
    [{ records: false }, { records: { kept: null, capsules: null, isOff: false } }],
    [
      { records: true },
      { records: { kept: { keep: 50, log: false }, capsules: null, isOff: false } },
    ],
    [
      { records: { keep: 2, log: true, capsules: false } },
      { records: { kept: { keep: 2, log: true }, capsules: null, isOff: true } },
    ],
    [{ records: { capsules: true } }, { records: { capsules: CAPSULES, isOff: false } }],
    [
      { records: { capsules: { files: 3 } } },
      { records: { capsules: { ...CAPSULES, files: 3 }, isOff: false } },
    ],
    [
      { records: { capsules: { folder: 'a', bytes: 9 } } },
      { records: { capsules: { folder: 'a', files: 50, bytes: 9 } } },
    ],
    [{}, { sendsRequestIds: false, trustRequestId: false, onError: null, envelope: true }],
    [{ logs: true }, { sendsRequestIds: true }],
    [{ logs: true, requestIds: false }, { sendsRequestIds: false }],
    [
      { requestIds: true, trustRequestId: true },
      { sendsRequestIds: true, trustRequestId: true },
    ],
    [
      { envelope: false, onError: none },
      { envelope: false, onError: none },
    ],
    [{}, { errors: { wire: 'negotiated', validationStatus: 400 } }],
    [{ errors: {} }, { errors: { wire: 'negotiated', validationStatus: 400 } }],
    [{ errors: 'problem' }, { errors: { wire: 'problem', validationStatus: 400 } }],
    [
      { errors: { format: 'problem', status: { validation: 422 } } },
      { errors: { wire: 'problem', validationStatus: 422 } },
    ],
    [{}, { responses: { fields: 'send', documented: [] } }],
    [{ responses: 'strip' }, { responses: { fields: 'strip', documented: [] } }],
    [
      { responses: { documented: [{ status: 404 }] } },
      { responses: { fields: 'send', documented: [{ status: 404 }] } },
    ],
    [{}, { cookies: { keys: [], source: null } }],
    [{ cookies: { keys: [KEY] } }, { cookies: { keys: [KEY], source: null } }],
    [{ cookies: { keys: readKeys } }, { cookies: { keys: [], source: readKeys } }],
    [{}, { timeouts: { responseMs: 60_000, preStopMs: 0, onCloseMs: 5000 } }],
    [{ timeouts: { response: 0 } }, { timeouts: { responseMs: null } }],
    [
      { timeouts: { response: '2s', preStop: '3s' } },
      { timeouts: { responseMs: 2000, preStopMs: 3000 } },
    ],
    [{ openapi: { title: 'Own' } }, { swagger: [{ title: 'Own' }] }],
    [{ openapi: false }, { swagger: [{ isServed: false }] }],
    [{ trustProxy: false }, { trustProxy: false }],
  ])('turns %j into its settings', (options, expected) => {
    expect(settingsOf(options)).toMatchObject(expected)
  })

  it('waits 5 s before closing in Kubernetes, unless timeouts.preStop is set', () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.0.0.1')
    expect(settingsOf({}).timeouts.preStopMs).toBe(5000)
    expect(settingsOf({ timeouts: { preStop: 0 } }).timeouts.preStopMs).toBe(0)
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '')
    expect(settingsOf({}).timeouts.preStopMs).toBe(0)
  })

  it('returns settings that later changes to the passed lists do not affect', () => {
    const middlewares = [none]
    const settings = settingsOf({ middlewares })
    middlewares.push(none)
    expect(settings.middlewares).toHaveLength(1)
  })

  it('reports all errors in one ConfigError in a fixed order, and warns of unknown options', () => {
    const options = {
      nonsense: 1,
      validation: { messages: 'none' },
      limits: { body: 'big', deep: 1 },
      timeouts: { close: 0 },
      plugins: {},
    } as unknown as AppOptions
    expect(() => resolveSettings(options)).toThrow(ConfigError)
    const subjects = (thrown: unknown) =>
      (thrown as ConfigError).problems.map(({ subject }) => subject)
    try {
      resolveSettings(options)
    } catch (error) {
      expect(subjects(error)).toEqual([
        'plugins',
        'limits.body',
        'validation.messages',
        'timeouts.close',
      ])
    }
    const { warnings } = resolveSettings({ nonsense: 1 } as AppOptions)
    expect(warnings.map(({ code, subject }) => [code, subject])).toEqual([
      ['W_OPTION_UNKNOWN', 'nonsense'],
    ])
  })
})

/**
 * Options left out: a name of a limit depends on its index, each application creates its own store, and a media type of
 * errors needs a format.
 */
const BY_PLACE: Readonly<Record<string, true>> = { name: true, store: true, mediaType: true }

/** What a group needs before its other options have a meaning. */
const REQUIRED: Readonly<Record<string, object>> = { capacity: { concurrent: 10 } }

/** Documented defaults that are values, not sentences. */
const documented = Object.entries(readOptions()).flatMap(([group, options]) =>
  options
    .map(({ name, defaultValue }) => ({
      group,
      name,
      literal: /^`([^`]+)`/.exec(defaultValue)?.[1],
    }))
    .filter(({ name, literal }) => literal !== undefined && !(name in BY_PLACE) && group !== '')
    // It has a meaning only beside a `format`.
    .filter(({ group, name }) => !(group === 'errors' && name === 'mediaType')),
)

describe('a documented default', () => {
  it('is read from the docstrings', () => expect(documented.length).toBeGreaterThan(20))

  it.each(documented)(
    'equals the default in the settings: $group $name',
    ({ group, name, literal }) => {
      const value: unknown = new Function(`return ${literal}`)()
      const plain = settingsOf({ [group]: group === 'rateLimit' ? true : { ...REQUIRED[group] } })
      const { logger: _, ...expected } = plain
      const { logger: __, ...stated } = settingsOf({
        [group]: { ...REQUIRED[group], [name]: value },
      })
      // A default that is set explicitly changes only isDecided.
      const isDecided = group === 'swagger' && name === 'enabled'
      const swagger = isDecided
        ? expected.swagger.map((each) => ({ ...each, isDecided }))
        : expected.swagger
      expect(stated).toEqual({ ...expected, swagger })
    },
  )
})

function isFrozenObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.isFrozen(value)
}
