import { HttpError, NotFoundError, runWithTenant } from 'blazon'
import { describe, expect, it } from 'vitest'
import { outcomeOf, startSessions, type Work } from './start-session.js'

const USER = { id: 7 }
const later = (now: number) => ({ usedAt: now, idleAt: now + 1_000_000 })

describe('a value of a session', () => {
  it('can have 32,768 characters together with all other values and names, but not more', async () => {
    const { send } = await startSessions()
    // `text` and two quotes.
    const most = 32_768 - 6
    const { data, cookie } = await send((session) =>
      outcomeOf(session.set({ text: 'x'.repeat(most) })),
    )
    expect(data).toBe('done')
    const more = (set: object) => send((session) => outcomeOf(session.set(set)), cookie)
    const message = 'at most 32768 are allowed.'
    expect((await more({ text: 'x'.repeat(most + 1) })).data).toBe(
      `sessions(): the values have 32769 characters of JSON; ${message}`,
    )
    expect((await more({ visits: 1 })).data).toContain('have 32775 characters')
    expect((await more({ text: 'short', visits: 1 })).data).toBe('done')
  })

  it.each<[string, object]>([
    ["sessions(): the schema does not describe the field 'theme'.", { theme: 'dark' }],
    ['sessions(): the name of a value has a control character.', { 'a\u0000': 1 }],
    ['sessions(): the name of a value has a control character.', { 'a\u007f': 1 }],
    ["sessions(): the value of 'any' cannot be represented in JSON.", { any: () => 1 }],
    ['sessions(): the values do not match the schema: ', { visits: 'many' }],
  ])('is refused with "%s"', async (message, values) => {
    const { send, calls } = await startSessions()
    const { data, lines } = await send((session) => outcomeOf(session.set(values as never)))
    expect(data).toContain(message)
    expect(lines).toEqual([])
    expect(calls).toEqual([])
  })

  it('can be removed even if the schema does not describe it', async () => {
    const { send } = await startSessions()
    const { cookie } = await send((session) => session.set({ text: 'a' }))
    const set = { theme: undefined, text: undefined } as never
    const { data } = await send(async (session) => {
      await session.set(set)
      return session.data
    }, cookie)
    expect(data).toEqual({ visits: 0 })
  })

  it('cannot be changed except with a method of the session', async () => {
    const { send } = await startSessions()
    const { data } = await send(async (session) => {
      const before = Object.isFrozen(session.data)
      await session.set({ visits: 1 })
      return [before, Object.isFrozen(session.data)]
    })
    expect(data).toEqual([true, true])
  })
})

