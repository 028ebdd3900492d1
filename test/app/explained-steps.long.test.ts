import {
  ApiResponseDoc,
  App,
  type AppOptions,
  Auth,
  Body,
  Cache,
  Can,
  Controller,
  Delete,
  defineControllers,
  Get,
  Header,
  Post,
  Public,
  Query,
  QueryMethod,
  RateLimit,
  ResponseFields,
  Tenant,
  Use,
} from 'blazon'
import { describe, expect, it, vi } from 'vitest'
import { describeApp } from '../../src/app/describe.js'
import { explainRoute } from '../../src/app/explain/explain-route.js'
import { resolveSettings } from '../../src/app/settings/resolve-settings.js'
import type { RouteModel } from '../../src/contracts/route-model.js'
import type { PluginSteps } from '../../src/contracts/steps.js'
import { recordedDecorators } from '../../src/metadata/read.js'
import type { RouteSteps } from '../../src/pipeline/route-steps.js'

/** The steps that boot has compiled, by the name of the route. */
const compiled = vi.hoisted(() => new Map<string, string[]>())

vi.mock(import('../../src/pipeline/compile-route.js'), async (load) => {
  const original = await load()
  const compileRoute: typeof original.compileRoute = (route, ...rest) => {
    compiled.set(route.name, used(original.stepsOf(route, ...rest)))
    return original.compileRoute(route, ...rest)
  }
  return { ...original, compileRoute }
})

function used(steps: RouteSteps): string[] {
  return Object.entries(steps).flatMap(([name, stage]) => (stage === null ? [] : [name]))
}

const schema = { type: 'object' } as const
const Known = ApiResponseDoc({ status: 200, description: 'Known', schema })
const Marked = { type: 'object', properties: { pay: { visibleTo: 'pay' } } } as const
const Paid = ApiResponseDoc({ status: 200, description: 'Paid', schema: Marked })
const pass = { intercept: (_req: unknown, next: () => unknown) => next() }
const limit = { limit: 5, window: '1m' }

@Controller('plain')
class Plain {
  @Get() get() {}
  @Post() post() {}
  @Delete(':id') remove() {}
  @Body(schema) @Get('described') described() {}
  @Query(schema) @Get('checked') checked() {}
  @Header('X-A', '1') @Get('headed') headed() {}
  @Known @Get('dated') dated() {}
  @ApiResponseDoc({ status: 404, description: 'Unknown', schema }) @Get('undated') undated() {}
  @ResponseFields('check') @Known @Get('fielded') fielded() {}
  @ResponseFields('send') @Known @Get('sending') sending() {}
  @Paid @Get('paid') paid() {}
  @ResponseFields('strip') @Paid @Body(Marked) @Post('pays') pays() {}
  @Use((_req, _res, next) => next()) @Get('used') used() {}
  @Use(pass) @Get('intercepted') intercepted() {}
  @Cache({ ttl: '5m' }) @Get('cached') cached() {}
  @Cache({ ttl: '5m' }) @QueryMethod('cached') cachedQuery() {}
  @Cache({ ttl: 0 }) @Get('uncached') uncached() {}
  @RateLimit(limit) @Get('limited') limited() {}
  @RateLimit({ ...limit, by: 'user' }) @Get('counted') counted() {}
  @RateLimit(limit, { ...limit, by: () => 'a' }) @Get('twice') twice() {}
  @RateLimit(false) @Get('unlimited') unlimited() {}
}

@Auth()
@Controller('guarded')
class Guarded {
  @Get() get() {}
  @Can('a') @Get('can') can() {}
  @Public() @Get('public') open() {}
}

@Tenant()
@Controller('owned')
class Owned {
  @Get() get() {}
  @Tenant({ optional: true }) @Get('optional') optional() {}
  @Auth() @Get('guarded') guarded() {}
}

const guard = { canActivate: () => true }
const authorize = () => true

const noThrottle = { timeouts: { handler: false } } as const
const APPS: Record<string, AppOptions> = {
  'with defaults': {},
  'without a handler timeout': noThrottle,
  'with a middleware': { ...noThrottle, middlewares: [(_req, _res, next) => next()] },
  'with an error middleware': {
    ...noThrottle,
    middlewares: [
      (error: unknown, _req: unknown, _res: unknown, next: (e: unknown) => void) => next(error),
    ],
  },
  'with an interceptor': { ...noThrottle, interceptors: [pass] },
  'with limits': { rateLimit: true },
  'with limits by user': { rateLimit: { by: 'user' } },
  'without limits': { rateLimit: false },
  'that is protected': { auth: { guard, default: 'protected' } },
  'with tenants': { tenant: {} },
  'that requires a tenant': { tenant: { required: true, authorize }, auth: { guard } },
  'with authorized tenants': { tenant: { authorize }, auth: { guard, can: () => true } },
  'that drops fields': { responses: 'strip' },
  'that checks fields': { responses: { fields: 'check' } },
  'with a plugin without steps': { plugins: [{ name: 'none', contract: () => null }] },
}

