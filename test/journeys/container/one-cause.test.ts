import { App, ConfigError, Controller, Get, InjectionToken, inject } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

const Missing = new InjectionToken<string>('Missing')

describe('a missing or failing provider', () => {
  it('is reported once even if several classes depend on it', async () => {
    class First {
      readonly missing = inject(Missing)
    }
    class Second {
      readonly missing = inject(Missing)
    }
    @Controller('a')
    class A {
      readonly first = inject(First)
      @Get() get() {}
    }
    @Controller('b')
    class B {
      readonly second = inject(Second)
      readonly missing = inject(Missing)
      @Get() get() {}
    }
    const problems = await bootProblems({ controllers: [A, B], providers: [First, Second] })
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_PROVIDER_MISSING', 'Missing'],
    ])
  })

  it('is reported with the original error as the cause, not with an AggregateError', async () => {
    const thrown = new Error('no connection')
    class Pool {
      constructor() {
        throw thrown
      }
    }
    class First {
      readonly pool = inject(Pool)
    }
    class Second {
      readonly pool = inject(Pool)
    }
    const providers = [Pool, First, Second]
    const failure = await App.create({ providers, logger: false }).catch((error) => error)
    expect(failure).toBeInstanceOf(ConfigError)
    expect(failure.problems).toHaveLength(1)
    expect(failure.cause).toBe(thrown)
  })

  it('is reported with the cause of its ConfigError, and not with this error, which repeats the problem', async () => {
    const below = new Error('no file')
    const problem = {
      code: 'E_OPTION_INVALID',
      subject: 'mails()',
      cause: 'A.',
      remedy: 'B.',
    } as const
    const failing = (options?: ErrorOptions) =>
      App.create({
        providers: [
          {
            token: 'mails',
            useFactory: () => {
              throw new ConfigError([problem], options)
            },
          },
        ],
        logger: false,
      }).catch((error) => error)
    const failure = await failing()
    expect(failure.problems).toEqual([{ ...problem, cause: "A. Injected by: 'mails' -> mails()." }])
    expect(failure.cause).toBeUndefined()
    expect((await failing({ cause: below })).cause).toBe(below)
  })

  it('is reported separately from another missing provider', async () => {
    const Other = new InjectionToken<string>('Other')
    class First {
      readonly missing = inject(Missing)
    }
    class Second {
      readonly other = inject(Other)
    }
    const problems = await bootProblems({ providers: [First, Second] })
    expect(problems.map(({ subject }) => subject)).toEqual(['Missing', 'Other'])
  })
})