describe('a write of a session', () => {
  it('is refused after the response has begun', async () => {
    const { send, calls } = await startSessions()
    let message = ''
    await send(async (session, _req, res) => {
      res.json({})
      message = await outcomeOf(session.set({ visits: 1 }))
    })
    expect(message).toMatch(/^sessions\(\): the response has begun, so its cookie cannot be set\./)
    expect(calls).toEqual([])
  })

  it('succeeds after an earlier write of the request has failed', async () => {
    const { send } = await startSessions()
    const { data, lines } = await send(async (session) => {
      const writes = [{ visits: 'many' as never }, { visits: 2 }].map((set) => session.set(set))
      return [...(await Promise.all(writes.map(outcomeOf))), session.data.visits]
    })
    expect(data).toEqual([expect.stringContaining('do not match'), 'done', 2])
    expect(lines).toHaveLength(1)
  })

  it('does not reach the store if it changes nothing', async () => {
    const { send, calls } = await startSessions()
    const { cookie } = await send((session) => session.set({ visits: 1 }))
    calls.length = 0
    await send((session) => session.set({}), cookie)
    expect(calls.map(({ name }) => name)).toEqual(['read'])
  })

  it('results in 409 after eight attempts of update(), or if the session has ended meanwhile', async () => {
    let isGone = false
    const { send, store, calls } = await startSessions()
    const { cookie } = await send((session) => session.set({ visits: 1 }))
    const { read } = store
    Object.assign(store, {
      write: () => 'conflict',
      read: (id: string) => (isGone && calls.length > 1 ? undefined : read(id)),
    })
    calls.length = 0
    const visit = () =>
      send((session) => session.update(({ visits }) => ({ visits: visits + 1 })), cookie)
    const { status, code } = await visit()
    expect([status, code]).toEqual([409, 'SESSION_CONFLICT'])
    expect(calls.filter(({ name }) => name === 'write')).toHaveLength(8)
    isGone = true
    calls.length = 0
    expect((await visit()).status).toBe(409)
    expect(calls.map(({ name }) => name)).toEqual(['read', 'write', 'read'])
  })

  it.each<[string, Work]>([
    ['set()', (session) => session.set({ visits: 2 })],
    ['update()', (session) => session.update(({ visits }) => ({ visits: visits + 1 }))],
    ['regenerate()', (session) => session.regenerate()],
    ['login()', (session) => session.login(USER)],
  ])('results in 409 if the session has expired during the request: %s', async (_, write) => {
    const { app, send } = await startSessions({ idle: '10m' }, { timeouts: { handler: '1h' } })
    const { cookie } = await send((session) => session.login(USER))
    const late: Work = async (session, req, res) => {
      await app.clock.advance('10m')
      await write(session, req, res)
    }
    const { status, code, lines } = await send(late, cookie)
    expect([status, code, lines]).toEqual([409, 'SESSION_CONFLICT', []])
    expect((await send(({ id }) => id, cookie)).data).toBeNull()
  })

  it('is refused again if the handler ignores that a page of another origin has sent it', async () => {
    const { send } = await startSessions()
    const write: Work = async (session) => [
      await outcomeOf(session.set({ visits: 1 })),
      await outcomeOf(session.set({ visits: 1 })),
    ]
    const { data, lines } = await send(write, undefined, { 'sec-fetch-site': 'cross-site' })
    const refusal = 'A page of another origin has sent this request'
    expect([data, lines]).toEqual([[refusal, refusal], []])
  })

  it('sends only one cookie if the ID changes several times', async () => {
    const { send } = await startSessions()
    const { lines, cookie } = await send(async (session) => {
      await session.set({ visits: 1 })
      await session.login(USER)
      await session.regenerate()
    })
    expect(lines).toHaveLength(1)
    expect((await send(({ isLoggedIn, data }) => [isLoggedIn, data.visits], cookie)).data).toEqual([
      true,
      1,
    ])
  })
})

