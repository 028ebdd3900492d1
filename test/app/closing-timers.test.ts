import { describe, expect, it } from 'vitest'
import { settlesWithin } from '../../src/app/closing.js'

/** A clock whose timers never fire, and that counts the running ones. */
function clockOf() {
  const running = new Set<object>()
  const setTimeout = () => {
    const timer = { cancel: () => void running.delete(timer) }
    running.add(timer)
    return timer
  }
  return { running, clock: { setTimeout, now: () => 0, monotonic: () => 0 } as never }
}

describe('the time limit of a hook', () => {
  it('ends with the hook, so that it does not keep the process running', async () => {
    const { running, clock } = clockOf()
    expect(await settlesWithin({ clock, ms: 5000 }, Promise.resolve())).toBe(true)
    expect(running.size).toBe(0)
    const failed = settlesWithin({ clock, ms: 5000 }, Promise.reject(new Error('hook')))
    await expect(failed).rejects.toThrow('hook')
    expect(running.size).toBe(0)
  })
})
