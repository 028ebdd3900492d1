import {
  Cache,
  CacheManager,
  Controller,
  Get,
  HttpError,
  type Middleware,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defer, nameTenant, settle } from './support.js'

/** The calls of the handler, in order, each with the promise that it waits for. */
let calls: { req: Request; res: Response; end: ReturnType<typeof defer<unknown>> }[]

@Controller()
class SlowController {
  @Cache({ ttl: 60, tags: ['slow', 'calm'] })
  @Get('slow')
  slow(req: Request, res: Response) {
    const end = defer<unknown>()
    calls.push({ req, res, end })
    return end.promise
  }

  @Cache({ ttl: 60, key: (req) => String(req.query.key) })
  @Get('keyed')
  keyed(req: Request, res: Response) {
    return this.slow(req, res)
  }
}

let app: TestApp
const start = async (options: object = {}) => {
  app = await TestApp.create({
    controllers: [SlowController],
    middlewares: [nameTenant],
    contract: 'off',
    ...options,
  })
  await app.clock.advance(0)
}
beforeEach(() => {
  calls = []
})
afterEach(() => app.close())

/** Sends a request now, instead of when it is awaited. */
const ask = (tenant?: string) =>
  (tenant === undefined ? app.request() : app.asTenant(tenant).request())
    .get('/slow')
    .then(({ status, body, headers }) => ({
      status,
      data: body.data,
      state: headers['x-cache'],
    }))

const dataOf = ({ body }: { body: { data: unknown } }) => body.data

describe('concurrent requests that miss the cache', () => {
  it('run the handler once and share its response', async () => {
    await start()
    const answers = Promise.all(Array.from({ length: 20 }, () => ask()))
    await settle()
    expect(calls).toHaveLength(1)
    calls[0]?.end.resolve('one')
    const states = (await answers).map(({ state, data }) => `${state} ${data}`)
    expect(states.sort()).toEqual([...Array(19).fill('HIT one'), 'MISS one'])
  })

  it('run the handler once for each tenant, in any order of completion', async () => {
    await start()
    const tenants = ['a', 'b', 'c', undefined]
    const asked = tenants.flatMap((tenant) => [tenant, tenant, tenant])
    const answers = Promise.all(asked.map((tenant) => ask(tenant)))
    await settle()
    expect(calls).toHaveLength(4)
    for (const { req, end } of calls.toReversed()) end.resolve(`of ${req.get('x-tenant-id')}`)
    expect((await answers).map(({ data }) => data)).toEqual(asked.map((each) => `of ${each}`))
  })

  it('do not share a response between tenants whose combined keys are equal', async () => {
    await start()
    const own = app.asTenant('acme').request().get('/keyed?key=a').then(dataOf)
    const other = app.request().get('/keyed?key=acme:a').then(dataOf)
    await settle()
    expect(calls).toHaveLength(2)
    for (const { req, end } of calls) end.resolve(`of ${req.get('x-tenant-id')}`)
    expect(await Promise.all([own, other])).toEqual(['of acme', 'of undefined'])
  })

  it('do not run the handler if their client has disconnected', async () => {
    await start()
    const first = ask()
    await settle()
    const gone = app.request().get('/slow')
    gone.end(() => {})
    await settle()
    gone.abort()
    await settle()
    calls[0]?.end.reject(new HttpError(503))
    await first
    await settle()
    expect(calls).toHaveLength(1)
  })

  it('each run the handler if the first response is private', async () => {
    await start()
    const answers = Promise.all([ask(), ask(), ask()])
    await settle()
    calls[0]?.res.set('Cache-Control', 'private')
    calls[0]?.end.resolve(0)
    await settle()
    expect(calls).toHaveLength(3)
    calls[1]?.end.resolve(1)
    calls[2]?.end.resolve(2)
    expect((await answers).map(({ data }) => data).sort()).toEqual([0, 1, 2])
  })

  it('do not fail if the first request fails', async () => {
    await start()
    const answers = Promise.all([ask(), ask(), ask()])
    await settle()
    calls[0]?.end.reject(new HttpError(503))
    await settle()
    for (const { end } of calls) end.resolve('fine')
    expect((await answers).map(({ status }) => status).sort()).toEqual([200, 200, 503])
  })

  it('run the handler again if the client of the first request disconnects', async () => {
    await start()
    const gone = app.request().get('/slow')
    gone.end(() => {})
    await settle()
    const answers = Promise.all([ask(), ask()])
    await settle()
    gone.abort()
    await settle()
    expect(calls).toHaveLength(2)
    // The response of the first request comes too late: no request receives it.
    calls[0]?.end.resolve('late')
    await settle()
    calls[1]?.end.resolve('second')
    expect((await answers).map(({ data }) => data)).toEqual(['second', 'second'])
    expect(await ask()).toMatchObject({ state: 'HIT', data: 'second' })
  })

  it('stop waiting for others after a limited number of clients have disconnected', async () => {
    await start()
    const others = Array.from({ length: 4 }, () => app.request().get('/slow'))
    for (const other of others) {
      other.end(() => {})
      await settle()
    }
    const patient = ask()
    await settle()
    for (const other of others.slice(0, 3)) {
      other.abort()
      await settle()
    }
    // The fourth request runs the handler, and the fifth has waited often enough to run it too.
    expect(calls).toHaveLength(5)
    calls[4]?.end.resolve('own')
    expect(await patient).toMatchObject({ data: 'own' })
    calls[3]?.end.resolve('done')
  })

  it('have their own handler timeouts', async () => {
    await start({ timeouts: { handler: '5s' } })
    const first = ask()
    await settle()
    await app.clock.advance('3s')
    const second = ask()
    await settle()
    await app.clock.advance('2s')
    expect((await first).status).toBe(503)
    // The second request runs the handler itself, with the time that it has left.
    expect(calls).toHaveLength(2)
    calls[1]?.end.resolve('in time')
    expect(await second).toMatchObject({ status: 200, data: 'in time' })
  })

  it('wait at most ten seconds for another request', async () => {
    await start({ timeouts: { handler: false } })
    const answers = [ask(), ask()]
    await settle()
    await app.clock.advance('10s')
    expect(calls).toHaveLength(2)
    calls[1]?.end.resolve('second')
    expect(await answers[1]).toMatchObject({ data: 'second' })
    calls[0]?.end.resolve('first')
    expect(await answers[0]).toMatchObject({ data: 'first' })
    expect(await ask()).toMatchObject({ state: 'HIT', data: 'second' })
  })
})

