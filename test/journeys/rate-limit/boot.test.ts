import { type AppOptions, Controller, Get, RateLimit, type RateLimitPolicy } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'

const good = { limit: 1, window: 60 } as const

const BAD: readonly (readonly [string, unknown])[] = [
  ['no limit', { window: 60 }],
  ['no window', { limit: 1 }],
  ['a limit of 0', { ...good, limit: 0 }],
  ['a negative limit', { ...good, limit: -1 }],
  ['a limit with a fraction', { ...good, limit: 1.5 }],
  ['an infinite limit', { ...good, limit: Number.POSITIVE_INFINITY }],
  ['a limit that is a string', { ...good, limit: '5' }],
  ['a limit that is too large for a header', { ...good, limit: 1e15 }],
  ['a window of 0', { ...good, window: 0 }],
  ['a window below a second', { ...good, window: '500ms' }],
  ['a window with a fraction of a second', { ...good, window: 1.5 }],
  ['a window with an unknown unit', { ...good, window: '5 parsecs' }],
  ['an infinite window', { ...good, window: Number.POSITIVE_INFINITY }],
  ['a window that is an array', { ...good, window: [60] }],
  ['an unknown `by`', { ...good, by: 'session' }],
  ['a `by` that is null', { ...good, by: null }],
  ['an empty name', { ...good, name: '' }],
  ['a name with quotes', { ...good, name: 'a"b' }],
  ['a name with a backslash', { ...good, name: 'a\\b' }],
  ['a name with a line break', { ...good, name: 'a\r\nX-Evil: 1' }],
  ['a name that is not ASCII', { ...good, name: 'größe' }],
  ['a long name', { ...good, name: 'x'.repeat(65) }],
  ['a name that is a number', { ...good, name: 1 }],
]

const decorate = RateLimit as (...args: unknown[]) => ReturnType<typeof RateLimit>

/** A controller with the limits on its class. */
function decoratedClass(...policies: unknown[]) {
  @decorate(...policies)
  @Controller('things')
  class ThingsController {
    @Get()
    list() {}
  }
  return ThingsController
}

/** A controller with the limits on its method. */
function decoratedMethod(...policies: unknown[]) {
  @Controller('things')
  class ThingsController {
    @decorate(...policies)
    @Get()
    list() {}
  }
  return ThingsController
}

