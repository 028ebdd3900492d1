import { expect, it } from 'vitest'
import { ObservedRequest } from '../../src/http/observed-request.js'

/** A request that began at 7.25 on the monotonic clock, and the two clocks, which the test moves. */
function observed(now: number) {
  const time = { now, monotonic: 7.25 }
  const clock = { now: () => time.now, monotonic: () => time.monotonic }
  return { time, request: new ObservedRequest(null, null, clock as never) }
}

it('the start of an observed request is a whole number of milliseconds, rounded up', () => {
  const { time, request } = observed(0)
  Object.assign(time, { now: 1000, monotonic: 12 })
  expect(request.startedAt).toBe(996)
})

it('the start of an observed request does not change after it was first read', () => {
  const { time, request } = observed(500)
  expect(request.startedAt).toBe(500)
  Object.assign(time, { now: 90_000, monotonic: 20 })
  expect(request.startedAt).toBe(500)
})

it('the start of an observed request is derived from its duration while it ends', () => {
  const { time, request } = observed(0)
  Object.assign(time, { now: 1000, monotonic: 300 })
  Object.assign(request, { isEnding: true, durationMs: 40 })
  expect(request.startedAt).toBe(960)
})
