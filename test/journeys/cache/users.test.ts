import { setTimeout as sleep } from 'node:timers/promises'
import {
  Auth,
  Cache,
  Controller,
  Get,
  type Interceptor,
  type Middleware,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defer, settle } from './support.js'

/** Sets the user of a request, as the application of the test does it. */
let enter: (req: Request, res: Response, user: unknown) => unknown
let gates: ReturnType<typeof defer<void>>[]
let handled: unknown[]
let before: ((req: Request, res: Response) => unknown) | undefined

/** Sets the user without a guard, as a check of API keys or client certificates, or passport, does. */
const identify: Middleware = (req, res, next) => {
  const user = req.get('x-who')
  if (user !== undefined) enter(req, res, JSON.parse(user))
  next()
}

const late: Interceptor = async (req, res, next) => {
  await sleep(1)
  const user = req.get('x-late')
  if (user !== undefined) enter(req, res, JSON.parse(user))
  return await next()
}

/** Returns the user for whom the response was made. */
const whose = (req: Request, res: Response) => {
  const { user, auth, session } = req as Request & { auth?: object; session?: { user: object } }
  handled.push(user)
  return { user: user ?? auth ?? session?.user ?? res.locals['user'] ?? 'nobody' }
}

@Controller()
class UsersController {
  @Cache({ ttl: 60, staleWhileRevalidate: 60 })
  @Get('open')
  open(req: Request, res: Response) {
    return whose(req, res)
  }

  @Cache({ ttl: 60, key: () => 'own', staleWhileRevalidate: 60 })
  @Get('own')
  own(req: Request, res: Response) {
    return whose(req, res)
  }

  @Cache({ ttl: 60, key: () => 'shared', shared: true })
  @Get('shared')
  shared() {
    handled.push('shared')
    return { made: handled.length }
  }

  @Auth()
  @Cache({ ttl: 60, shared: true })
  @Get('guarded')
  guarded() {
    handled.push('guarded')
    return { made: handled.length }
  }

  @Cache({ ttl: 60 })
  @Get('used')
  used(req: Request, res: Response) {
    return whose(req, res)
  }

  @Cache({ ttl: 60 })
  @Get('inside')
  async inside(req: Request, res: Response) {
    const gate = defer<void>()
    gates.push(gate)
    await gate.promise
    await before?.(req, res)
    return whose(req, res)
  }

  @Cache({
    ttl: 60,
    key: (req: Request) => `for ${req.get('authorization')} ${req.cookies?.['sid']}`,
  })
  @Get('named')
  named(req: Request, res: Response) {
    return whose(req, res)
  }
}

let app: TestApp
beforeEach(async () => {
  gates = []
  handled = []
  before = undefined
  enter = (req, _res, user) => {
    req.user = user as never
  }
  app = await TestApp.create({
    controllers: [UsersController],
    middlewares: [identify],
    plugins: [{ name: 'late', intercept: ({ name }) => (name.endsWith('.used') ? late : null) }],
    auth: { guard: { canActivate: () => true } },
    contract: 'off',
  })
  await app.clock.advance(0)
})
afterEach(() => app.close())

const ask = async (path: string, who?: unknown, headers: Record<string, string> = {}) => {
  const as = who === undefined ? {} : { 'X-Who': JSON.stringify(who) }
  const answer = await app
    .request()
    .get(path)
    .set({ ...as, ...headers })
  return { state: answer.headers['x-cache'], user: answer.body.data?.user, data: answer.body.data }
}

const alice = { id: 'alice' }
const bob = { id: 'bob' }

