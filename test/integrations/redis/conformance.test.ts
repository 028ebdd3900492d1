import { redisIdempotency, redisSessions } from 'blazon/redis'
import { afterAll } from 'vitest'
import { describeIdempotencyStore } from '../../conformance/idempotency-store.js'
import { describeSessionStore } from '../../conformance/session-store.js'
import { opened } from './opened.js'
import { describeWithRedis, ownPrefix, url } from './server.js'

describeWithRedis('Redis', () => {
  const prefix = ownPrefix()
  const options = { url, prefix, timeout: '10s' }
  const [records, sessions] = [redisIdempotency(options), redisSessions(options)]
  const ends: (() => Promise<void>)[] = []
  const opening = new Map<object, Promise<unknown>>()
  /** Opens a store before its first test. It closes after the last test. */
  async function open(store: Parameters<typeof opened>[0]): Promise<void> {
    const begun = opening.get(store) ?? opened(store, prefix).then((end) => ends.push(end))
    opening.set(store, begun)
    await begun
  }
  const end = async () => {}

  afterAll(async () => {
    for (const each of ends) await each()
  })

  describeIdempotencyStore('redisIdempotency()', async () => {
    await open(records)
    return { store: records, request: (work) => work(), end }
  })

  describeSessionStore('redisSessions()', async () => {
    await open(sessions)
    return { store: sessions, end }
  })
})
