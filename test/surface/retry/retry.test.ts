import { Controller, Get, HttpError, Post, type Request, type Response, Use } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { turns } from '../../journeys/turns.js'
import { Retry, RetryOptions } from './index.js'

let runs: number[] = []
let fail: (run: number) => unknown = () => undefined
let now: () => number = () => 0

const work = () => {
  runs.push(now())
  const error = fail(runs.length)
  if (error !== undefined) throw error
  return 'done'
}

@Use(Retry)
@Controller('prices')
class Prices {
  @Get()
  list() {
    return work()
  }

  @Post()
  add() {
    return work()
  }

  @Get('begun')
  begun(_req: Request, res: Response) {
    res.write('a')
    return work()
  }
}

async function start(failing: typeof fail, options = {}) {
  runs = []
  fail = failing
  const app = await TestApp.create({
    controllers: [Prices],
    logger: false,
    contract: 'off',
    ...options,
  })
  const begin = app.clock.now()
  app.clock.set(begin)
  now = () => app.clock.now() - begin
  return app
}

const busy = () => new HttpError(503)

describe('the Retry interceptor', () => {
  it("doubles the waiting time after each attempt, measured by the application's clock", async () => {
    await using app = await start((run) => (run < 3 ? busy() : undefined))
    const response = app.fetch('/prices')
    await expect.poll(() => runs).toEqual([0])
    await app.clock.advance('100ms')
    await expect.poll(() => runs).toEqual([0, 100])
    await app.clock.advance('199ms')
    await turns()
    expect(runs).toEqual([0, 100])
    await app.clock.advance('1ms')
    expect((await response).status).toBe(200)
    expect(runs).toEqual([0, 100, 300])
  })

  it.each<[string, string, string, () => unknown]>([
    ['an error with the status 409', 'GET', '/prices', () => new HttpError(409)],
    ['an unknown error', 'GET', '/prices', () => new Error('x')],
    ['a request that writes', 'POST', '/prices', busy],
    ['a response that has begun', 'GET', '/prices/begun', busy],
  ])('does not repeat the handler for %s', async (_, method, path, failing) => {
    await using app = await start(failing)
    await app
      .fetch(path, { method })
      .then(
        (response) => response.text(),
        () => 'closed',
      )
      .catch(() => 'closed')
    expect(runs).toEqual([0])
  })

  it('stops after the maximum number of attempts', async () => {
    const useValue = { attempts: 2, waitMs: 0, isSafe: () => true }
    await using app = await start(busy, { testOverrides: [{ token: RetryOptions, useValue }] })
    const response = app.fetch('/prices')
    await expect.poll(() => runs.length).toBe(1)
    await expect.poll(() => app.clock.advance('1ms').then(() => runs.length)).toBe(2)
    expect((await response).status).toBe(503)
  })

  it('stops when the handler timeout ends the request', async () => {
    const useValue = { attempts: 9, waitMs: 9000, isSafe: () => true }
    const testOverrides = [{ token: RetryOptions, useValue }]
    await using app = await start(busy, { testOverrides, timeouts: { handler: '5s' } })
    const response = app.fetch('/prices')
    await expect.poll(() => runs.length).toBe(1)
    await app.clock.advance('6s')
    expect((await response).status).toBe(503)
    await app.clock.advance('1m')
    await turns()
    expect(runs.length).toBe(1)
  })
})
