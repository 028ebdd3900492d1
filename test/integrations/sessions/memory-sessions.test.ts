import { memorySessions } from 'blazon/sessions'
import { describe, expect, it } from 'vitest'
import { describeSessionStore } from '../../conformance/session-store.js'
import { testContext } from '../redis/support.js'

const open = async (options?: Parameters<typeof memorySessions>[0]) => {
  const store = memorySessions(options)
  const { context, clock } = testContext()
  const get = () => {
    throw new Error('unused')
  }
  await store.open?.({ ...context, get, usesTenants: false })
  return { store, clock, end: async () => void (await store.close?.()) }
}

describeSessionStore('memorySessions()', open)

describe('memorySessions()', () => {
  const made = (id: string, more = {}) => ({
    id,
    fields: {},
    userKey: null,
    user: null,
    tenant: null,
    createdAt: 0,
    usedAt: 0,
    idleAt: Number.MAX_SAFE_INTEGER,
    endsAt: Number.MAX_SAFE_INTEGER,
    ...more,
  })

  it('removes anonymous sessions before user sessions when it is full', async () => {
    const { store } = await open({ maxSessions: 3 })
    await store.create(made('user', { userKey: 'u', user: '1' }))
    for (let i = 0; i < 1000; i++) await store.create(made(`crawler ${i}`))
    expect(await store.read('user')).toBeDefined()
    expect(await store.read('crawler 997')).toBeUndefined()
    expect(await store.read('crawler 998')).toBeDefined()
    expect(await store.read('crawler 999')).toBeDefined()
  })

  it('removes the least recently used session when it is full', async () => {
    const { store } = await open({ maxSessions: 2 })
    for (const id of ['a', 'b']) await store.create(made(id, { userKey: id, user: '1' }))
    await store.touch('a', { usedAt: 1, idleAt: Number.MAX_SAFE_INTEGER })
    await store.create(made('c', { userKey: 'c', user: '1' }))
    expect(await store.read('a')).toBeDefined()
    expect(await store.list('a')).toHaveLength(1)
    expect(await store.read('b')).toBeUndefined()
  })

  it('counts a changed session as used when it is full', async () => {
    const { store } = await open({ maxSessions: 2 })
    for (const id of ['a', 'b']) await store.create(made(id))
    const times = { usedAt: 1, idleAt: Number.MAX_SAFE_INTEGER }
    await store.write('a', { set: { x: '1' }, expected: {}, ...times })
    await store.create(made('c'))
    expect(await store.read('b')).toBeUndefined()
    expect((await store.read('a'))?.fields).toEqual({ x: '1' })
  })

  it('contains 10,000 sessions by default', async () => {
    const { store } = await open()
    for (let i = 0; i < 10_001; i++) await store.create(made(`${i}`))
    expect(await store.read('0')).toBeUndefined()
    expect(await store.read('1')).toBeDefined()
  })

  it('removes at most two expired sessions of each kind for a new session', async () => {
    const { store, clock } = await open()
    await clock.advance(0)
    const idleAt = clock.now() + 1000
    const ids = ['1', '2', '3'].flatMap((n) => [`anonymous ${n}`, `user ${n}`])
    for (const id of ids)
      await store.create(made(id, { idleAt, userKey: id.startsWith('user') ? id : null }))
    await clock.advance('999ms')
    await store.create(made('early'))
    expect(await store.read('anonymous 1')).toBeDefined()
    await clock.advance('1ms')
    await store.create(made('new'))
    const left = []
    for (const id of ids) if ((await store.read(id)) !== undefined) left.push(id)
    expect(left).toEqual(['anonymous 3', 'user 3'])
  })

  it('removes expired sessions, with their users', async () => {
    const { store, clock } = await open()
    const idleAt = clock.now() + 1000
    await store.create(made('a', { userKey: 'u', user: '1', idleAt }))
    await clock.advance(1)
    await store.create(made('b'))
    expect(await store.read('a')).toBeUndefined()
    expect(await store.list('u')).toEqual([])
  })

  it.each([0, -1, 1.5, Number.NaN, '3'])('refuses a maximum of %s sessions', (maxSessions) => {
    expect(() => memorySessions({ maxSessions: maxSessions as number })).toThrow(RangeError)
  })

  it('has the same maximum in each application', async () => {
    const store = memorySessions({ maxSessions: 1 }).forApplication?.()
    for (const id of ['a', 'b']) await store?.create(made(id))
    expect([await store?.read('a'), (await store?.read('b'))?.id]).toEqual([undefined, 'b'])
  })

  it('keeps the sessions of two applications separate', async () => {
    const { store } = await open()
    await store.create(made('a'))
    expect(await store.forApplication?.().read('a')).toBeUndefined()
  })
})
