import { AsyncLocalStorage } from 'node:async_hooks'
import { HttpError, type Plugin, type Request, UnauthorizedError } from 'blazon'
import { Refusal, type StepFactory } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'
import { plugin, seen, start, Things, toss } from './steps-app.js'

const PLACES = [
  'enter',
  'beforeGuard',
  'afterGuard',
  'beforeBody',
  'beforeHandler',
  'aroundHandler',
] as const

const noting =
  (name: string): StepFactory =>
  (next) =>
  (req, res) => {
    seen.push(name)
    return next(req, res)
  }

describe('the steps of plugins', () => {
  it('run at their places, with the steps of the first plugin outermost', async () => {
    const named = (name: string) =>
      plugin(Object.fromEntries(PLACES.map((place) => [place, noting(`${place} ${name}`)])), name)
    await using app = await start([named('1'), named('2')], {
      interceptors: [
        {
          intercept(_req: Request, next: () => unknown) {
            seen.push('interceptor')
            return next()
          },
        },
      ],
    })
    const headers = { authorization: 'Bearer x', 'x-can': 'write' }
    await app.request().post('/things').set(headers).send({ name: 'b' }).expect(200)
    const both = (place: string) => [`${place} 1`, `${place} 2`]
    expect(seen).toEqual([
      ...both('enter'),
      ...both('beforeGuard'),
      'guard',
      ...both('afterGuard'),
      ...both('beforeBody'),
      ...both('beforeHandler'),
      'interceptor',
      ...both('aroundHandler'),
      'handler',
    ])
  })

  it('stop at the step that refuses the request', async () => {
    const all = plugin(Object.fromEntries(PLACES.map((place) => [place, noting(place)])))
    await using app = await start([all])
    await app.request().post('/things').send({ name: 'b' }).expect(401)
    expect(seen).toEqual(['enter', 'beforeGuard', 'guard'])
    seen.length = 0
    await app.request().post('/things').set('authorization', 'x').send({ name: 'b' }).expect(403)
    expect(seen).toEqual(['enter', 'beforeGuard', 'guard', 'afterGuard'])
    seen.length = 0
    const headers = { authorization: 'Bearer x', 'x-can': 'write' }
    await app.request().post('/things').set(headers).send({}).expect(400)
    expect(seen.at(-1)).toBe('beforeBody')
  })

  it('are created once for each route, unless the plugin returns null for the route', async () => {
    const routes: string[] = []
    const picky: Plugin = {
      name: 'picky',
      steps(route, { usesTenants }) {
        routes.push(`${route.name} ${usesTenants}`)
        return route.method === 'POST' ? { beforeBody: noting('beforeBody') } : null
      },
    }
    await using app = await start([picky])
    expect(routes).toEqual([
      'Things.list false',
      'Things.add false',
      'Things.fails false',
      'Things.slow false',
    ])
    await app.request().get('/things').expect(200)
    expect(seen).toEqual(['handler'])
  })

  it.each([
    ['by a thrown HttpError', () => toss(new HttpError(451, 'not here', { code: 'LEGAL' }))],
    ['by a Refusal', () => Refusal.of(451, 'not here', { code: 'LEGAL' })],
    ['by a promise of a Refusal', async () => Refusal.of(451, 'not here', { code: 'LEGAL' })],
    ['by a rejection', async () => toss(new HttpError(451, 'not here', { code: 'LEGAL' }))],
  ])('can refuse a request %s, in every place except `enter`', async (_, refuse) => {
    for (const place of PLACES.slice(1)) {
      await using app = await start([plugin({ [place]: () => refuse })])
      const { body } = await app.request().get('/things').expect(451)
      expect(body).toMatchObject({ code: 'LEGAL', message: 'not here' })
      expect(seen).toEqual([])
    }
  })

  it.each([
    ['a value', () => ({ secret: 1 })],
    ['nothing', () => undefined],
    ['a promise', async () => ({ secret: 1 })],
  ])('cannot respond with %s before the guard', async (_, respond) => {
    await using app = await start([plugin({ beforeGuard: () => respond })])
    const { body } = await app.request().get('/things').expect(500)
    expect(body.message).toBe('Internal Server Error')
    expect(JSON.stringify(body)).not.toContain('secret')
    await expect(app.authMatrix({ stranger: null })).resolves.toBeDefined()
  })

  it.each<[string, StepFactory]>([
    ['a value', (next) => (req, res) => ({ data: next(req, res) })],
    ['nothing', (next) => (req, res) => void next(req, res)],
    ['a promise', (next) => async (req, res) => void next(req, res)],
  ])('cannot respond with %s while the guard decides', async (_, stage) => {
    const slow = { canActivate: async (req: Request) => req.get('authorization') !== undefined }
    await using app = await start([plugin({ beforeGuard: stage })], { auth: { guard: slow } })
    await app.request().post('/things').send({ name: 'b' }).expect(500)
    const headers = { authorization: 'Bearer x' }
    await app.request().post('/things').set(headers).send({ name: 'b' }).expect(500)
    expect(seen).toEqual([])
  })

  it('do not run the handler if they call next() after the request has ended', async () => {
    const late: StepFactory = (next) => (req, res) => void setImmediate(() => next(req, res))
    for (const place of ['enter', 'beforeGuard'] as const) {
      await using app = await start([plugin({ [place]: late })])
      await app.request().get('/things').expect(500)
      await new Promise(setImmediate)
      expect(seen).toEqual([])
    }
  })

  it.each(PLACES)('can wait for other code before they return the result: %s', async (place) => {
    const patient: StepFactory = (next) => async (req, res) => {
      const result = next(req, res)
      await new Promise(setImmediate)
      return result
    }
    const slow = { canActivate: async (req: Request) => req.get('authorization') !== undefined }
    // A rejection without a handler would fail the requests.
    await using app = await start(
      [plugin({ [place]: patient }), plugin({ [place]: patient }, '2')],
      {
        auth: { guard: slow },
      },
    )
    await app.request().post('/things').send({ name: 'b' }).expect(401)
    await app.request().get('/things').expect(200)
    await app.request().get('/things/fails').expect(409)
  })

  it('can wait before they call the guard', async () => {
    const later: StepFactory = (next) => async (req, res) => {
      await Promise.resolve()
      return next(req, res)
    }
    await using app = await start([plugin({ beforeGuard: later })])
    expect((await app.request().get('/things').expect(200)).body.data).toEqual(['a'])
    await app.request().post('/things').send({ name: 'b' }).expect(401)
  })

  it('can change the result and the error of the handler', async () => {
    const mapping: StepFactory = (next) => async (req, res) => {
      try {
        return { value: await next(req, res) }
      } catch (error) {
        if (HttpError.is(error)) throw new HttpError(410, error.message)
        throw error
      }
    }
    await using app = await start([plugin({ aroundHandler: mapping })])
    expect((await app.request().get('/things')).body.data).toEqual({ value: ['a'] })
    expect((await app.request().get('/things/fails')).status).toBe(410)
  })

  it('can end a request with an error that occurs later', async () => {
    const late: Plugin = {
      name: 'late',
      steps: (_route, { fail }) => ({
        aroundHandler: () => (req, res) => {
          setImmediate(() => fail(new UnauthorizedError('too late'), req, res))
          return res
        },
      }),
    }
    await using app = await start([late])
    await app.request().get('/things').expect(401)
  })

  it('are refused at boot if their place does not exist or if they are not functions', async () => {
    const misspelt = { name: 'odd', steps: () => ({ beforeGaurd: noting('x') }) } as Plugin
    const [problem] = await bootProblems({ controllers: [Things], plugins: [misspelt] })
    expect(problem).toMatchObject({ code: 'E_OPTION_INVALID' })
    expect(problem?.remedy).toContain('beforeGuard')
    expect(problem?.subject).toContain("plugin 'odd' steps(Things.list)")
    const wrong = { name: 'odd', steps: () => ({ beforeGuard: 'x' }) } as unknown as Plugin
    const [other] = await bootProblems({ controllers: [Things], plugins: [wrong] })
    expect(other).toMatchObject({
      code: 'E_OPTION_INVALID',
      cause: 'It is not a function: its type is string.',
    })
    const bare = { name: 'odd', steps: () => true } as unknown as Plugin
    const [third] = await bootProblems({ controllers: [Things], plugins: [bare] })
    expect(third).toMatchObject({
      code: 'E_OPTION_INVALID',
      cause: 'It returned a value of type boolean.',
    })
    // Its steps would never run, and one of them may refuse requests.
    const late = { name: 'odd', steps: async () => ({}) } as unknown as Plugin
    const [fourth] = await bootProblems({ controllers: [Things], plugins: [late] })
    expect(fourth).toMatchObject({ code: 'E_OPTION_INVALID', cause: 'It returned a promise.' })
  })
})

