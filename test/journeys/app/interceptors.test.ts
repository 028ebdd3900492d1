import { BaseController, Controller, Get, Health, inject, type Plugin, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'

@Controller('letters')
class LettersController extends BaseController {
  @Get('a')
  a() {
    return 'a'
  }

  @Get('b')
  b(_req: unknown, res: Response) {
    return this.ok(res, 'B', 'b')
  }

  @Get('health')
  async health(_req: unknown, res: Response) {
    res.json(await this.#health.check())
  }

  readonly #health = inject(Health)
}

let app: TestApp
const start = async (...plugins: Plugin[]) => {
  app = await TestApp.create({
    controllers: [LettersController],
    plugins,
    logger: false,
    // The responses of these plugins are not in the document.
    contract: 'off',
  })
}
afterEach(() => app.close())
const get = (path: string) => app.request().get(path)

describe('an interceptor', () => {
  it('runs before the handlers it was returned for, the first plugin outermost', async () => {
    const order: string[] = []
    const noting = (name: string): Plugin => ({
      name,
      intercept: (route) =>
        route.path === '/letters/a'
          ? (_req, _res, next) => {
              order.push(name)
              return next()
            }
          : null,
    })
    await start(noting('first'), noting('second'))
    expect((await get('/letters/a')).body.data).toBe('a')
    expect((await get('/letters/b')).body.data).toBe('b')
    expect(order).toEqual(['first', 'second'])
  })

  it('may return another value than the handler, or throw', async () => {
    await start({
      name: 'other',
      intercept: ({ path }) =>
        path === '/letters/a'
          ? async (_req, _res, next) => `not ${String(await next())}`
          : () => {
              throw new Error('no')
            },
    })
    expect((await get('/letters/a')).body.data).toBe('not a')
    expect((await get('/letters/b')).status).toBe(500)
  })

  it('may fail a request after the handler has returned', async () => {
    await start({
      name: 'late',
      intercept: () => (_req, res, _next, fail) => {
        setImmediate(fail, new Error('late'))
        return res
      },
    })
    expect((await get('/letters/a')).status).toBe(500)
  })

  it('receives the route, the providers and usesTenants', async () => {
    const seen: unknown[] = []
    await start({
      name: 'asking',
      providers: [{ token: 'word', useValue: 'hello' }],
      intercept: (route, { get, usesTenants }) => {
        seen.push([route.path, get('word'), usesTenants])
        return null
      },
    })
    expect(seen).toContainEqual(['/letters/a', 'hello', false])
  })
})

describe('health', () => {
  it('is up when no plugin has a health check', async () => {
    await start({ name: 'silent' })
    expect((await get('/letters/health')).body).toEqual({ status: 'up', plugins: {} })
  })

  it('is down when one plugin is down', async () => {
    await start(
      { name: 'fine', health: () => ({ lag: 3 }) },
      { name: 'gone', health: () => Promise.reject(new Error('cannot be reached')) },
      {
        name: 'odd',
        health: () => {
          throw 'odd'
        },
      },
    )
    expect((await get('/letters/health')).body).toEqual({
      status: 'down',
      plugins: {
        fine: { status: 'up', details: { lag: 3 } },
        gone: { status: 'down', reason: 'cannot be reached' },
        odd: { status: 'down', reason: 'odd' },
      },
    })
  })

  it('passes the providers of the application to the check', async () => {
    await start({
      name: 'asking',
      providers: [{ token: 'word', useValue: 'hello' }],
      health: ({ get }) => get('word'),
    })
    expect((await get('/letters/health')).body.plugins).toEqual({
      asking: { status: 'up', details: 'hello' },
    })
  })
})
