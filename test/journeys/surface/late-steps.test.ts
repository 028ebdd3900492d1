import {
  Controller,
  Get,
  type Middleware,
  type Plugin,
  type Request,
  type RequestHandler,
  Use,
} from 'blazon'
import type { PluginSteps } from 'blazon/plugin'
import { TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gate } from '../gate.js'
import { turns } from '../turns.js'

const entered = { now: gate() }
let runs = 0

const never: RequestHandler = () => entered.now.open()

@Controller('things')
class Things {
  @Get() get() {
    runs++
    return 'late'
  }

  @Use(never) @Get('stuck') stuck() {
    return 'never'
  }
}

async function start(options: TestOptions) {
  runs = 0
  entered.now = gate()
  const app = await TestApp.create({
    controllers: [Things],
    contract: 'off',
    logger: false,
    timeouts: { handler: '5s' },
    ...options,
  })
  onTestFinished(() => app.close())
  return app
}

type Wait = () => Promise<void>

const plugin = (steps: PluginSteps): TestOptions => ({
  plugins: [{ name: 'late', steps: () => steps } satisfies Plugin],
})

const waiting =
  (place: 'enter' | 'beforeHandler' | 'aroundHandler') =>
  (wait: Wait): TestOptions =>
    plugin({
      [place]:
        (next: (...args: unknown[]) => unknown) =>
        async (...args: unknown[]) => {
          await wait()
          return next(...args)
        },
    } as PluginSteps)

const broken = new Error('broken')
const failing: Middleware = (_req, _res, next) => next(broken)

describe('code that goes on after the handler timeout has ended its request', () => {
  it.each<[string, (wait: Wait) => TestOptions]>([
    [
      'an interceptor',
      (wait) => ({
        interceptors: [
          {
            async intercept(_req, next) {
              await wait()
              return next()
            },
          },
        ],
      }),
    ],
    ['a step `enter`', waiting('enter')],
    ['a step `beforeHandler`', waiting('beforeHandler')],
    ['a step `aroundHandler`', waiting('aroundHandler')],
  ])('does not run the handler: %s', async (_, optionsOf) => {
    const released = gate()
    const app = await start(
      optionsOf(async () => {
        entered.now.open()
        await released.opened
      }),
    )
    const response = app.fetch('/things')
    await entered.now.opened
    await app.clock.advance('6s')
    const { status } = await response
    released.open()
    await turns()
    expect([status, runs]).toEqual([503, 0])
  })
})

it('an error middleware cannot continue a request while another one responds to the timeout', async () => {
  const [released, timedOut, responding] = [gate(), gate(), gate()]
  const app = await start({
    middlewares: [
      failing,
      async (error, _req, _res, next) => {
        if (error === broken) {
          entered.now.open()
          await released.opened
          return next()
        }
        timedOut.open()
        await responding.opened
        next(error)
      },
    ],
  })
  const response = app.fetch('/things')
  await entered.now.opened
  await app.clock.advance('6s')
  await timedOut.opened
  released.open()
  await turns()
  responding.open()
  expect([(await response).status, runs]).toEqual([503, 0])
})

it('a step around a middleware that never calls next() goes on when the client disconnects', async () => {
  const settled = gate()
  const app = await start(
    plugin({
      afterGuard: (next) => async (req, res) => {
        await next(req, res)
        settled.open()
        return res
      },
    }),
  )
  const leaving = new AbortController()
  const response = app.fetch('/things/stuck', { signal: leaving.signal })
  await entered.now.opened
  leaving.abort()
  await expect(response).rejects.toThrow()
  await settled.opened
})

it('a query that a middleware has set stays, even if a later middleware changes the URL', async () => {
  @Controller('found')
  class Found {
    @Get() get({ query }: Request) {
      return query
    }
  }
  const set: RequestHandler = (req, _res, next) => {
    req.query = { own: '1' } as never
    next()
  }
  const rewrite: RequestHandler = (req, _res, next) => {
    req.url = '/found?other=2'
    next()
  }
  const app = await start({ controllers: [Found], middlewares: [set, rewrite] })
  const response = await app.fetch('/?first=0')
  expect(await response.json()).toMatchObject({ data: { own: '1' } })
})
