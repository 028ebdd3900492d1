import {
  App,
  type AppOptions,
  Auth,
  Body,
  Cache,
  Can,
  ConfigError,
  Controller,
  Get,
  type Interceptor,
  type Plugin,
  Post,
  type Request,
  Sse,
} from 'blazon'
import type { RequestObserver, StepName } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const twice: Interceptor = {
  async intercept(_, next) {
    await next()
    return next()
  },
}

@Controller('work')
class WorkController {
  @Get('plain') plain() {
    return 'plain'
  }

  @Get('slow') async slow() {
    await new Promise((resolve) => setImmediate(resolve))
    return 'slow'
  }

  @Get('broken') broken() {
    throw new Error('broken')
  }

  @Get('rejected') async rejected() {
    throw new Error('rejected')
  }

  @Auth() @Can('save') @Post('save') @Body(z.object({ name: z.string() })) save() {
    return 'saved'
  }

  @Cache({ ttl: 60 }) @Get('cached') cached() {
    return 'cached'
  }

  @Sse(z.number()) @Get('ticks') async *ticks() {
    yield 1
  }
}

let app: TestApp | undefined
let mayAll = false

beforeEach(() => {
  mayAll = false
})

afterEach(() => app?.close())

async function observed(
  options: Partial<AppOptions> = {},
): Promise<{ app: TestApp; seen: string[] }> {
  const seen: string[] = []
  const observer: Plugin = {
    name: 'observer',
    requests: () => ({ onStep: (_, step) => void seen.push(step) }),
  }
  app = await TestApp.create({
    ...options,
    controllers: [WorkController],
    auth: {
      guard: { canActivate: (req: Request) => req.headers.authorization === sesame.authorization },
      can: () => mayAll,
    },
    logger: false,
    contract: 'off',
    plugins: [observer, ...(options.plugins ?? [])],
  })
  return { app, seen }
}

const sesame = { authorization: 'Bearer sesame' }

describe('the onStep observer', () => {
  it.each([
    ['plain', 200],
    ['slow', 200],
    ['broken', 500],
    ['rejected', 500],
  ])('is called when a handler begins and when it ends: %s', async (path, status) => {
    const { app, seen } = await observed()
    await app.request().get(`/work/${path}`).expect(status)
    expect(seen).toEqual(['handler', 'respond'])
  })

  it.each([
    ['the guard', {}, false, 401, ['guard']],
    ['auth.can', sesame, false, 403, ['guard', 'can']],
    ['the schema', sesame, true, 400, ['guard', 'can', 'body', 'validate']],
  ])(
    'is called for each step until %s refuses the request',
    async (_, headers, may, status, steps) => {
      mayAll = may
      const { app, seen } = await observed()
      await app.request().post('/work/save').set(headers).send({ name: 1 }).expect(status)
      expect(seen).toEqual([...steps, 'respond'])
    },
  )

  it('is not called for the handler if the cache has the response', async () => {
    const { app, seen } = await observed()
    await app.request().get('/work/cached').expect(200)
    expect(seen).toEqual(['cache', 'unexpired', 'handler', 'respond'])
    seen.length = 0
    await app.request().get('/work/cached').expect(200)
    expect(seen).toEqual(['cache', 'respond'])
  })

  it('is called for the handler twice if an interceptor calls next() twice', async () => {
    const { app, seen } = await observed({ interceptors: [twice] })
    await app.request().get('/work/plain').expect(200)
    expect(seen).toEqual(['intercept', 'handler', 'handler', 'respond'])
  })

  it('is called for the steps of an event stream', async () => {
    const { app, seen } = await observed()
    await app.request().get('/work/ticks').expect(200)
    expect(seen).toEqual(['stream', 'handler', 'respond'])
  })

  it('is not called for requests without a route', async () => {
    const { app, seen } = await observed()
    await app.request().get('/nowhere').expect(404)
    expect(seen).toEqual([])
  })

  it('does not affect the request if it throws or rejects', async () => {
    const steps: StepName[] = []
    const plugins: Plugin[] = [
      {
        name: 'throws',
        requests: () => ({
          onStep() {
            throw new Error('observer')
          },
        }),
      },
      {
        name: 'rejects',
        requests: () => ({ onStep: () => Promise.reject(new Error('observer')) }),
      },
      { name: 'last', requests: () => ({ onStep: (_, step) => void steps.push(step) }) },
    ]
    const { app } = await observed({ plugins })
    await app.request().get('/work/plain').expect(200)
    expect(steps).toEqual(['handler', 'respond'])
  })

  it('is refused at boot if it is not a function', async () => {
    const wrong = { onStep: 'no' } as unknown as RequestObserver
    const plugins = [{ name: 'wrong', requests: () => wrong }]
    await expect(
      App.create({ controllers: [WorkController], plugins }).then((a) => a.init()),
    ).rejects.toThrow(ConfigError)
  })
})
