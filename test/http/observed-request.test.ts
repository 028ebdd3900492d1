import { expect, it } from 'vitest'
import { ObservedRequest } from '../../src/http/observed-request.js'
import { kTenantScope } from '../../src/http/symbol-fields.js'

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

it.each([
  [{ id: 'acme', claim: 'acme' }, ['acme', undefined]],
  [{ id: undefined, claim: 'zeta' }, [undefined, 'zeta']],
  [undefined, [undefined, undefined]],
])('an observed request has either a tenant or the claimed tenant: %j', (scope, tenants) => {
  const clock = { now: () => 0, monotonic: () => 0 }
  const { tenant, claimedTenant } = new ObservedRequest(
    { [kTenantScope]: scope } as never,
    null,
    clock as never,
  )
  expect([tenant, claimedTenant]).toEqual(tenants)
})
