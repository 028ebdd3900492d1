import { Body, Controller, Get, Limits, Post, type RouteLimits } from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

describe('the validation of @Limits', () => {
  function withLimits(limits: unknown) {
    @Controller()
    class Limited {
      @Limits(limits as RouteLimits)
      @Post()
      create() {}
    }
    return { controllers: [Limited] }
  }
  const subject = 'Limited.create @Limits'

  it.each([
    [{}, subject],
    [undefined, subject],
    [null, subject],
    ['5mb', subject],
    [['5mb'], subject],
    [{ body: '10 apples' }, `${subject} body`],
    [{ body: -1 }, `${subject} body`],
    [{ depth: 0 }, `${subject} depth`],
    [{ depth: 1.5 }, `${subject} depth`],
    [{ depth: '5' }, `${subject} depth`],
    [{ timeout: 0 }, `${subject} timeout`],
    [{ timeout: true }, `${subject} timeout`],
    [{ timeout: '5 parsecs' }, `${subject} timeout`],
    [{ timeout: null }, `${subject} timeout`],
  ])('refuses %j', async (limits, subject) => {
    expect(await bootProblems(withLimits(limits))).toMatchObject([
      { code: 'E_OPTION_INVALID', subject },
    ])
  })

  it('refuses invalid values on a class, and two @Limits on one method', async () => {
    @Limits({ depth: -1 })
    @Controller()
    class OnClass {
      @Limits({ depth: 1 })
      @Limits({ depth: 2 })
      @Post()
      create() {}
    }
    const found = (await bootProblems({ controllers: [OnClass] })).map(
      ({ code, subject }) => `${code} ${subject}`,
    )
    expect(found.sort()).toEqual([
      'E_DECORATOR_CONFLICT OnClass.create',
      'E_OPTION_INVALID OnClass @Limits depth',
    ])
  })

  it('warns about an unknown field, and about limits for a body that is never read', async () => {
    const unknown = await bootWarnings(withLimits({ body: 1, timout: 5 }))
    expect(unknown).toMatchObject([{ code: 'W_OPTION_UNKNOWN' }])
    expect(unknown[0]?.text).toContain('timout')

    @Limits({ body: '1mb' })
    @Controller()
    class Reading {
      @Limits({ body: '2mb', depth: 2, timeout: 1 })
      @Get()
      get() {}

      @Limits({ body: '2kb' })
      @Get('described')
      @Body(z.object({}))
      described() {}

      @Limits({ timeout: '1s' })
      @Get('time')
      time() {}
    }
    const unused = await bootWarnings({ controllers: [Reading] })
    expect(unused.filter(({ code }) => code === 'W_LIMIT_UNUSED').map(({ text }) => text)).toEqual([
      expect.stringMatching(/Reading\.get.*`body`/s),
      expect.stringMatching(/Reading\.get.*`depth`/s),
    ])
  })
})
