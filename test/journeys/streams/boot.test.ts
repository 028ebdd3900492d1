import {
  ApiResponseDoc,
  Cache,
  Controller,
  defineControllers,
  Get,
  HttpCode,
  JsonLines,
  type Plugin,
  Produces,
  Redirect,
  Sse,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

const Item = z.object({ n: z.number() })

describe('a stream at boot', () => {
  it.each([
    ['@Cache', Cache({ ttl: '1m' })],
    ['@Redirect', Redirect('/elsewhere')],
    ['@HttpCode', HttpCode(201)],
    ['@Produces', Produces('text/csv')],
    ['@ApiResponseDoc', ApiResponseDoc({ status: 200, description: 'Items' })],
  ])('is refused with %s, which is for single values', async (name, conflicting) => {
    @Controller()
    class FeedController {
      @Get() @Sse(Item) @conflicting async *feed() {
        yield { n: 1 }
      }
    }
    const problems = await bootProblems({ controllers: defineControllers(FeedController) })
    expect(problems).toMatchObject([
      { code: 'E_DECORATOR_CONFLICT', subject: 'FeedController.feed' },
    ])
    expect(problems[0]?.cause).toContain(name)
  })

  it('is refused with two schemas for the same items', async () => {
    @Controller()
    class FeedController {
      @Get() @Sse(Item) @JsonLines(z.object({ n: z.number() })) async *feed() {
        yield { n: 1 }
      }
    }
    const [problem] = await bootProblems({ controllers: defineControllers(FeedController) })
    expect(problem).toMatchObject({ code: 'E_OPTION_INVALID' })
    expect(problem?.remedy).toContain('the same schema')
  })

  it('is refused with the same decorator twice', async () => {
    @Controller()
    class FeedController {
      @Get() @Sse(Item) @Sse(Item) async *feed() {
        yield { n: 1 }
      }
    }
    const [problem] = await bootProblems({ controllers: defineControllers(FeedController) })
    expect(problem?.code).toBe('E_DECORATOR_CONFLICT')
  })

  it.each([
    ['maxAge', () => Sse(Item, { maxAge: 'long' })],
    ['maxAge', () => JsonLines(Item, { maxAge: 0 })],
    ['heartbeat', () => Sse(Item, { heartbeat: '' })],
  ])('is refused with a %s that is not a duration', async (name, decorate) => {
    @Controller()
    class FeedController {
      @Get() @decorate() async *feed() {
        yield { n: 1 }
      }
    }
    const [problem] = await bootProblems({ controllers: defineControllers(FeedController) })
    expect(problem).toMatchObject({ code: 'E_OPTION_INVALID' })
    expect(problem?.subject).toContain(name)
  })

  it('is refused without a schema', async () => {
    @Controller()
    class FeedController {
      @Get() @Sse(undefined as never) async *feed() {
        yield { n: 1 } as never
      }
    }
    const [problem] = await bootProblems({ controllers: defineControllers(FeedController) })
    expect(problem?.code).toBe('E_SCHEMA_INVALID')
  })

  it('is refused if its generator is not asynchronous', async () => {
    @Controller()
    class FeedController {
      // @ts-expect-error: a generator is not an async iterable
      @Get() @Sse(Item) *feed() {
        yield { n: 1 }
      }
    }
    const [problem] = await bootProblems({ controllers: defineControllers(FeedController) })
    expect(problem?.code).toBe('E_HANDLER_GENERATOR')
    expect(problem?.remedy).toContain('async *')
  })

  it('causes only a warning for an unknown option', async () => {
    const options = { heartbeat: '1s' } as object
    @Controller()
    class FeedController {
      @Get() @JsonLines(Item, options) async *feed() {
        yield { n: 1 }
      }
    }
    const warnings = await bootWarnings({ controllers: defineControllers(FeedController) })
    expect(warnings.map(({ code }) => code)).toEqual(['W_OPTION_UNKNOWN'])
  })
})

describe('the heartbeats of a stream', () => {
  it('exist only for events, every 15 seconds unless an option changes or disables them', async () => {
    const found: unknown[] = []
    const reader: Plugin = {
      name: 'reader',
      setup: ({ model }) => {
        for (const { stream } of model.routes)
          found.push(stream?.formats.map((each) => [each.kind, each.heartbeatMs, each.maxAgeMs]))
      },
    }
    @Controller()
    class FeedController {
      @Get('both') @Sse(Item) @JsonLines(Item, { maxAge: '2s' }) async *both() {
        yield { n: 1 }
      }
      @Get('own') @Sse(Item, { heartbeat: '1m', maxAge: 5 }) async *own() {
        yield { n: 1 }
      }
      @Get('none') @Sse(Item, { heartbeat: false }) async *none() {
        yield { n: 1 }
      }
    }
    expect(await bootWarnings({ controllers: [FeedController], plugins: [reader] })).toEqual([])
    expect(found).toEqual([
      [
        ['sse', 15_000, null],
        ['jsonLines', null, 2000],
      ],
      [['sse', 60_000, 5000]],
      [['sse', null, null]],
    ])
  })
})

describe('a stream response', () => {
  it('has status 200, even if its method has another default status', async () => {
    @Controller()
    class FeedController {
      @Get() @Sse(Item) async *feed() {
        yield { n: 1 }
      }
    }
    const controllers = defineControllers(FeedController)
    const { TestApp } = await import('blazon/testing')
    const app = await TestApp.create({ controllers, defaultStatus: { GET: 203 } })
    expect((await app.fetch('/')).status).toBe(200)
    await app.close()
  })
})
