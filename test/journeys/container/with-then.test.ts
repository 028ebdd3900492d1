import {
  App,
  type AppOptions,
  Auth,
  type AuthGuard,
  Controller,
  Get,
  InjectionToken,
  inject,
  type Provider,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

/** An object with a method `then` that is not a promise: a scheduler, a builder of pipelines, a mock. */
class Pipeline {
  calls = 0
  then() {
    this.calls++
    return this
  }
}

const Steps = new InjectionToken<Pipeline>('Steps')

@Controller('steps')
class StepsController {
  readonly steps = inject(Steps)

  @Get()
  list() {
    return { isInjected: this.steps instanceof Pipeline }
  }
}

async function started(options: AppOptions): Promise<App> {
  const app = await App.create({ logger: false, ...options })
  onTestFinished(() => app.close())
  return app
}

async function read(app: App, path: string): Promise<unknown> {
  const response = await app.fetch(new Request(`http://localhost${path}`))
  return await response.json()
}

const value = new Pipeline()

describe('an object with a method `then`', () => {
  it.each<[string, readonly Provider[]]>([
    ['an instance of a class', [{ token: Steps, useClass: Pipeline }]],
    ['a value', [{ token: Steps, useValue: value }]],
    ['the value of another token', [Pipeline, { token: Steps, useExisting: Pipeline }]],
    ['the result of a factory', [{ token: Steps, useFactory: () => new Pipeline() }]],
    [
      'a dependency of a factory',
      [
        { token: 'inner', useFactory: async () => 'a promise' },
        { token: 'thenable', useFactory: () => value },
        { token: Steps, useFactory: (_, given) => given, inject: ['inner', 'thenable'] },
      ],
    ],
  ])('is not treated as a promise if it is %s', async (_, providers) => {
    const app = await started({ controllers: [StepsController], providers })
    expect(await read(app, '/steps')).toMatchObject({ data: { isInjected: true } })
    expect(app.get(Steps).calls).toBe(0)
  })

  it('is not treated as a promise if it is a controller', async () => {
    @Controller('after')
    class AfterController {
      @Get()
      then() {
        return 'handled'
      }
    }
    const app = await started({ controllers: [AfterController] })
    expect(await read(app, '/after')).toMatchObject({ data: 'handled' })
  })

  it('is not treated as a promise if it is a mock in a test', async () => {
    const mock = new Pipeline()
    const app = await TestApp.create({
      controllers: [StepsController],
      providers: [{ token: Steps, useFactory: () => new Pipeline() }],
      testOverrides: [{ token: Steps, useValue: mock }],
    })
    onTestFinished(() => app.close())
    await app.request().get('/steps').expect(200)
    expect(app.get(Steps)).toBe(mock)
    expect(mock.calls).toBe(0)
  })

  class Guard extends Pipeline implements AuthGuard {
    canActivate() {
      return true as const
    }
  }

  /** Its state for one application has the method, too. */
  class StatefulGuard extends Guard {
    forApplication() {
      return new Guard()
    }
  }

  it.each<[string, AppOptions]>([
    ['a guard', { auth: { guard: new Guard() } }],
    ['an instance of a guard class', { auth: { guard: Guard } }],
    ['the state of a guard for one application', { auth: { guard: new StatefulGuard() } }],
  ])('is not treated as a promise if it is %s', async (_, options) => {
    @Auth()
    @Controller('guarded')
    class GuardedController {
      @Get()
      get() {
        return 'allowed'
      }
    }
    const app = await started({ controllers: [GuardedController], ...options })
    expect(await read(app, '/guarded')).toMatchObject({ data: 'allowed' })
  })

  it('is not treated as a promise if it is an interceptor', async () => {
    class Doubling extends Pipeline {
      async intercept(_: unknown, next: () => unknown) {
        return [await next(), 'again']
      }
    }
    @Controller('words')
    class WordsController {
      @Get()
      get() {
        return 'once'
      }
    }
    const controllers = [WordsController]
    for (const interceptor of [Doubling, new Doubling()]) {
      const app = await started({ controllers, interceptors: [interceptor] })
      expect(await read(app, '/words')).toMatchObject({ data: ['once', 'again'] })
    }
  })

  it('is not treated as a promise if it is a logger', async () => {
    class LoggerWithThen extends Pipeline {
      info() {}
      warn() {}
      error() {}
    }
    const logger = new LoggerWithThen()
    await started({ logger })
    expect(logger.calls).toBe(0)
  })
})

describe('a promise that a factory returns', () => {
  it('is awaited, even if it is not a native promise', async () => {
    const promise = Promise.resolve('later')
    const foreign = {
      then: (...args: Parameters<(typeof promise)['then']>) => promise.then(...args),
      catch: () => foreign,
    }
    const app = await started({ providers: [{ token: 'value', useFactory: () => foreign }] })
    expect(app.get('value')).toBe('later')
  })
})
