import {
  BadRequestError,
  Controller,
  Get,
  HttpError,
  NotFoundError,
  runWithTenant,
  ServiceUnavailableError,
  TooManyRequestsError,
} from 'blazon'
import { isThenable, Refusal, statusOf, tenantOf, toBytes } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { turns } from '../../journeys/turns.js'
import { Refresh, refreshing } from './index.js'

let runs = 0
let error: Error | undefined

@Controller('prices')
class Prices {
  @Refresh({ after: '1m' })
  @Get()
  async list() {
    await Promise.resolve()
    if (error !== undefined) throw error
    return { run: ++runs }
  }

  @Refresh({ after: '1m' })
  @Get('long')
  long() {
    return `${++runs}`.padEnd(100, '.')
  }
}

async function start(options: Parameters<typeof refreshing>[0] = {}) {
  runs = 0
  error = undefined
  const app = await TestApp.create({
    controllers: [Prices],
    tenant: {},
    plugins: [refreshing(options)],
    logger: false,
  })
  onTestFinished(() => app.close())
  app.clock.set('2030-01-31')
  const ask = async (path = '/prices', tenant?: string, method = 'GET') => {
    const headers = tenant === undefined ? {} : { 'x-tenant-id': tenant }
    const response = await app.fetch(path, { method, headers })
    const body = await response.text()
    const run = body.startsWith('{') ? JSON.parse(body).data?.run : undefined
    return { status: response.status, age: response.headers.get('age'), run, body }
  }
  return { app, ask }
}

describe('a plugin that refreshes responses in the background', () => {
  it('sends the stored response, and a new response after the handler has created it', async () => {
    const { app, ask } = await start()
    expect(await ask()).toMatchObject({ run: 1, age: null })
    await app.clock.advance('59s')
    expect(await ask()).toMatchObject({ run: 1, age: '59' })
    await app.clock.advance('1s')
    expect(await ask()).toMatchObject({ run: 1, age: '60' })
    await turns(20)
    expect(await ask()).toMatchObject({ run: 2, age: '0' })
    expect(runs).toBe(2)
  })

  it('calls the handler only once for concurrent requests', async () => {
    const { app, ask } = await start()
    await ask()
    await app.clock.advance('1m')
    const all = await Promise.all([ask(), ask(), ask()])
    expect(all.map(({ run }) => run)).toEqual([1, 1, 1])
    await turns(20)
    expect(runs).toBe(2)
  })

  it('stores the responses of tenants separately', async () => {
    const { ask } = await start()
    const answers = [await ask('/prices', 'acme'), await ask('/prices', 'bolt'), await ask()]
    expect(answers.map(({ run }) => run)).toEqual([1, 2, 3])
    expect(await ask('/prices', 'acme')).toMatchObject({ run: 1 })
  })

  it('responds to HEAD without the body', async () => {
    const { ask } = await start()
    await ask()
    expect(await ask('/prices', undefined, 'HEAD')).toMatchObject({ status: 200, body: '' })
  })

  it.each([
    ['deletes the stored response if the handler throws a 404 error', new NotFoundError(), 404],
    [
      'keeps the stored response if the handler throws a 503 error',
      new ServiceUnavailableError(),
      200,
    ],
    ['keeps the stored response if the handler throws an unknown error', new Error('broken'), 200],
  ])('%s', async (_, failure, status) => {
    const { app, ask } = await start()
    await ask()
    error = failure
    await app.clock.advance('1m')
    expect(await ask()).toMatchObject({ status: 200, run: 1 })
    await turns(20)
    expect(await ask()).toMatchObject({ status })
  })

  it('does not store a response that is larger than `maxBytes`', async () => {
    const { ask } = await start({ maxBytes: '0.05kb' })
    await ask('/prices/long')
    await ask('/prices/long')
    expect(runs).toBe(2)
    expect(() => refreshing({ maxBytes: '5 apples' })).toThrow('maxBytes is 5 apples')
  })
})

describe('the tenant of a request', () => {
  it('can be set by a plugin step with runWithTenant', async () => {
    @Controller('whose')
    class Whose {
      @Get()
      whose(req: import('blazon').Request) {
        return { tenant: tenantOf(req) ?? null }
      }
    }
    const app = await TestApp.create({
      controllers: [Whose],
      tenant: {},
      plugins: [
        {
          name: 'of-user',
          steps: () => ({
            afterGuard: (next) => (req, res) => {
              const id = req.get('x-of')
              return id === undefined ? next(req, res) : runWithTenant(id, () => next(req, res))
            },
          }),
        },
      ],
    })
    onTestFinished(() => app.close())
    const ask = async (headers: Record<string, string>) =>
      (await app.request().get('/whose').set(headers)).body.data.tenant
    expect(await ask({})).toBeNull()
    expect(await ask({ 'x-tenant-id': 'acme' })).toBe('acme')
    expect(await ask({ 'x-tenant-id': 'acme', 'x-of': 'bolt' })).toBe('bolt')
    expect(await ask({ 'x-of': 'bolt' })).toBe('bolt')
  })
})

describe('the helper functions for steps', () => {
  it('include statusOf, which returns the response status of an error', () => {
    const odd = Object.create(null, { status: { get: () => 404 } })
    const ofExpress = Object.assign(new Error(), { status: 410, statusCode: 410, expose: true })
    const errors = [new HttpError(418), ofExpress, new Error('x'), { status: 404 }, odd, null]
    expect(errors.map(statusOf)).toEqual([418, 410, 500, 500, 500, 500])
  })

  it('include toBytes, which accepts only sizes', () => {
    const sizes = ['1.5kb', '2 MB', 10, '1b', '', 'kb', '-1kb', -1, Number.NaN, '1tb']
    const none = undefined
    expect(sizes.map((size) => toBytes(size as number))).toEqual([
      1536,
      2 * 1024 ** 2,
      10,
      1,
      none,
      none,
      none,
      none,
      none,
      none,
    ])
  })

  it('include isThenable, which detects values that must be awaited', () => {
    const values = [Promise.resolve(), { then: () => {} }, { then: 1 }, null, undefined, () => {}]
    expect(values.map(isThenable)).toEqual([true, true, false, false, false, false])
  })

  it('include Refusal.of, which creates an error for its status without a stack', () => {
    expect(Refusal.of(429).error).toBeInstanceOf(TooManyRequestsError)
    expect(Refusal.of(400, 'no', { code: 'OWN' }).error).toBeInstanceOf(BadRequestError)
    expect(Refusal.of(400, 'no', { code: 'OWN' }).error).toMatchObject({ code: 'OWN', status: 400 })
    const { error: teapot } = Refusal.of(418)
    expect(teapot).toMatchObject({ status: 418 })
    expect(teapot).not.toBeInstanceOf(BadRequestError)
    expect((teapot as Error).stack).not.toContain('\n')
  })
})
