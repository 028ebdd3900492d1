import { describe, expect, it } from 'vitest'
import { settle } from './support.js'
import { alice, app, ask, behaviour, bob, useUsersApp } from './users-app.js'

useUsersApp()

describe('a user that a middleware sets', () => {
  it.each(['/open', '/own'])(
    'receives a cached response only if it was created for this user: %s',
    async (path) => {
      for (const who of [alice, bob, undefined, alice]) {
        for (let time = 0; time < 2; time++) {
          expect((await ask(path, who)).user).toEqual(who ?? 'nobody')
        }
      }
    },
  )

  it('is part of the default cache key', async () => {
    for (const state of ['MISS', 'HIT']) {
      for (const who of [alice, bob, undefined]) expect((await ask('/open', who)).state).toBe(state)
    }
  })

  it('shares no cache entry with a user for whom `key` is equal, and causes one warning', async () => {
    const states = []
    for (const who of [alice, alice, bob, bob, undefined, alice])
      states.push((await ask('/own', who)).state)
    expect(states).toEqual(['MISS', 'HIT', 'MISS', 'HIT', 'MISS', 'MISS'])
    const warnings = app.logs.filter(({ level }) => level === 'warn')
    expect(warnings).toHaveLength(1)
    expect(warnings[0]?.message).toMatch(
      /UsersController\.own.*Several users have the same cache key.*shared: true/,
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

  it('cannot detect the cached response of another user with HEAD or If-None-Match', async () => {
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

  it.each<[string, typeof behaviour.enter]>([
    ['req.auth', (req, _, user) => Object.assign(req, { auth: user })],
    ['req.session.user', (req, _, user) => Object.assign(req, { session: { user } })],
    ['res.locals.user', (_, res, user) => Object.assign(res.locals, { user })],
    [
      'an object with an inherited getter',
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
  ])('can be set as %s', async (_, put) => {
    behaviour.enter = put
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
  ])('does not share a cache entry with a different user: %j and %j', async (a, b) => {
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
  ])('bypasses the cache if it is %j, which has no usable ID', async (who) => {
    for (const path of ['/open', '/own']) {
      await ask(path)
      for (let time = 0; time < 2; time++) {
        expect(await ask(path, who)).toMatchObject({ state: 'BYPASS', user: who })
      }
      expect(await ask(path)).toMatchObject({ state: 'HIT', user: 'nobody' })
    }
  })

  it('bypasses the cache if its `id` getter throws', async () => {
    behaviour.enter = (req) => {
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

  it('shares the cache of anonymous requests if it is null', async () => {
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

describe('credentials without a user', () => {
  it.each([{ Authorization: 'Bearer a' }, { Cookie: 'sid=1' }, { 'X-Api-Key': 'k' }])(
    'bypass the cache if the key does not contain them: %j',
    async (headers) => {
      for (const path of ['/open', '/own']) {
        await ask(path)
        expect((await ask(path, undefined, headers as never)).state).toBe('BYPASS')
        expect((await ask(path)).state).toBe('HIT')
      }
      expect(app.logs.map(({ message }) => message).join()).toMatch(/its key does not contain them/)
    },
  )

  it('use the cache if the key contains them', async () => {
    const states = []
    for (const token of ['a', 'b', 'a']) {
      states.push((await ask('/named', undefined, { Authorization: token })).state)
    }
    expect(states).toEqual(['MISS', 'MISS', 'HIT'])
    expect((await ask('/named', undefined, { Cookie: 'theme=dark' })).state).toBe('BYPASS')
  })
})
