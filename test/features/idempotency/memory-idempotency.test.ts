import type { Clock } from 'blazon'
import { expect, it } from 'vitest'
import { memoryIdempotency } from '../../../src/features/idempotency/memory-idempotency.js'
import { describeIdempotencyStore } from '../../conformance/idempotency-store.js'

let now = 0
const clock = { now: () => now, setInterval: () => ({ cancel() {} }) } as unknown as Clock

async function open(most?: number) {
  const store = memoryIdempotency(most)
  const get = () => {
    throw new Error('unused')
  }
  const logger = { info() {}, warn() {}, error() {} }
  await store.open?.({ clock, get, logger, usesTenants: false })
  return { store, request: <T>(work: () => Promise<T>) => work(), end: async () => store.close?.() }
}

describeIdempotencyStore('memoryIdempotency()', () => open())

it('a full memoryIdempotency() refuses new keys and keeps its old keys until they expire', async () => {
  const { store } = await open(500)
  const claim = async (key: string) => await store.claim(key, 1000)
  const first = await claim('a')
  if (first.state === 'claimed') await first.keep('x'.repeat(150))
  await expect(claim('b')).rejects.toMatchObject({ status: 503, code: 'IDEMPOTENCY_UNAVAILABLE' })
  expect((await claim('a')).state).toBe('kept')
  now = 2000
  expect((await claim('b')).state).toBe('claimed')
  expect((await claim('c')).state).toBe('claimed')
  await expect(claim('d')).rejects.toMatchObject({ status: 503 })
})

it('memoryIdempotency() releases a key if its request does not end in time', async () => {
  const { store } = await open()
  const late = await store.claim('a', 1000)
  now += 1001
  const next = await store.claim('a', 1000)
  expect(next.state).toBe('claimed')
  if (late.state === 'claimed') {
    await late.keep('late')
    await late.free()
  }
  expect((await store.claim('a', 1000)).state).toBe('running')
})