describe('a response in progress', () => {
  const cache = () => CacheManager.getInstance()
  const FORGETTING: [string, () => Promise<unknown>][] = [
    ['deleted', () => cache().delete('GET /slow')],
    ['written', () => cache().set('GET /slow', 'newer')],
    ['cleared', () => cache().clear()],
    ['invalidated', () => cache().invalidateTags(['slow'])],
    ['invalidated by its last tag', () => cache().invalidateTags(['other', 'calm'])],
  ]

  it.each(FORGETTING)(
    'is not stored or shared with later requests if its key is %s',
    async (_, forget) => {
      await start()
      const old = ask()
      await settle()
      await forget()
      const fresh = ask()
      await settle()
      expect(calls).toHaveLength(2)
      calls[0]?.end.resolve('old')
      expect(await old).toMatchObject({ data: 'old' })
      const later = ask()
      await settle()
      expect(calls).toHaveLength(2)
      calls[1]?.end.resolve('new')
      expect(await fresh).toMatchObject({ data: 'new' })
      expect(await later).toMatchObject({ data: 'new' })
      expect(await ask()).toMatchObject({ state: 'HIT', data: 'new' })
    },
  )

  it.each(FORGETTING)(
    'is shared with requests that were already waiting when its key is %s',
    async (_, forget) => {
      await start()
      const answers = Promise.all([ask(), ask(), ask()])
      await settle()
      await forget()
      calls[0]?.end.resolve('old')
      expect((await answers).map(({ data }) => data)).toEqual(['old', 'old', 'old'])
      expect(calls).toHaveLength(1)
    },
  )

  it('is not shared with later requests if its tenant invalidates one of its tags', async () => {
    await start()
    const old = ask('acme')
    await settle()
    await cache().forTenant('acme').invalidateTags(['calm'])
    const fresh = ask('acme')
    await settle()
    expect(calls).toHaveLength(2)
    calls[0]?.end.resolve('old')
    calls[1]?.end.resolve('new')
    expect([(await old).data, (await fresh).data]).toEqual(['old', 'new'])
    expect(await ask('acme')).toMatchObject({ state: 'HIT', data: 'new' })
  })

  it('is not a value that getOrSet() is loading under the same key', async () => {
    await start()
    const value = defer<string>()
    const loaded = cache().getOrSet('k', () => value.promise)
    await settle()
    const answer = app.request().get('/keyed?key=k').then(dataOf)
    await settle()
    value.resolve('value')
    await settle()
    calls[0]?.end.resolve('response')
    expect(await Promise.all([loaded, answer])).toEqual(['value', 'response'])
  })

  it('is not returned by getOrSet() if it is made for a user', async () => {
    const named: Middleware = (req, _res, next) => {
      req.user = { id: 7 }
      next()
    }
    await start({ middlewares: [named] })
    const answer = app.request().get('/keyed?key=k').then(dataOf)
    await settle()
    const loaded = cache().getOrSet('k', () => 'value')
    await settle()
    calls[0]?.end.resolve('for user 7')
    expect(await Promise.all([answer, loaded])).toEqual(['for user 7', 'value'])
  })

  it('is stored even if the cache of another tenant is cleared', async () => {
    await start()
    const answer = ask('acme-2')
    await settle()
    await cache().forTenant('acme').clear()
    await cache().forTenant('acme').invalidateTags(['slow'])
    calls[0]?.end.resolve(1)
    await answer
    expect(await ask('acme-2')).toMatchObject({ state: 'HIT' })
    await cache().forTenant('acme-2').invalidateTags(['slow'])
    const anew = ask('acme-2')
    await settle()
    calls[1]?.end.resolve(2)
    expect(await anew).toMatchObject({ state: 'MISS', data: 2 })
    await cache().invalidateTags(['slow'])
    const again = ask('acme-2')
    await settle()
    calls[2]?.end.resolve(3)
    expect(await again).toMatchObject({ state: 'MISS', data: 3 })
  })
})