describe('a user that a middleware sets', () => {
  it.each(['/open', '/own'])('receives only cached responses for this user: %s', async (path) => {
    for (const who of [alice, bob, undefined, alice]) {
      for (let time = 0; time < 2; time++) {
        expect((await ask(path, who)).user).toEqual(who ?? 'nobody')
      }
    }
  })

  it('is a part of the default key', async () => {
    for (const state of ['MISS', 'HIT']) {
      for (const who of [alice, bob, undefined]) expect((await ask('/open', who)).state).toBe(state)
    }
  })

  it('does not share the entry of a key option with another user, and logs a warning once', async () => {
    const states = []
    for (const who of [alice, alice, bob, bob, undefined, alice])
      states.push((await ask('/own', who)).state)
    expect(states).toEqual(['MISS', 'HIT', 'MISS', 'HIT', 'MISS', 'MISS'])
    const warnings = app.logs.filter(({ level }) => level === 'warn')
    expect(warnings).toHaveLength(1)
    expect(warnings[0]?.message).toMatch(
      /UsersController\.own.*Several users have the same key.*shared: true/,
    )
  })

  it('receives no stale response of another user, before and after a refresh', async () => {
    for (const path of ['/open', '/own']) {
      await ask(path, alice)
      await app.clock.advance('61s')
      expect(await ask(path, bob)).toMatchObject({ state: 'MISS', user: bob })
      expect(await ask(path, bob)).toMatchObject({ state: 'HIT', user: bob })
      await app.clock.advance('61s')
      expect(await ask(path, bob)).toMatchObject({ state: 'STALE', user: bob })
      await settle()
      expect(await ask(path, alice)).toMatchObject({ user: alice })
      await app.clock.advance('200s')
    }
  })

  it('learns nothing about the response of another user by HEAD and If-None-Match', async () => {
    const tagged = await app
      .request()
      .get('/own')
      .set({ 'X-Who': JSON.stringify(alice) })
    const who = { 'X-Who': JSON.stringify(bob) }
    const head = await app.request().head('/own').set(who)
    expect(head.headers['x-cache']).toBe('MISS')
    const etag = tagged.headers['etag'] ?? '*'
    const conditional = await app
      .request()
      .get('/own')
      .set({ ...who, 'If-None-Match': etag })
    expect([conditional.status, conditional.body.data.user]).toEqual([200, bob])
  })

  it.each<[string, typeof enter]>([
    ['req.auth', (req, _, user) => Object.assign(req, { auth: user })],
    ['req.session.user', (req, _, user) => Object.assign(req, { session: { user } })],
    ['res.locals.user', (_, res, user) => Object.assign(res.locals, { user })],
    [
      'an inherited getter',
      (req, _, user) => {
        class Account {
          get id() {
            return (user as typeof alice).id
          }
          toJSON = () => user
        }
        req.user = new Account() as never
      },
    ],
  ])('may be set as %s', async (_, put) => {
    enter = put
    for (const state of ['MISS', 'HIT']) {
      for (const who of [alice, bob])
        expect(await ask('/open', who)).toMatchObject({ state, user: who })
    }
    expect((await ask('/own', alice)).state).toBe('MISS')
    expect(await ask('/own', bob)).toMatchObject({ state: 'MISS', user: bob })
  })

  it.each([
    [{ id: 1 }, { id: '1' }],
    [{ id: 'a' }, { sub: 'a' }],
    [
      { sub: 'a', iss: 'x' },
      { sub: 'a', iss: 'y' },
    ],
    [
      { id: 'a', provider: 'x' },
      { id: 'a', provider: 'y' },
    ],
    [{ id: 'a;iss=sx' }, { id: 'a', iss: 'x' }],
    [{ username: 'a' }, { email: 'a' }],
    ['a', { id: 'a' }],
    [0, '0'],
  ])('%j has another cache entry than %j', async (a, b) => {
    for (const state of ['MISS', 'HIT']) {
      expect(await ask('/open', a)).toMatchObject({ state, user: a })
      expect(await ask('/open', b)).toMatchObject({ state, user: b })
    }
  })

  it.each([
    {},
    { id: {} },
    { id: [1] },
    { id: '' },
    { id: true },
    { id: '\ud800' },
    { name: 'a' },
    false,
    '',
    true,
    ['a'],
  ])('bypasses the cache when it is %j, which has no usable id', async (who) => {
    for (const path of ['/open', '/own']) {
      await ask(path)
      for (let time = 0; time < 2; time++) {
        expect(await ask(path, who)).toMatchObject({ state: 'BYPASS', user: who })
      }
      expect(await ask(path)).toMatchObject({ state: 'HIT', user: 'nobody' })
    }
  })

  it('bypasses the cache when its id throws', async () => {
    enter = (req) => {
      req.user = {
        get id(): string {
          throw new Error('gone')
        },
        toJSON: () => 'odd',
      } as never
    }
    expect((await ask('/open', {})).state).toBe('BYPASS')
    expect(await ask('/own', {})).toMatchObject({ state: 'BYPASS', user: 'odd' })
  })

  it('shares the cache of anonymous requests when it is null', async () => {
    expect((await ask('/open', null)).state).toBe('MISS')
    expect((await ask('/open')).state).toBe('HIT')
  })
})

describe('a route with shared: true', () => {
  it.each(['/shared', '/guarded'])('has one cached response for all users: %s', async (path) => {
    const states = []
    for (const who of [alice, bob, {}, undefined]) states.push((await ask(path, who)).state)
    states.push((await ask(path, undefined, { Authorization: 'Bearer a', Cookie: 'sid=1' })).state)
    expect(states).toEqual(['MISS', 'HIT', 'HIT', 'HIT', 'HIT'])
  })
})

