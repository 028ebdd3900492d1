import {
  All,
  type AppOptions,
  Auth,
  Body,
  Cache,
  type CacheDecoratorOptions,
  ConfigError,
  Controller,
  Delete,
  Get,
  Head,
  memoryCache,
  Options,
  Patch,
  Post,
  Put,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings, usable } from '../../support.js'

/** A controller with one route, which has @Cache with these options. */
function controllerOf(options: unknown) {
  @Controller()
  class CachedController {
    @Cache(options as CacheDecoratorOptions)
    @Get('cached')
    cached() {}
  }
  return CachedController
}

describe('the @Cache decorator', () => {
  it.each([
    [undefined, /without options/],
    [null, /without options/],
    ['60s', /without options/],
    [{}, /ttl.*undefined.*not a duration/],
    [{ ttl: -1 }, /-1/],
    [{ ttl: Number.NaN }, /NaN/],
    [{ ttl: Number.POSITIVE_INFINITY }, /Infinity/],
    [{ ttl: '60' }, /is '60', which/],
    [{ ttl: 'a minute' }, /'a minute'/],
    [{ ttl: null }, /null/],
    [{ ttl: [60] }, /60/],
    [{ ttl: 60, staleWhileRevalidate: 'long' }, /staleWhileRevalidate.*long/],
    [{ ttl: 60, key: 'products' }, /key.*not a function/],
    [{ ttl: 60, shared: 'yes' }, /`shared` is not a boolean/],
    [{ ttl: 60, tags: 'products' }, /tags/],
    [{ ttl: 60, tags: [1] }, /tags/],
    [{ ttl: 60, headers: 'x' }, /headers/],
    [{ ttl: 60, headers: ['a b'] }, /headers/],
    [{ ttl: 60, headers: ['Set-Cookie'] }, /headers/],
    [{ ttl: 60, headers: ['X-Total-Count', 'set-cookie'] }, /headers/],
  ])('causes a boot error with the options %j', async (options, cause) => {
    const [problem, ...others] = await bootProblems({ controllers: [controllerOf(options)] })
    expect(others).toEqual([])
    expect(problem?.code).toBe('E_OPTION_INVALID')
    expect(problem?.subject).toBe('CachedController.cached @Cache')
    expect(problem?.cause).toMatch(cause)
  })

  it('causes a warning about an unknown option', async () => {
    const options = { ttl: 60, keys: () => 'a', tag: ['a'] }
    const warnings = await bootWarnings({ controllers: [controllerOf(options)] })
    expect(warnings.map(({ code }) => code)).toEqual(['W_OPTION_UNKNOWN', 'W_OPTION_UNKNOWN'])
    expect(warnings[0]?.text).toMatch(
      /CachedController\.cached @Cache keys\s.+\s+Did you mean key\? .+: ttl, key, shared, tags/,
    )
    expect(warnings[1]?.text).toContain('@Cache tag\n')
  })

  it.each([
    ['POST', Post],
    ['PUT', Put],
    ['PATCH', Patch],
    ['DELETE', Delete],
    ['OPTIONS', Options],
  ])('causes a boot error on a route with the method %s', async (method, Verb) => {
    @Controller()
    class WritesController {
      @Cache({ ttl: 60 })
      @Get('both')
      @Verb('both')
      write() {}
    }
    const problems = await bootProblems({ controllers: [WritesController] })
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_CACHE_METHOD', 'WritesController.write'],
    ])
    expect(problems[0]?.cause).toContain(method)
  })

  it.each([
    ['GET', Get, {}],
    ['HEAD', Head, {}],
    ['every method', All, {}],
    ['GET, with a key option', Get, { key: () => 'key' }],
    ['GET, with shared: true', Get, { shared: true }],
  ] as const)('causes a boot error on a route with a body schema: %s', async (_, Verb, options) => {
    @Controller()
    class SearchController {
      @Cache({ ttl: 60, ...options })
      @Body(z.object({ q: z.string() }))
      @Verb('search')
      search() {}
    }
    const problems = await bootProblems({ controllers: [SearchController] })
    expect(problems).toMatchObject([{ code: 'E_CACHE_BODY', subject: 'SearchController.search' }])
    expect(problems[0]?.remedy).toMatch(/@Query.*getOrSet/)
  })

  it.each(['text', 'bytes', 'form'] as const)(
    'causes a boot error on a route with a body of the type %s',
    async (type) => {
      @Controller()
      class SearchController {
        @Cache({ ttl: 60 })
        @Body({ type })
        @All('search')
        search() {}
      }
      const problems = await bootProblems({ controllers: [SearchController] })
      expect(problems).toMatchObject([{ code: 'E_CACHE_BODY', subject: 'SearchController.search' }])
    },
  )

  it('can be used on a route with a body schema if `ttl` is 0', async () => {
    @Controller()
    class SearchController {
      @Cache({ ttl: 0 })
      @Body(z.object({ q: z.string() }))
      @All('search')
      search() {}
    }
    expect(await bootWarnings({ controllers: [SearchController] })).toEqual([])
  })

  it('causes a boot error if it is twice on a method, or on a method without a route', async () => {
    @Controller()
    class OddController {
      @Cache({ ttl: 60 })
      @Cache({ ttl: 61 })
      @Get()
      twice() {}

      @Cache({ ttl: 60 })
      alone() {}
    }
    const problems = await bootProblems({ controllers: [OddController] })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_DECORATOR_CONFLICT OddController.twice',
      'E_DECORATOR_ORPHAN OddController.alone',
    ])
  })

  it('throws immediately if it has no parentheses or is on a class', () => {
    const bare = () => {
      class BareController {
        // @ts-expect-error -- it is a factory
        @Cache
        list() {}
      }
      return BareController
    }
    expect(bare).toThrow(ConfigError)
    const onClass = () => {
      // @ts-expect-error -- it decorates methods only
      @Cache({ ttl: 60 })
      class WholeController {}
      return WholeController
    }
    expect(onClass).toThrow(ConfigError)
  })

  it.each([
    [{ ttl: 60_000 }, '60s', '60000 seconds, which is 16.7 hours'],
    [{ ttl: 60, staleWhileRevalidate: 300_000 }, '300s', '300000 seconds, which is 83.3 hours'],
  ])('causes a warning about the unit with %j', async (options, meant, given) => {
    const [warning] = await bootWarnings({ controllers: [controllerOf(options)] })
    expect(warning?.code).toBe('W_CACHE_UNIT')
    expect(warning?.text).toContain(`Did you mean '${meant}'?`)
    expect(warning?.text).toContain(given)
  })

  it.each([
    { ttl: 0 },
    { ttl: 0.5 },
    { ttl: 3600 },
    { ttl: 2000 },
    { ttl: '5000s' },
    { ttl: '250ms', staleWhileRevalidate: '1d', tags: [], headers: ['X-Total-Count'] },
  ])('can be used with %j on GET and HEAD', async (options) => {
    @Controller('heads')
    class HeadsController {
      @Cache(options)
      @Head()
      head() {}
    }
    const controllers = [controllerOf(options), HeadsController]
    expect(await bootWarnings({ controllers })).toEqual([])
  })
})

