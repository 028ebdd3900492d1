import type { SessionStore } from 'blazon'
import { redisSessions } from 'blazon/redis'
import { createClient } from 'redis'
import { expect, it, onTestFinished } from 'vitest'
import { describeWithRedis, ownPrefix, url } from './server.js'
import { testContext } from './support.js'

const HOUR = 3_600_000

/** @param before Called before each command that creates a session. */
async function open(before: (store: SessionStore) => Promise<void> = async () => {}) {
  const prefix = ownPrefix()
  const client = createClient({ url })
  const withTypeMapping = client.withTypeMapping.bind(client)
  client.withTypeMapping = (mapping: never) => {
    const mapped = withTypeMapping(mapping)
    const send = mapped.sendCommand.bind(mapped)
    mapped.sendCommand = async (words, ...rest) => {
      // Only this command contains the names of the fields.
      if (words.includes('endsAt')) await before(store)
      return await send(words, ...rest)
    }
    return mapped as never
  }
  const store = redisSessions({ client: client as never, prefix, timeout: '10s' })
  const get = () => {
    throw new Error('unused')
  }
  await store.open?.({ ...testContext().context, get, usesTenants: false })
  const redis = await createClient({ url }).connect()
  onTestFinished(async () => {
    await store.removeAll('user')
    await store.close?.()
    redis.destroy()
  })
  /** A session that ends after so many hours, and earlier if it is not used. */
  const create = async (id: string, hours: number) => {
    const times = { createdAt: 0, usedAt: 0, idleAt: HOUR / 2, endsAt: hours * HOUR }
    await store.create({ id, fields: {}, userKey: 'user', user: '7', tenant: null, ...times })
  }
  /** How long Redis keeps a key from now on, in hours, rounded up. */
  const left = async (key: string) => Math.ceil((await redis.pTTL(`${prefix}${key}`)) / HOUR)
  const listed = () => redis.sMembers(`${prefix}sessions:user`)
  const lose = (id: string) => redis.del(`${prefix}session:${id}`)
  return { store, create, left, listed, lose }
}

describeWithRedis('the sessions of a user in Redis', () => {
  it('are listed until the last of them ends, however long each was used', async () => {
    const { store, create, left, lose } = await open()
    await create('long', 9)
    await create('short', 2)
    expect([await left('session:long'), await left('sessions:user')]).toEqual([1, 9])
    await store.touch('long', { usedAt: 0, idleAt: 8 * HOUR })
    await store.write('short', { set: { a: '1' }, expected: {}, usedAt: 0, idleAt: 2 * HOUR })
    expect([await left('session:long'), await left('session:short')]).toEqual([8, 2])
    expect(await left('sessions:user')).toBe(9)
    await create('lost', 2)
    await lose('lost')
    expect(await store.removeAll('user')).toBe(2)
  })

  it('are listed even if the list was read while a session was being created', async () => {
    const lengths: number[] = []
    const { store, create } = await open(async (store) => {
      lengths.push((await store.list('user')).length)
    })
    await create('new', 2)
    expect(lengths[0]).toBe(0)
    expect((await store.list('user')).map(({ id }) => id)).toEqual(['new'])
  })

  it('leave no ID in the list after they have ended or were removed', async () => {
    const { store, create, listed, lose } = await open()
    for (const id of ['ended', 'taken', 'removed', 'kept']) await create(id, 2)
    await lose('ended')
    expect((await store.list('user')).map(({ id }) => id).sort()).toEqual([
      'kept',
      'removed',
      'taken',
    ])
    expect((await listed()).sort()).toEqual(['kept', 'removed', 'taken'])
    await store.take('taken')
    expect((await listed()).sort()).toEqual(['kept', 'removed'])
    expect(await store.removeAll('user', 'kept')).toBe(1)
    expect(await listed()).toEqual(['kept'])
    expect(await store.take('taken')).toBeUndefined()
  })

  it('are listed until the last session ends, even if the first session ends earlier', async () => {
    const { create, left } = await open()
    await create('short', 2)
    await create('long', 9)
    expect(await left('sessions:user')).toBe(9)
  })
})