describe('a step that puts the result of `next` into an object', () => {
  it.each(['beforeGuard', 'afterGuard', 'beforeBody', 'beforeHandler', 'aroundHandler'] as const)(
    'does not turn a refusal into a success: %s',
    async (place) => {
      const wrapping: StepFactory = (next) => async (req, res) => ({ data: await next(req, res) })
      const direct: StepFactory = (next) => (req, res) => ({ data: next(req, res) })
      for (const stage of [wrapping, direct]) {
        await using app = await start([plugin({ [place]: stage })])
        await app.request().post('/things').send({ name: 'b' }).expect(401)
      }
      // The body is awaited, so the later steps return a promise.
      await using app = await start([plugin({ [place]: wrapping })])
      const headers = { authorization: 'Bearer x', 'x-can': 'write' }
      await app.request().post('/things').set(headers).send({}).expect(400)
    },
  )
})

describe('the authMatrix() method', () => {
  it('includes the refusals of steps after the guard', async () => {
    const closed = plugin({ afterGuard: () => () => Refusal.of(403, 'closed') })
    await using app = await start([closed])
    const matrix = await app.authMatrix({ clerk: { user: {}, headers: { authorization: 'x' } } })
    expect(JSON.stringify(matrix)).toContain('403')
  })
})

describe('the authMatrix() method with an `enter` step', () => {
  it('runs the guard in the async context that the steps enter', async () => {
    const context = new AsyncLocalStorage<true>()
    const entering = plugin({ enter: (next) => (req, res) => context.run(true, next, req, res) })
    const reading = { canActivate: () => context.getStore() === true }
    await using app = await start([entering], { auth: { guard: reading } })
    const { rows } = await app.authMatrix({ anybody: null })
    expect(rows.find(({ handler }) => handler === 'Things.add')?.access).toEqual({ anybody: 403 })
  })
})