describe('login(), logout() and regenerate()', () => {
  it('keep a cookie whose name only begins with the name of the session cookie', async () => {
    const { send } = await startSessions()
    const { lines } = await send((session, _req, res) => {
      res.cookie('session-hint', 'yes')
      return session.login(USER)
    })
    expect(lines.map((line) => line.split('=')[0])).toEqual(['session-hint', 'session'])
  })

  it.each<['login' | 'regenerate']>([['login'], ['regenerate']])(
    'result in 409 and no cookie if the session of the user has ended meanwhile: %s',
    async (name) => {
      const { app, web, send } = await startSessions()
      const { cookie } = await send((session) => session.login(USER))
      const { status, code, lines } = await send(async (session) => {
        expect(await app.get(web.manager).revokeAll(7)).toBe(1)
        await (name === 'login' ? session.login(USER) : session.regenerate())
      }, cookie)
      expect([status, code, lines]).toEqual([409, 'SESSION_CONFLICT', []])
    },
  )

  it.each<['login' | 'regenerate']>([['login'], ['regenerate']])(
    'keep values that another request has stored meanwhile: %s',
    async (name) => {
      const { app, send, store } = await startSessions()
      const { cookie } = await send((session) => session.login(USER))
      const { data } = await send(async (session) => {
        const set = { visits: '5' }
        await store.write(session.id as string, {
          set,
          expected: {},
          ...later(app.clock.now()),
        })
        await (name === 'login' ? session.login(USER) : session.regenerate())
        return session.data.visits
      }, cookie)
      expect(data).toBe(5)
    },
  )

  it('keep the values of an anonymous session that has ended before the login', async () => {
    const { send, store } = await startSessions()
    const { cookie } = await send((session) => session.set({ visits: 3 }))
    const { status, data } = await send(async (session) => {
      await store.take(session.id as string)
      await session.login(USER)
      return session.data.visits
    }, cookie)
    expect([status, data]).toEqual([200, 3])
  })

  it('keep the beginning of the session and the rest of its lifetime on a new ID', async () => {
    const { app, web, send } = await startSessions({ absolute: '10d', idle: '10d' })
    const { cookie } = await send((session) => session.login(USER))
    const [before] = await app.get(web.manager).list(7)
    await app.clock.advance('4d')
    const { lines } = await send((session) => session.regenerate(), cookie)
    expect(lines[0]).toContain('; Max-Age=518400;')
    const [after] = await app.get(web.manager).list(7)
    expect(after).toMatchObject({ createdAt: before?.createdAt, endsAt: before?.endsAt })
    expect(after?.id).not.toBe(before?.id)
  })

  it('leave no user and no values in the same request after a logout', async () => {
    const { send } = await startSessions()
    const { cookie } = await send(async (session) => {
      await session.login(USER)
      await session.set({ visits: 1 })
    })
    const { data, lines } = await send(async (session) => {
      await session.logout()
      const { isLoggedIn, id, data } = session
      return { isLoggedIn, id: id ?? null, visits: data.visits }
    }, cookie)
    expect(data).toEqual({ isLoggedIn: false, id: null, visits: 0 })
    expect(lines).toEqual([expect.stringMatching(/^session=; Max-Age=0;/)])
  })

  it('delete a cookie whose session has ended', async () => {
    const { send, store } = await startSessions()
    const { cookie } = await send((session) => session.login(USER))
    await send(({ id }) => void store.take(id as string), cookie)
    expect((await send((session) => session.logout(), cookie)).lines).toEqual([
      expect.stringMatching(/^session=; Max-Age=0;/),
    ])
  })

  it.each([[''], [null], [undefined], [true], [{}]])('refuse a user with the ID %j', async (id) => {
    const { send, calls } = await startSessions()
    const { data } = await send((session) => outcomeOf(session.login({ id: id as never })))
    expect(data).toBe(
      'sessions(): a user must have an `id` that is a number or a non-empty string.',
    )
    expect(calls).toEqual([])
  })

  it('end the session of another tenant whose cookie the request has', async () => {
    const { send, store } = await startSessions({}, { tenant: { authorize: () => true } })
    const at = (tenant: string, cookie?: string) =>
      send(
        async (session) => {
          await runWithTenant(tenant, () => session.login(USER))
          return session.id
        },
        cookie,
        { 'x-tenant-id': tenant },
      )
    const first = await at('acme')
    expect(await store.read(first.data)).toBeDefined()
    const second = await at('globex', first.cookie)
    expect(second.cookie).not.toBe(first.cookie)
    expect(await store.read(first.data)).toBeUndefined()
  })
})

describe('a response whose request has used a session', () => {
  it('keeps the Cache-Control header of its handler, but depends on the cookie', async () => {
    const { send } = await startSessions()
    const { headers } = await send((session, _req, res) => {
      res.set('Cache-Control', 'private, max-age=5')
      return session.data.visits
    })
    expect(headers['cache-control']).toBe('private, max-age=5')
    expect(headers['vary']).toContain('Cookie')
  })
})

