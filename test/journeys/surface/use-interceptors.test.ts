import {
  type AppOptions,
  type Class,
  Controller,
  Get,
  HttpError,
  InjectionToken,
  type Interceptor,
  inject,
  type Request,
  type Response,
  Use,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

const seen: string[] = []

async function start(controller: Class, options: AppOptions = {}) {
  seen.length = 0
  const guard = { canActivate: (req: Request) => req.get('authorization') !== undefined }
  return TestApp.create({
    controllers: [controller],
    auth: { guard },
    logger: false,
    contract: 'off',
    ...options,
  })
}

const Attempts = new InjectionToken<number>('Attempts', { useFactory: () => 2 })

/** Calls the handler again when it fails. */
class Retry implements Interceptor {
  readonly attempts = inject(Attempts)

  async intercept(_req: Request, next: () => unknown) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await next()
      } catch (error) {
        if (attempt === this.attempts) throw error
      }
    }
  }
}

let failures = 0

@Use(Retry)
@Controller('flaky')
class Flaky {
  @Get()
  get() {
    if (failures-- > 0) throw new HttpError(503, 'busy')
    return 'done'
  }
}

describe('an interceptor', () => {
  it('is constructed by the container, and can call the handler again', async () => {
    await using app = await start(Flaky)
    failures = 1
    expect((await app.request().get('/flaky')).body.data).toBe('done')
    failures = 2
    expect((await app.request().get('/flaky')).status).toBe(503)
  })

  it('can be overridden in a test with its class as the token', async () => {
    const once: Interceptor = { intercept: (_req, next) => next() }
    await using app = await start(Flaky, { testOverrides: [{ token: Retry, useValue: once }] })
    failures = 1
    expect((await app.request().get('/flaky')).status).toBe(503)
  })

  it.each([
    ['an InjectionToken', new InjectionToken<Interceptor>('Shout')],
    ['a string', 'shout'],
    ['a symbol without description', Symbol()],
  ])('can be specified by a token: %s', async (_, Shout) => {
    @Controller('a')
    class A {
      @Use(Shout)
      @Get()
      get() {
        return 'a'
      }
    }
    const loud: Interceptor = {
      intercept: async (_req, next) => String(await next()).toUpperCase(),
    }
    await using app = await start(A, { providers: [{ token: Shout, useValue: loud }] })
    expect((await app.request().get('/a')).body.data).toBe('A')
  })

  it('receives a refusal by a step as an error', async () => {
    const { Refusal } = await import('blazon/plugin')
    const caught: unknown[] = []
    const catching: Interceptor = {
      async intercept(_req, next) {
        try {
          return await next()
        } catch (error) {
          caught.push((error as HttpError).status)
          throw new HttpError(410)
        }
      },
    }
    @Controller('a')
    class A {
      @Get()
      get() {
        return 'a'
      }
    }
    const closed = { name: 'closed', steps: () => ({ aroundHandler: () => () => Refusal.of(503) }) }
    await using app = await start(A, { interceptors: [catching], plugins: [closed] })
    expect((await app.request().get('/a')).status).toBe(410)
    expect(caught).toEqual([503])
  })

  it('receives `res`, also as the result of next() if the handler has sent a response', async () => {
    const values: unknown[] = []
    const seeing: Interceptor = {
      intercept(_req, next, res) {
        res.setHeader('X-Seen', 'yes')
        const value = next()
        values.push(value === res)
        return value
      },
    }
    @Use(seeing)
    @Controller('a')
    class A {
      @Get()
      get(_req: Request, res: Response) {
        return res.json({ own: true })
      }
    }
    await using app = await start(A)
    const response = await app.request().get('/a')
    expect([response.headers['x-seen'], response.body]).toEqual(['yes', { own: true }])
    expect(values).toEqual([true])
  })
})