describe('a user that is set after the cache step', () => {
  it('disables the cache for the response when an interceptor sets it', async () => {
    expect(await ask('/used', undefined, { 'X-Late': '{"id":"alice"}' })).toMatchObject({
      user: alice,
    })
    expect(await ask('/used', undefined, { 'X-Late': '{"id":"bob"}' })).toMatchObject({ user: bob })
    // An anonymous response could belong to a user that is set later. It is not stored either, and a warning is logged.
    for (let time = 0; time < 2; time++) {
      expect(await ask('/used')).toMatchObject({ state: 'BYPASS', user: 'nobody' })
    }
    expect(app.logs.map(({ message }) => message).join()).toMatch(
      /set or changed after the cache step/,
    )
  })

  it.each<[string, (req: Request, res: Response) => unknown]>([
    ['set', (req) => Object.assign(req, { user: alice })],
    [
      'set later',
      async (req) => {
        await sleep(1)
        req.user = alice as never
      },
    ],
    ['an object without id', (req) => Object.assign(req, { user: {} })],
    [
      'set and removed',
      async (req) => {
        req.user = alice as never
        await sleep(1)
        req.user = undefined as never
      },
    ],
    ['at req.auth', (req) => Object.assign(req, { auth: alice })],
    ['at res.locals', (_, res) => Object.assign(res.locals, { user: alice })],
  ])(
    'does not let waiting requests share the response when the handler has it %s',
    async (_, change) => {
      const answers = [ask('/inside'), ask('/inside'), ask('/inside')]
      await settle()
      expect(gates).toHaveLength(1)
      before = change
      gates[0]?.resolve()
      await answers[0]
      before = undefined
      await settle()
      expect(gates).toHaveLength(3)
      for (const gate of gates) gate.resolve()
      const made = await Promise.all(answers)
      expect(made.map(({ user }) => user).slice(1)).toEqual(['nobody', 'nobody'])
      // The next anonymous request bypasses the cache too: its user may be set in the same way.
      const next = ask('/inside')
      await settle()
      for (const gate of gates) gate.resolve()
      expect((await next).state).toBe('BYPASS')
    },
  )

  it('does not disable the cache when the handler sets the same user again', async () => {
    before = (req) => Object.assign(req, { user: { ...alice, again: true } })
    const first = ask('/inside', alice)
    await settle()
    gates[0]?.resolve()
    await first
    expect((await ask('/inside', alice)).state).toBe('HIT')
  })

  it('disables the cache for the response when its id changes', async () => {
    before = (req) => Object.assign(req.user as object, { id: 'bob' })
    const first = ask('/inside', alice)
    await settle()
    gates[0]?.resolve()
    await first
    before = undefined
    const second = ask('/inside', alice)
    await settle()
    expect(gates).toHaveLength(2)
    gates[1]?.resolve()
    expect(await second).toMatchObject({ state: 'MISS', user: alice })
  })

  it('can be read by the handler after it was set', async () => {
    before = (req) => Object.assign(req, { user: alice })
    const first = ask('/inside')
    await settle()
    gates[0]?.resolve()
    expect(await first).toMatchObject({ user: alice })
    expect(handled).toEqual([alice])
  })
})

describe('concurrent requests of several users', () => {
  it('wait for requests of the same user only', async () => {
    const answers = [alice, bob, alice, undefined, bob].map((who) => ask('/inside', who))
    await settle()
    expect(gates).toHaveLength(3)
    for (const gate of gates) gate.resolve()
    const users = (await Promise.all(answers)).map(({ user }) => user)
    expect(users).toEqual([alice, bob, alice, 'nobody', bob])
  })
})

describe('credentials without a user', () => {
  it.each([{ Authorization: 'Bearer a' }, { Cookie: 'sid=1' }, { 'X-Api-Key': 'k' }])(
    'bypass the cache when the key does not contain them: %j',
    async (headers) => {
      for (const path of ['/open', '/own']) {
        await ask(path)
        expect((await ask(path, undefined, headers as never)).state).toBe('BYPASS')
        expect((await ask(path)).state).toBe('HIT')
      }
      expect(app.logs.map(({ message }) => message).join()).toMatch(/its key does not contain them/)
    },
  )

  it('use the cache when the key contains them', async () => {
    const states = []
    for (const token of ['a', 'b', 'a']) {
      states.push((await ask('/named', undefined, { Authorization: token })).state)
    }
    expect(states).toEqual(['MISS', 'MISS', 'HIT'])
    expect((await ask('/named', undefined, { Cookie: 'theme=dark' })).state).toBe('BYPASS')
  })
})
