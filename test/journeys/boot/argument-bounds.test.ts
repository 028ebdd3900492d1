import {
  ApiResponseDoc,
  ApiTags,
  Body,
  Cache,
  type CacheDecoratorOptions,
  Can,
  type Class,
  Controller,
  defineOption,
  Envelope,
  type EnvelopeFormat,
  Get,
  HttpCode,
  Limits,
  type Plugin,
  Post,
  RateLimit,
  type RateLimitPolicy,
  Redirect,
  type Request,
  type RouteLimits,
  Tenant,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

type Decorate = ReturnType<typeof HttpCode>

/** The codes of the errors and warnings of a start with this decorator, without those of missing options. */
async function codesOf(decorate: Decorate, method: typeof Get = Post): Promise<string[]> {
  @Controller('a')
  class Routes {
    @decorate @method() handle() {
      return []
    }
  }
  const options = { controllers: [Routes] as Class[], tenant: {} }
  try {
    return (await bootWarnings(options)).map(({ code }) => code)
  } catch {
    return (await bootProblems(options)).map(({ code }) => code)
  }
}

const INVALID = ['E_OPTION_INVALID']

describe('the status of @HttpCode', () => {
  it.each([200, 201, 299, 300, 399])('can be %d', async (status) => {
    expect(await codesOf(HttpCode(status))).toEqual([])
  })

  it.each([199, 400, 200.5, Number.NaN])('must not be %d', async (status) => {
    expect(await codesOf(HttpCode(status))).toEqual(INVALID)
  })
})

describe('the arguments of @Redirect', () => {
  it.each([301, 302, 303, 307, 308])('can include the status %d', async (status) => {
    expect(await codesOf(Redirect('/b', status as 302))).toEqual([])
  })

  it.each([300, 304, 305, 306, 309, 200])('must not include the status %d', async (status) => {
    expect(await codesOf(Redirect('/b', status as 302))).toEqual(INVALID)
  })

  it('must not include a URL with a line break', async () => {
    expect(await codesOf(Redirect('/b\r\nX: y'))).toEqual(INVALID)
  })
})

describe('the status of @ApiResponseDoc', () => {
  it.each([100, 400, 599])('can be %d', async (status) => {
    expect(await codesOf(ApiResponseDoc({ status }))).toEqual([])
  })

  it.each([99, 600, 404.5])('must not be %d', async (status) => {
    expect(await codesOf(ApiResponseDoc({ status }))).toEqual(INVALID)
  })

  it('causes a warning if it is a success status that the handler never sends', async () => {
    for (const status of [200, 204, 304, 302]) {
      expect(await codesOf(ApiResponseDoc({ status, description: 'x' }), Get)).toEqual([])
    }
    for (const status of [201, 202, 299]) {
      const codes = await codesOf(ApiResponseDoc({ status, description: 'x' }), Get)
      expect(codes).toEqual(['W_STATUS_UNREACHABLE'])
    }
  })
})

describe('the values of @Limits', () => {
  it.each<[string, RouteLimits]>([
    ['the smallest values', { body: 0, depth: 1, timeout: '1ms' }],
    ['no timeout', { timeout: false }],
    ['one field', { body: '1b' }],
  ])('can be %s', async (_, limits) => {
    expect(await codesOf(Limits(limits))).toEqual([])
  })

  it.each<[string, RouteLimits, number]>([
    ['an empty object', {}, 1],
    ['a depth of 0', { depth: 0 }, 1],
    ['a fractional depth', { depth: 1.5 }, 1],
    ['a timeout of 0', { timeout: 0 }, 1],
    ['a size with an unknown unit', { body: '1xb' as never }, 1],
    ['true as a timeout', { timeout: true as never }, 1],
    ['invalid in every field', { body: -1, depth: -1, timeout: -1 }, 3],
  ])('must not be %s', async (_, limits, count) => {
    expect(await codesOf(Limits(limits))).toEqual(Array(count).fill('E_OPTION_INVALID'))
  })
})

describe('the options of @Cache', () => {
  const cache = (more: Partial<CacheDecoratorOptions>) => codesOf(Cache({ ttl: 60, ...more }), Get)

  it.each<[Partial<CacheDecoratorOptions>, string[]]>([
    [{ ttl: 3599 }, []],
    [{ ttl: 3600 }, []],
    [{ ttl: 4000 }, ['W_CACHE_UNIT']],
    [{ ttl: 3000 }, []],
    [{ ttl: '4000s' }, []],
    [{ staleWhileRevalidate: 5000 }, ['W_CACHE_UNIT']],
    [{ ttl: 4000, staleWhileRevalidate: 5000 }, ['W_CACHE_UNIT', 'W_CACHE_UNIT']],
    [{ ttl: 0 }, []],
    [{ ttl: -1 }, INVALID],
    [{ ttl: null as never }, INVALID],
    [{ ttl: undefined as never }, INVALID],
    [{ staleWhileRevalidate: 'soon' as never }, INVALID],
    [{ headers: ['X-A', 'Set-Cookie'] }, INVALID],
    [{ headers: ['X A'] }, INVALID],
    [{ tags: ['a', 1 as never] }, INVALID],
    [{ shared: 'yes' as never }, INVALID],
    [{ key: 'k' as never }, INVALID],
    [{ tll: 1 } as never, ['W_OPTION_UNKNOWN']],
  ])('with the value %j cause the problems %j', async (options, codes) => {
    expect(await cache(options)).toEqual(codes)
  })
})

describe('the options of @RateLimit', () => {
  const limited = (more: Partial<RateLimitPolicy>) =>
    codesOf(RateLimit({ limit: 1, window: 60, ...more }))

  it.each<[Partial<RateLimitPolicy>, string[]]>([
    [{ window: 1 }, []],
    [{ window: '1000ms' }, []],
    [{ window: '999ms' }, INVALID],
    [{ window: '1500ms' }, INVALID],
    [{ window: 0 }, INVALID],
    [{ limit: 999_999_999_999_999 }, []],
    [{ limit: 1_000_000_000_000_000 }, INVALID],
    [{ limit: 0 }, INVALID],
    [{ limit: 1.5 }, INVALID],
    [{ window: 999_999_999_999 }, []],
    [{ window: 1_000_000_000_000 }, INVALID],
    [{ window: 4000 }, ['W_RATE_LIMIT_UNIT']],
    [{ window: 3600 }, []],
    [{ name: 'a'.repeat(64) }, []],
    [{ name: 'a'.repeat(65) }, INVALID],
    [{ name: '' }, INVALID],
    [{ name: 'say "hi"' }, INVALID],
    [{ name: 'back\\slash' }, INVALID],
    [{ by: 'session' as never }, INVALID],
  ])('with the value %j cause the problems %j', async (policy, codes) => {
    expect(await limited(policy)).toEqual(codes)
  })
})

describe('the options of @Tenant', () => {
  it.each<[unknown, string[]]>([
    [{ optional: true }, []],
    [{ optional: false }, []],
    [{}, []],
    [{ optional: 'yes' }, INVALID],
    [{ optionl: true }, INVALID],
    [null, INVALID],
  ])('with the value %j cause the problems %j', async (options, codes) => {
    expect(await codesOf(Tenant(options as { optional: boolean }))).toEqual(codes)
  })
})

describe('two decorators of one kind', () => {
  const CONFLICT = ['E_DECORATOR_CONFLICT']
  const envelope: EnvelopeFormat = { success: (data) => ({ data }), schema: (data) => data }
  const KINDS: [string, () => Decorate][] = [
    ['@HttpCode', () => HttpCode(201)],
    ['@Redirect', () => Redirect('/b')],
    ['@Limits', () => Limits({ body: 1 })],
    ['@Envelope', () => Envelope(envelope)],
    ['@RateLimit', () => RateLimit({ limit: 1, window: 1 })],
    ['@Tenant', () => Tenant()],
  ]

  it.each(KINDS)('cause E_DECORATOR_CONFLICT on a method: %s', async (_, make) => {
    @Controller('a')
    class Routes {
      @make() @make() @Post() handle() {}
    }
    const problems = await bootProblems({ controllers: [Routes], tenant: {} })
    expect(problems.map(({ code }) => code)).toEqual(CONFLICT)
  })

  it.each([
    ['@ApiTags', ApiTags('a')],
    ['@Controller', Controller('b')],
  ])('cause E_DECORATOR_CONFLICT on a class: %s', async (_, decorate) => {
    @decorate
    @ApiTags('x')
    @Controller('a')
    class Routes {
      @Get() handle() {}
    }
    const problems = await bootProblems({ controllers: [Routes] })
    expect(problems.map(({ code }) => code)).toEqual(CONFLICT)
  })
})

describe('decorators of a class and its method', () => {
  it('require the abilities of both @Can decorators', async () => {
    @Can('read')
    @Controller('a')
    class Routes {
      @Can('write') @Post() handle() {
        return 'done'
      }
    }
    const guard = { canActivate: (req: Request) => req.user !== undefined }
    await using app = await TestApp.create({ controllers: [Routes], auth: { guard } })
    const status = async (...permissions: string[]) =>
      (await app.as({ id: 1, permissions }).request().post('/a')).status
    expect(await status('read')).toBe(403)
    expect(await status('write')).toBe(403)
    expect(await status('write', 'read')).toBe(200)
  })

  it('combine @Limits field by field, and the fields of the method have priority', async () => {
    @Limits({ body: 10, depth: 1 })
    @Controller('a')
    class Routes {
      @Limits({ body: 100 }) @Body(z.unknown()) @Post() handle(req: Request) {
        return { got: req.body }
      }
    }
    await using app = await TestApp.create({ controllers: [Routes], contract: 'off' })
    const status = async (body: string) =>
      (await app.request().post('/a').type('json').send(body)).status
    const padded = (length: number) => `"${'x'.repeat(length - 2)}"`
    expect([await status(padded(100)), await status(padded(101))]).toEqual([200, 413])
    expect([await status('[1]'), await status('[[1]]')]).toEqual([200, 400])
  })

  it('combine options of defineOption() as a list, or use the nearest value', async () => {
    const Scope = defineOption<string, 'both'>('Scope', { merge: 'list' })
    const Mode = defineOption<string>('Mode')
    @Scope('base')
    @Mode('base')
    @Controller('base')
    class Base {
      @Get('kept') kept() {}

      @Scope('method')
      @Mode('method')
      @Get('own')
      own() {}
    }
    @Scope('class')
    @Mode('class')
    @Controller('a')
    class Routes extends Base {}
    const found: Record<string, unknown> = {}
    const plugin: Plugin = {
      name: 'reader',
      steps(route) {
        found[route.path] = [route.option(Mode), route.option(Scope)]
        return null
      },
    }
    await using app = await TestApp.create({ controllers: [Routes], plugins: [plugin] })
    expect((await app.request().get('/a/kept')).status).toBe(204)
    expect(found['/a/kept']).toMatchObject(['class', expect.arrayContaining(['class', 'base'])])
    expect(found['/a/own']).toMatchObject(['method', expect.arrayContaining(['class', 'method'])])
  })
})