it('a guarded response must not be stored if @Cache has a ttl of 0, which caches nothing', async () => {
  @Controller('kept')
  class Kept {
    @Auth() @Cache({ ttl: 0 }) @Get('not') not() {
      return 1
    }

    @Auth() @Cache({ ttl: 60, shared: true, key: () => 'k' }) @Get('shared') shared() {
      return 1
    }
  }
  const auth = { guard: { canActivate: () => true } }
  await using app = await TestApp.create({ controllers: [Kept], auth })
  const control = async (path: string) =>
    (await app.fetch(`/kept/${path}`)).headers.get('cache-control')
  expect(await control('not')).toBe('no-store')
  expect(await control('shared')).not.toBe('no-store')
})

it.each(['cache', 'rateLimit'])(
  'a class as the route option %s is a boot problem',
  async (name) => {
    class Other {}
    @Controller('wrong')
    class Wrong {
      @Get('', { [name]: Other } as object) get() {}
    }
    const problems = await bootProblems({ controllers: [Wrong] })
    const subject = `Wrong.get \`${name}\` in @Get()`
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject }])
  },
)

const nothing = () => undefined
/** The methods of a cache store. */
const METHODS = {
  get: nothing,
  set: nothing,
  delete: nothing,
  clear: nothing,
  versions: nothing,
  invalidate: nothing,
}

describe('the cache option', () => {
  it.each([
    [{ store: {} }, 'cache.store'],
    [{ store: null }, 'cache.store'],
    [{ store: memoryCache }, 'cache.store'],
    [{ store: { ...METHODS, clear: undefined } }, 'cache.store'],
    [{ store: { ...METHODS, invalidate: undefined } }, 'cache.store'],
    [{ defaultTtl: 'long' }, 'cache.defaultTtl'],
    [{ defaultTtl: -1 }, 'cache.defaultTtl'],
    [{ headers: 'no' }, 'cache.headers'],
    [true, 'cache'],
    [null, 'cache'],
  ])('is refused at boot if it is %j', async (cache, subject) => {
    const problems = await bootProblems({ cache } as AppOptions)
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      `E_OPTION_INVALID ${subject}`,
    ])
  })

  it('causes a warning about an unknown field', async () => {
    const warnings = await bootWarnings({ cache: { ttl: 60 } } as AppOptions)
    expect(warnings.map(({ code }) => code)).toEqual(['W_OPTION_UNKNOWN'])
  })

  it.each([
    { maxEntries: 0 },
    { maxEntries: 1.5 },
    { maxEntries: Number.NaN },
    { maxBytes: 'lots' },
    { maxBytes: 0 },
    { tenantShare: 0 },
    { tenantShare: 1.1 },
    { tenantShare: '25%' as never },
    { maxEntry: 5 } as never,
  ])('cannot contain memoryCache(%j)', (options) => {
    expect(() => usable(memoryCache(options))).toThrow(ConfigError)
  })

  it('is refused with the invalid limit of memoryCache() in the cause', () => {
    expect(() => usable(memoryCache({ maxEntries: -3 }))).toThrow('-3 is not a valid limit.')
  })
})