describe('the store of a session', () => {
  it('is read once per request', async () => {
    const { web, send, calls } = await startSessions()
    const { cookie } = await send((session) => session.set({ visits: 1 }))
    calls.length = 0
    await send((_session, req) => Promise.all([web.of(req), web.of(req)]), cookie)
    expect(calls.map(({ name }) => name)).toEqual(['read'])
  })

  it('contains an ended session only until its next request', async () => {
    const { app, send, store } = await startSessions({ idle: '1h' })
    const { cookie, data } = await send(async (session) => {
      await session.set({ visits: 1 })
      return session.id
    })
    await app.clock.advance('1h')
    expect(await store.read(data)).toBeDefined()
    expect((await send(({ data }) => data.visits, cookie)).data).toBe(0)
    expect(await store.read(data)).toBeUndefined()
  })

  it('receives no idle time after the end of the session', async () => {
    const { app, send, calls } = await startSessions({ idle: '12h', absolute: '13h' })
    const { cookie } = await send((session) => session.login(USER))
    const begun = app.clock.now()
    await app.clock.advance('6h')
    await send(() => {}, cookie)
    const touched = calls.find(({ name }) => name === 'touch')
    expect(touched?.args[1]).toEqual({
      usedAt: begun + 6 * 3_600_000,
      idleAt: begun + 13 * 3_600_000,
    })
  })

  it.each<[string, unknown, number, string]>([
    ['an HTTP error of the server', new HttpError(503, 'busy', { code: 'BUSY' }), 503, 'BUSY'],
    ['an HTTP error of the client', new NotFoundError(), 503, 'SESSIONS_UNAVAILABLE'],
    ['nothing', undefined, 503, 'SESSIONS_UNAVAILABLE'],
  ])('causes a 503 response if it rejects with %s', async (_, error, status, code) => {
    const { send, store } = await startSessions()
    const { cookie } = await send((session) => session.login(USER))
    Object.assign(store, { read: () => Promise.reject(error) })
    const reply = await send(() => {}, cookie)
    expect([reply.status, reply.code]).toEqual([status, code])
  })
})

describe('the manager of sessions', () => {
  it('lists the sessions that have not ended, most recently used first, with their times', async () => {
    const { app, web, send } = await startSessions({ idle: '1h', absolute: '1d' })
    const list = () => app.get(web.manager).list('7')
    const cookies: string[] = []
    const begin = async () => {
      const { data, cookie } = await send(async (session) => {
        await session.login(USER)
        return session.id
      })
      cookies.push(cookie)
      return data
    }
    const begun = app.clock.now()
    const ended = await begin()
    await app.clock.advance('30m')
    const ids = [await begin()]
    await app.clock.advance('5m')
    ids.push(await begin())
    expect((await list()).map(({ id }) => id)).toEqual([ids[1], ids[0], ended])
    await app.clock.advance('25m')
    const rows = await list()
    expect(rows.map(({ id }) => id)).toEqual([ids[1], ids[0]])
    const at = (minutes: number) => new Date(begun + minutes * 60_000)
    expect(rows[1]).toEqual({
      id: ids[0],
      createdAt: at(30),
      usedAt: at(30),
      endsAt: at(30 + 24 * 60),
    })
    await send(() => {}, cookies[1])
    expect((await list()).map(({ id }) => id)).toEqual([ids[0], ids[1]])
  })

  it('ends and counts only sessions that have not expired', async () => {
    const { app, web, send } = await startSessions()
    const manager = app.get(web.manager)
    const begin = async () =>
      (
        await send(async (session) => {
          await session.login(USER)
          return session.id
        })
      ).data
    const expired = await begin()
    await begin()
    await app.clock.advance('25h')
    await begin()
    expect(await manager.revoke(7, expired)).toBe(false)
    expect(await manager.revokeAll(7)).toBe(1)
    expect(await manager.revokeAll(7)).toBe(0)
  })

  it('acts for the tenant of the argument', async () => {
    const { app, web, send } = await startSessions({}, { tenant: { authorize: () => true } })
    const manager = app.get(web.manager)
    const ids: Record<string, string> = {}
    for (const tenant of ['acme', 'globex']) {
      const { data } = await send(async (session) => {
        await runWithTenant(tenant, () => session.login(USER))
        return session.id
      })
      ids[tenant] = data
    }
    expect(await manager.list(7)).toEqual([])
    const acme = { tenant: 'acme' }
    expect((await manager.list(7, acme)).map(({ id }) => id)).toEqual([ids['acme']])
    expect(await manager.revoke(7, ids['globex'] as string, acme)).toBe(false)
    expect(await manager.revokeAll(7, { ...acme, except: ids['acme'] })).toBe(0)
    expect(await manager.revoke(7, ids['acme'] as string, acme)).toBe(true)
    expect(await manager.revokeAll(7)).toBe(0)
    expect(await manager.revokeAll(7, { tenant: 'globex' })).toBe(1)
  })
})
