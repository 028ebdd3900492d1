import type { Clock } from 'blazon'
import { expect, it } from 'vitest'
import { memoryIdempotency } from '../../../src/features/idempotency/memory-idempotency.js'
import { describeIdempotencyStore } from '../../conformance/idempotency-store.js'

let now = 0
/** Runs the work that the store does at intervals. */
let sweep = () => {}
let isCancelled = false
const clock = {
  now: () => now,
  setInterval(run: () => void) {
    sweep = run
    isCancelled = false
    return {
      cancel() {
        isCancelled = true
      },
    }
  },
} as unknown as Clock

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
  now += 2000
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

it('memoryIdempotency() keeps a record until the exact end of its time', async () => {
  const { store } = await open()
  const first = await store.claim('a', 1000)
  if (first.state === 'claimed') await first.keep('record')
  now += 999
  expect((await store.claim('a', 1000)).state).toBe('kept')
  now += 1
  expect((await store.claim('a', 1000)).state).toBe('claimed')
})

it('memoryIdempotency() has room for exactly as many characters as its limit', async () => {
  const { store } = await open(400)
  for (const key of ['a', 'b']) expect((await store.claim(key, 1000)).state).toBe('claimed')
  await expect((async () => await store.claim('c', 1000))()).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '60' },
  })
})

it.each<[string, () => void]>([
  ['it is removed at an interval', () => sweep()],
  ['its key is claimed again', () => {}],
])('memoryIdempotency() can use the room of an expired record after %s', async (_, remove) => {
  const { store } = await open(1000)
  for (let i = 0; i < 10; i++) {
    const claim = await store.claim('a', 1000)
    if (claim.state === 'claimed') await claim.keep('x'.repeat(600))
    now += 1000
    remove()
  }
  expect((await store.claim('a', 1000)).state).toBe('claimed')
})

it('memoryIdempotency() does not count a record that comes too late', async () => {
  const { store } = await open(1000)
  const late = await store.claim('a', 1000)
  now += 1000
  sweep()
  if (late.state === 'claimed') await late.keep('x'.repeat(900))
  for (const key of ['b', 'c']) expect((await store.claim(key, 1000)).state).toBe('claimed')
})

it('memoryIdempotency() stops its timer when it closes', async () => {
  const { end } = await open()
  await end()
  expect(isCancelled).toBe(true)
})
