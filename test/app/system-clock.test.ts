import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/app/system-clock.js'

afterEach(() => vi.useRealTimers())

describe('the system clock', () => {
  it('has timers that do not keep the process alive', () => {
    const count = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = count()
    const timers = [systemClock.setTimeout(() => {}, 1000), systemClock.setInterval(() => {}, 1000)]
    expect(count()).toBe(before)
    for (const timer of timers) timer.cancel()
  })

  it('uses the time of fake timers while they are installed', () => {
    vi.useFakeTimers()
    const start = systemClock.monotonic()
    vi.advanceTimersByTime(10_000)
    expect(systemClock.monotonic() - start).toBe(10_000)
    vi.useRealTimers()
    const real = performance.now()
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(real)
  })

  it('supports delays that exceed the maximum of Node', () => {
    vi.useFakeTimers()
    const month = 30 * 86_400_000
    let isDue = false
    systemClock.setTimeout(() => {
      isDue = true
    }, month)
    vi.advanceTimersByTime(month - 1)
    expect(isDue).toBe(false)
    vi.advanceTimersByTime(1)
    expect(isDue).toBe(true)
  })

  it('calls an interval until it is canceled, even by its own callback', () => {
    vi.useFakeTimers()
    let count = 0
    const timer = systemClock.setInterval(() => {
      if (++count === 3) timer.cancel()
    }, 10)
    vi.advanceTimersByTime(100)
    expect(count).toBe(3)
  })

  it('allows a long delay to be canceled at any time, even twice', () => {
    vi.useFakeTimers()
    const timer = systemClock.setTimeout(() => expect.unreachable(), 2 ** 32)
    vi.advanceTimersByTime(2 ** 31 + 10)
    timer.cancel()
    timer.cancel()
    vi.advanceTimersByTime(2 ** 33)
    expect(vi.getTimerCount()).toBe(0)
  })
})
