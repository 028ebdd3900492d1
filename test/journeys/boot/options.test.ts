import { App, type AppOptions, defineAppOptions, defineControllers } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'

describe('application options', () => {
  it.each([
    ['controllers', { controllers: {} }],
    ['middlewares[0]', { middlewares: [{}] }],
    ['middlewares[1]', { middlewares: [() => {}, undefined] }],
    ['auth.guard', { auth: { guard: {} } }],
    ['auth.guard', { auth: { guard: null } }],
    ['auth.default', { auth: { default: 'closed' } }],
    ['auth.can', { auth: { can: true } }],
    ['rateLimit', { rateLimit: 'on' }],
    ['limits.body', { limits: { body: '10 apples' } }],
    ['limits.body', { limits: { body: -1 } }],
    ['limits.body', { limits: { body: Number.NaN } }],
    ['limits.depth', { limits: { depth: 0 } }],
    ['limits.headers', { limits: { headers: 1.5 } }],
    ['timeouts.handler', { timeouts: { handler: '5 parsecs' } }],
    ['timeouts.handler', { timeouts: { handler: 0 } }],
    ['timeouts.keepAlive', { timeouts: { keepAlive: Number.POSITIVE_INFINITY } }],
    ['timeouts.request', { timeouts: { request: false } }],
    ['timeouts.response', { timeouts: { response: false as never } }],
    ['timeouts.response', { timeouts: { response: '-1s' } }],
    ['timeouts.headers', { timeouts: { headers: '20s', request: '10s' } }],
    ['logger', { logger: { info() {} } }],
    ['security.cors', { security: { cors: { credentials: true } } }],
    ['security.cors', { security: { cors: { credentials: true, origin: '*' } } }],
    ['security.cors', { security: { cors: { credentials: true, origin: true } } }],
    ['trustProxy', { trustProxy: 'not an address' }],
    ['trustProxy', { trustProxy: ['loopback', '::ffff:10.0.0.0/8'] }],
    ['trustProxy', { trustProxy: 'loopback, ::FFFF:10.0.0.0/24' }],
    ['timeouts.headers', { timeouts: { headers: 0 } }],
    ['timeouts.close', { timeouts: { close: '1 parsec' } }],
    ['interceptors[1]', { interceptors: [{ intercept() {} }, {}] }],
    ['providers', { providers: {} }],
    ['modules', { modules: {} }],
    ['interceptors', { interceptors: {} }],
    ['plugins', { plugins: {} }],
    ['middlewares', { middlewares: {} }],
    ['testOverrides', { testOverrides: {} }],
    ['testOverrides[0]', { testOverrides: [{ useValue: 1 }] }],
    ['testOverrides[0]', { testOverrides: [{ token: null, useValue: 1 }] }],
    ['testOverrides[1]', { testOverrides: [{ token: 'a', useValue: null }, { token: 'b' }] }],
    ['records', { records: 'on' }],
    ['records', { records: [] }],
    ['records.keep', { records: { keep: 0 } }],
    ['records.keep', { records: { keep: 1.5 } }],
    ['records.keep', { records: { keep: 2 ** 53 } }],
    ['records.log', { records: { log: 'yes' } }],
    ['records.capsules', { records: { capsules: 'on' } }],
    ['records.capsules', { records: { capsules: [] } }],
    ['records.capsules.files', { records: { capsules: { files: 0 } } }],
    ['records.capsules.bytes', { records: { capsules: { bytes: '1mb' } } }],
    ['records.capsules.folder', { records: { capsules: { folder: '' } } }],
    ['records.capsules.folder', { records: { capsules: { folder: 7 } } }],
    ['responses', { responses: [] }],
    ['responses', { responses: 'drop' }],
    ['responses.fields', { responses: { fields: 'drop' } }],
    ['responses.documented', { responses: { documented: {} } }],
    ['errors.status', { errors: { status: null } }],
    ['errors.mediaType', { errors: { mediaType: 'application/json' } }],
    ['envelope', { envelope: 'bare' }],
    ['onError', { onError: 'report' }],
    ['strict', { strict: 'yes' }],
    ['etag', { etag: 'weak' }],
    ['trustRequestId', { trustRequestId: 1 }],
    ['requestIds', { requestIds: 'all' }],
    ['auth.credentials', { auth: { credentials: ['cookie:'] } }],
    ['auth.credentials', { auth: { credentials: 'authorization' } }],
    ['prefix', { prefix: 7 }],
    ['cookies.keys', { cookies: { keys: ['k'.repeat(31)] } }],
    ['defaultStatus', { defaultStatus: [201] }],
    ['prefix', { prefix: '/files/*rest' }],
  ])('refuse an invalid %s', async (subject, options) => {
    const problems = await bootProblems(options as AppOptions)
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject }])
  })

  it.each([
    'auth',
    'security',
    'limits',
    'timeouts',
    'cookies',
    'tenant',
    'cache',
    'validation',
    'errors',
  ])('refuse a boolean, a string and null as %s', async (name) => {
    for (const value of [false, true, 'a text', null]) {
      const problems = await bootProblems({ [name]: value } as AppOptions)
      expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject: name }])
    }
  })

  it.each<[string, AppOptions]>([
    ['the smallest counts', { records: { keep: 1, capsules: { files: 1, bytes: 1 } } }],
    ['capsules that are off', { records: { capsules: false } }],
    ['the limits of 1', { limits: { body: 1, depth: 1, headers: 1 } }],
    ['an IPv4-mapped network of IPv4 addresses', { trustProxy: '::ffff:10.0.0.0/96' }],
    ['the shortest key', { cookies: { keys: ['k'.repeat(32)] } }],
    ['a list of proxies', { trustProxy: ['loopback', '10.0.0.0/8'] }],
    [
      'no limit for slow readers and no time before closing',
      { timeouts: { response: 0, preStop: 0 } },
    ],
    ['the same limit for the head and the request', { timeouts: { headers: '9s', request: '9s' } }],
    ['an override with the value null', { testOverrides: [{ token: 'a', useValue: null }] }],
    [
      'undefined for every option that can be omitted',
      { defaultStatus: { POST: undefined } } as never,
    ],
  ])('accept %s', async (_, options) => {
    const warnings = await bootWarnings(options)
    expect(warnings.filter(({ code }) => code !== 'W_OVERRIDE_IGNORED')).toEqual([])
  })

  it('do not reveal a possible key in their boot errors', async () => {
    const [problem] = await bootProblems({ cookies: 'a key' } as unknown as AppOptions)
    expect(JSON.stringify(problem)).not.toContain('a key')
  })

  it('refuse null as health', async () => {
    const problems = await bootProblems({ health: null } as unknown as AppOptions)
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject: 'health' }])
  })

  it('refuse an unknown field in auth', async () => {
    const problems = await bootProblems({ auth: { defualt: 'protected' } } as AppOptions)
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject: 'auth.defualt' }])
  })

  it.each([
    ['security.csrf', { security: { csrf: true } }],
    ['limits.bodySize', { limits: { bodySize: 1 } }],
    ['timeouts.handlr', { timeouts: { handlr: 1 } }],
    ['modules[0].nmae', { modules: [{ nmae: 'users' }] }],
  ])('warn about the unknown option %s', async (subject, options) => {
    const warnings = await bootWarnings(options as AppOptions)
    expect(warnings).toMatchObject([{ code: 'W_OPTION_UNKNOWN' }])
    expect(warnings[0]?.text).toContain(subject)
  })

  it('warn about an unknown option at the top level', async () => {
    const warnings = await bootWarnings({ controlers: [] } as AppOptions)
    expect(warnings).toMatchObject([{ code: 'W_OPTION_UNKNOWN' }])
    expect(warnings[0]?.text).toContain('controlers')
  })

  it('refuse a guard token that does not provide a guard', async () => {
    const providers = [{ token: 'guard', useValue: {} }]
    const problems = await bootProblems({ providers, auth: { guard: 'guard' } })
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject: 'auth.guard' }])
  })

  it('refuse a guard token without a provider', async () => {
    const problems = await bootProblems({ auth: { guard: 'guard' } })
    expect(problems).toMatchObject([{ code: 'E_PROVIDER_MISSING', subject: "'guard'" }])
  })

  it('can contain a list of defineControllers(), which is a frozen copy', () => {
    class First {}
    class Second {}
    const classes = [First, Second]
    const controllers = defineControllers(...classes)
    classes.pop()
    expect(controllers).toEqual([First, Second])
    expect(Object.isFrozen(controllers)).toBe(true)
  })

  it('are returned unchanged by defineAppOptions()', () => {
    const options = { strict: true }
    expect(defineAppOptions(options)).toBe(options)
  })

  it.each([
    ['request', '10s'],
    ['headers', '2m'],
    ['request', '1001ms'],
    ['keepAlive', 0.0015],
  ])('accept timeouts.%s with the value %s and no other timeouts', async (name, value) => {
    const app = await App.create({ timeouts: { [name]: value } })
    await app.close()
  })

  it('can be omitted', async () => {
    const app = await App.create()
    expect(app.getRouteTable()).toEqual([])
    await app.close()
  })
})