interface Explained {
  readonly certain: string[]
  readonly possible: string[]
}

/** What `--explain` says about each route, and what boot compiles for it. */
async function both(options: AppOptions): Promise<{
  explained: Map<string, Explained>
  booted: Map<string, string[]>
}> {
  const logger = { info() {}, warn() {}, error() {} }
  const all = { controllers: defineControllers(Plain, Guarded, Owned), logger, ...options }
  const resolved = resolveSettings(all)
  const { model } = describeApp(resolved, { builtIn: [], checkForeign: null }, new App().express)
  const read = { settings: resolved.settings, model, cwd: '/' }
  const explain = (route: RouteModel): [string, Explained] => {
    const { steps } = explainRoute(route, read)
    const certain = steps.filter(({ isCertain }) => isCertain).map(({ name }) => name)
    return [route.name, { certain, possible: steps.map(({ name }) => name) }]
  }
  compiled.clear()
  const app = await App.create(all)
  await app.close()
  return { explained: new Map(model.routes.map(explain)), booted: new Map(compiled) }
}

const certainOf = (explained: Map<string, Explained>) =>
  new Map([...explained].map(([name, { certain }]) => [name, certain]))

describe('the explanation of a route', () => {
  it.each(Object.entries(APPS))(
    'lists the steps that boot compiles for an application %s',
    async (_, options) => {
      const { explained, booted } = await both(options)
      expect(booted.size).toBe(27)
      expect(certainOf(explained)).toEqual(booted)
      for (const { certain, possible } of explained.values()) expect(possible).toEqual(certain)
    },
  )

  it('shows whether the step `fields` strips or checks fields', () => {
    const options = { controllers: [Plain], responses: 'strip' } as const
    const { settings } = resolveSettings(options)
    const { model } = describeApp(
      { settings, warnings: [] },
      { builtIn: [], checkForeign: null },
      new App().express,
    )
    const read = { settings, model, cwd: '/' }
    const linesOf = (handler: string) => {
      const route = model.routes.find((each) => each.handler === handler) as RouteModel
      return explainRoute(route, read).steps.find(({ name }) => name === 'fields')?.sources
    }
    expect(linesOf('dated')).toEqual(['strip'])
    expect(linesOf('fielded')).toEqual(['check'])
    expect(linesOf('sending')).toBeUndefined()
    expect(linesOf('get')).toBeUndefined()
  })

  it('covers every step except the steps of plugins and tests', async () => {
    const found = new Set<string>()
    for (const options of Object.values(APPS)) {
      const { booted } = await both(options)
      for (const steps of booted.values()) for (const step of steps) found.add(step)
    }
    expect([...found].sort()).toEqual([
      'authorizeTenant',
      'beforeBody',
      'beforeGuard',
      'body',
      'cache',
      'can',
      'dates',
      'fields',
      'guard',
      'handler',
      'headers',
      'hiddenInput',
      'intercept',
      'ipRateLimit',
      'queryCache',
      'respond',
      'scope',
      'tenant',
      'unexpired',
      'unverifiedTenant',
      'use',
      'userRateLimit',
      'validate',
      'visibility',
    ])
  })

  it.each([
    ['a plugin without steps', {}],
    ['a plugin with one step', { beforeBody: (next: never) => next }],
    [
      'a plugin with all steps',
      {
        onEnd() {},
        onResponse() {},
        ...Object.fromEntries(
          [
            'enter',
            'beforeGuard',
            'afterGuard',
            'beforeBody',
            'beforeHandler',
            'aroundHandler',
          ].map((place) => [place, (next: never) => next]),
        ),
      },
    ],
  ])('lists a step as possible if a plugin may add it: %s', async (_, steps) => {
    const { explained, booted } = await both({
      plugins: [{ name: 'p', steps: () => steps as PluginSteps }],
    })
    for (const [name, { certain, possible }] of explained) {
      expect(booted.get(name)).toEqual(expect.arrayContaining(certain))
      expect(possible).toEqual(expect.arrayContaining(booted.get(name) ?? []))
      const uncertain = possible.filter((step) => !certain.includes(step))
      // Without a body, a guard or a schema, a request can wait only in the steps of a plugin.
      const ofPlugins = [
        'observe',
        'enter',
        'beforeGuard',
        'afterGuard',
        'beforeBody',
        'beforeHandler',
        'aroundHandler',
      ].filter((step) => !certain.includes(step))
      const mayWait = certain.includes('unexpired') ? [] : ['unexpired']
      expect(uncertain.sort()).toEqual([...ofPlugins, ...mayWait].sort())
    }
  })
})

it('a process that serves requests records no decorators', () => {
  expect(recordedDecorators()).toEqual([])
})
