import { randomUUID } from 'node:crypto'
import type { SessionStore } from 'blazon'
import type { SessionRecord } from 'blazon/plugin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** An open store, and how the test ends it. */
export interface SessionStoreUnderTest {
  readonly store: SessionStore
  end(): Promise<void>
}

/** The conformance suite of `SessionStore`. Other tests may use the store, so each test uses new ids and users. */
export function describeSessionStore(name: string, open: () => Promise<SessionStoreUnderTest>) {
  describe(`${name} as a SessionStore`, () => {
    let under: SessionStoreUnderTest
    let store: SessionStore
    let user: string
    beforeEach(async () => {
      under = await open()
      store = under.store
      user = JSON.stringify([null, randomUUID()])
    })
    afterEach(() => under.end())

    const NOW = Date.now()
    const record = (more: Partial<SessionRecord> = {}): SessionRecord => ({
      id: randomUUID(),
      fields: { cart: '["a"]' },
      userKey: user,
      user: '{"id":7}',
      tenant: 'acme',
      createdAt: NOW,
      usedAt: NOW,
      // In a month, because another test may have moved the clock of the store.
      idleAt: NOW + 30 * 86_400_000,
      endsAt: NOW + 60 * 86_400_000,
      ...more,
    })
    const create = async (more?: Partial<SessionRecord>) => {
      const made = record(more)
      await store.create(made)
      return made
    }
    const times = { usedAt: NOW + 1000, idleAt: NOW + 601_000 }
    const write = (
      id: string,
      set: Record<string, string | null>,
      expected: Record<string, string | null> = {},
    ) => store.write(id, { set, expected, ...times })

    it('returns a session unchanged', async () => {
      const whole = await create()
      expect(await store.read(whole.id)).toEqual(whole)
      const anonymous = await create({ userKey: null, user: null, tenant: null, fields: {} })
      expect(await store.read(anonymous.id)).toEqual(anonymous)
    })

    it('returns no session for an id that was never created', async () => {
      const id = randomUUID()
      expect(await store.read(id)).toBeUndefined()
      expect(await store.take(id)).toBeUndefined()
      expect(await write(id, { a: '1' })).toBe('gone')
      await store.touch(id, times)
      expect(await store.read(id)).toBeUndefined()
    })

    it.each([
      ['the names of inherited properties', '__proto__', '{"constructor":1}'],
      ['quotes and backslashes', 'a"\\b', '"\\u0000\\\\\\""'],
      ['characters of several bytes', 'ключ 🔑', '"日本語 🔑"'],
      ['an empty name', '', 'null'],
      ['the name of a session property', 'userKey', '"=-"'],
      ['a string that looks like no value', '-', '"-"'],
    ])('keeps values with %s', async (_, field, text) => {
      const { id } = await create({ fields: Object.fromEntries([[field, text]]) })
      const read = await store.read(id)
      expect(Object.entries(read?.fields ?? {})).toEqual([[field, text]])
      const set = Object.fromEntries([[field, '2']])
      expect(await write(id, set, Object.fromEntries([[field, text]]))).toBe('written')
      expect(Object.entries((await store.read(id))?.fields ?? {})).toEqual([[field, '2']])
    })

    it('writes and removes the given values, and keeps the other values', async () => {
      const { id } = await create({ fields: { a: '1', b: '2', c: '3' } })
      expect(await write(id, { a: '"new"', b: null, d: '4' })).toBe('written')
      expect(await store.read(id)).toMatchObject({
        fields: { a: '"new"', c: '3', d: '4' },
        ...times,
      })
      expect((await store.read(id))?.fields).not.toHaveProperty('b')
    })

    it('writes nothing if one value differs from the expected value', async () => {
      const made = await create({ fields: { a: '1', b: '2' } })
      expect(await write(made.id, { a: '9', b: '9' }, { a: '1', b: '1' })).toBe('conflict')
      expect(await write(made.id, { a: '9' }, { a: null })).toBe('conflict')
      expect(await write(made.id, { c: '9' }, { c: 'null' })).toBe('conflict')
      expect(await store.read(made.id)).toEqual(made)
    })

    it('keeps each of 50 parallel writes of different values', async () => {
      const { id } = await create({ fields: {} })
      const names = Array.from({ length: 50 }, (_, index) => `n${index}`)
      const all = names.map((field) => write(id, { [field]: '1' }, { [field]: null }))
      expect(new Set(await Promise.all(all))).toEqual(new Set(['written']))
      expect(Object.keys((await store.read(id))?.fields ?? {}).sort()).toEqual(names.sort())
    })

    it('accepts one of 20 parallel writes of the same field, and rejects the others', async () => {
      const { id } = await create({ fields: { a: '0' } })
      const all = Array.from({ length: 20 }, (_, index) =>
        write(id, { a: String(index + 1) }, { a: '0' }),
      )
      const results = await Promise.all(all)
      expect(results.filter((result) => result === 'written')).toHaveLength(1)
      expect(results.filter((result) => result === 'conflict')).toHaveLength(19)
      const winner = String(results.indexOf('written') + 1)
      expect((await store.read(id))?.fields).toEqual({ a: winner })
    })

    it('returns a session, with its latest values, to only one of 20 parallel take() calls', async () => {
      const { id } = await create()
      await write(id, { late: '1' })
      const taken = await Promise.all(Array.from({ length: 20 }, () => store.take(id)))
      const found = taken.filter((each) => each !== undefined)
      expect(found).toHaveLength(1)
      expect(found[0]?.fields).toEqual({ cart: '["a"]', late: '1' })
    })

    it('does not restore a session that was taken', async () => {
      const { id } = await create()
      await store.take(id)
      await store.touch(id, times)
      expect(await write(id, { a: '1' })).toBe('gone')
      expect(await store.read(id)).toBeUndefined()
      expect(await store.list(user)).toEqual([])
    })

    it('records the last use of a session', async () => {
      const made = await create()
      await store.touch(made.id, times)
      expect(await store.read(made.id)).toEqual({ ...made, ...times })
    })

    it('lists and removes the sessions of one user', async () => {
      const [one, two] = [await create(), await create()]
      const other = await create({ userKey: JSON.stringify([null, randomUUID()]) })
      const anonymous = await create({ userKey: null, user: null })
      const ids = async () => (await store.list(user)).map(({ id }) => id).sort()
      expect(await ids()).toEqual([one.id, two.id].sort())
      expect(await store.removeAll(user, one.id)).toBe(1)
      expect(await ids()).toEqual([one.id])
      expect(await store.removeAll(user)).toBe(1)
      expect(await store.removeAll(user)).toBe(0)
      expect(await store.read(one.id)).toBeUndefined()
      expect(await store.read(other.id)).toEqual(other)
      expect(await store.read(anonymous.id)).toEqual(anonymous)
    })

    it('distinguishes users with similar keys', async () => {
      const keys = ['*', '', ' ', 'a:b', 'а', 'a', `${'x'.repeat(600)}1`, `${'x'.repeat(600)}2`]
      for (const key of keys) await create({ userKey: user + key, user: JSON.stringify(key) })
      for (const key of keys) {
        const found = (await store.list(user + key)).map((each) => each.user)
        expect(found).toEqual([JSON.stringify(key)])
      }
    })
  })
}