describe('the boot check of rate limits', () => {
  const ofOption = BAD.filter(([what]) => !what.startsWith('no '))
  it.each(ofOption)('refuses %s in the `rateLimit` option', async (_, policy) => {
    const problems = await bootProblems({ rateLimit: policy as RateLimitPolicy })
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject: 'rateLimit' }])
  })

  it.each(BAD)('refuses %s in `policies`', async (_, policy) => {
    const problems = await bootProblems({
      rateLimit: { policies: [good, policy as RateLimitPolicy] },
    })
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject: 'rateLimit.policies[1]' }])
  })

  it.each(BAD)('refuses %s in @RateLimit', async (_, policy) => {
    const ofClass = await bootProblems({ controllers: [decoratedClass(policy)] })
    expect(ofClass).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: 'ThingsController @RateLimit' },
    ])
    const ofMethod = await bootProblems({ controllers: [decoratedMethod(good, policy)] })
    expect(ofMethod).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: 'ThingsController.list @RateLimit' },
    ])
  })

  it.each([
    ['rateLimit', 5],
    ['rateLimit', 'on'],
    ['rateLimit', null],
    ['rateLimit', []],
    ['rateLimit.policies', { policies: good }],
    ['rateLimit.policies[0]', { policies: [null] }],
    ['rateLimit.policies[0]', { policies: [5] }],
    ['rateLimit.store', { store: {} }],
    ['rateLimit.store', { store: null }],
    ['rateLimit.store', { store: 'redis' }],
    ['rateLimit', { limit: 5, policies: [good] }],
    ['rateLimit', { by: 'user', policies: [] }],
    [
      'rateLimit',
      {
        policies: [
          { ...good, name: 'a' },
          { ...good, name: 'a' },
        ],
      },
    ],
    [
      'rateLimit',
      {
        policies: [
          { ...good, name: 'a' },
          { limit: 2, window: 60, name: 'a' },
        ],
      },
    ],
  ])('refuses an invalid %s: %o', async (subject, rateLimit) => {
    const problems = await bootProblems({ rateLimit } as AppOptions)
    expect(problems[0]).toMatchObject({ code: 'E_OPTION_INVALID', subject })
  })

  it('refuses @RateLimit without a limit', async () => {
    const ofClass = await bootProblems({ controllers: [decoratedClass()] })
    expect(ofClass).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: 'ThingsController @RateLimit' },
    ])
    const ofMethod = await bootProblems({ controllers: [decoratedMethod()] })
    expect(ofMethod).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: 'ThingsController.list @RateLimit' },
    ])
  })

  it('refuses two @RateLimit decorators on one class or method', async () => {
    @RateLimit(good)
    @RateLimit(good)
    @Controller('classes')
    class ClassesController {
      @Get()
      list() {}
    }
    @Controller('methods')
    class MethodsController {
      @RateLimit(good)
      @RateLimit(false)
      @Get()
      list() {}
    }
    const problems = await bootProblems({ controllers: [ClassesController, MethodsController] })
    expect(problems).toMatchObject([
      { code: 'E_DECORATOR_CONFLICT', subject: 'ClassesController' },
      { code: 'E_DECORATOR_CONFLICT', subject: 'MethodsController.list' },
    ])
  })

  it('refuses different limits with the same name', async () => {
    const named = { ...good, name: 'guesses' }
    const others = [
      { ...named, limit: 2 },
      { ...named, window: 61 },
      { ...named, by: 'user' },
    ]
    for (const other of others) {
      const controllers = [decoratedMethod(other)]
      const [problem] = await bootProblems({ controllers, rateLimit: named })
      expect(problem).toMatchObject({
        code: 'E_OPTION_INVALID',
        subject: 'ThingsController.list @RateLimit',
      })
      expect(problem?.cause).toContain("'guesses'")
    }
  })

  it('warns about unknown fields in a limit', async () => {
    const option = await bootWarnings({ rateLimit: { ...good, windowMs: 1 } } as AppOptions)
    expect(option).toMatchObject([{ code: 'W_OPTION_UNKNOWN' }])
    expect(option[0]?.text).toContain('rateLimit.windowMs')
    const controllers = [decoratedClass({ ...good, max: 5 })]
    const decorated = await bootWarnings({ controllers })
    expect(decorated).toMatchObject([{ code: 'W_OPTION_UNKNOWN' }])
    expect(decorated[0]?.text).toContain('@RateLimit max\n')
  })

  it('warns about a window that looks like milliseconds', async () => {
    const stated = { limit: 5, window: 60_000 }
    const option = await bootWarnings({ rateLimit: stated })
    expect(option).toMatchObject([{ code: 'W_RATE_LIMIT_UNIT' }])
    expect(option[0]?.text).toContain("Did you mean '60s'? If not, write '60000s'.")
    const decorated = await bootWarnings({ controllers: [decoratedClass(stated)] })
    expect(decorated).toMatchObject([{ code: 'W_RATE_LIMIT_UNIT' }])
    for (const window of [3600, 86_400, '60000s', '1d']) {
      expect(await bootWarnings({ rateLimit: { limit: 5, window } })).toEqual([])
    }
  })

  it('refuses @RateLimit without parentheses, and on getters', () => {
    const bare = RateLimit as unknown as (...args: unknown[]) => void
    const code = 'E_DECORATOR_TARGET'
    class Some {
      method() {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Some.prototype, 'method')
    expect(() => bare(Some)).toThrow(code)
    expect(() => bare(Some, { kind: 'class', name: 'Some', metadata: {} })).toThrow(code)
    expect(() => bare(Some.prototype, 'method', descriptor)).toThrow(code)
    const misplaced = RateLimit(good) as unknown as (...args: unknown[]) => void
    expect(() => misplaced(undefined, { kind: 'getter', name: 'field', metadata: {} })).toThrow(
      code,
    )
  })

  it('derives names that do not conflict with explicit names', async () => {
    const controllers = [decoratedClass({ ...good, name: 'default' })]
    expect(await bootWarnings({ controllers, rateLimit: { limit: 5 } })).toEqual([])
  })
})
