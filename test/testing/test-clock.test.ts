import { AsyncLocalStorage } from 'node:async_hooks'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestClock } from '../../src/testing/test-clock.js'

let clock: TestClock
let rung: string[]
beforeEach(() => {
  clock = new TestClock()
  rung = []
})

const ring = (name: string) => () => void rung.push(name)

describe('a test clock that was never advanced', () => {
  it('shows real time', () => {
    const before = Date.now()
    expect(clock.now()).toBeGreaterThanOrEqual(before)
    expect(clock.now()).toBeLessThanOrEqual(Date.now())
    const first = clock.monotonic()
    expect(clock.monotonic()).toBeGreaterThanOrEqual(first)
  })

  it('runs timers in real time, and intervals until they are canceled', async () => {
    await new Promise<void>((resolve) => {
      clock.setTimeout(ring('once'), 1)
      const timer = clock.setInterval(() => {
        if (rung.push('again') < 4) return
        timer.cancel()
        resolve()
      }, 3)
    })
    expect(rung.filter((name) => name === 'once')).toEqual(['once'])
    expect(rung.length).toBe(4)
  })
})

describe('advance', () => {
  it('moves the wall-clock and the monotonic time by the same duration, and then stops both', async () => {
    await clock.advance(0)
    const [now, monotonic] = [clock.now(), clock.monotonic()]
    await clock.advance('15m')
    expect([clock.now() - now, clock.monotonic() - monotonic]).toEqual([900_000, 900_000])
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(clock.now()).toBe(now + 900_000)
  })

  it('runs due timers in order, each at the time for which it was set', async () => {
    await clock.advance(0)
    const start = clock.monotonic()
    const at = (name: string) => () => void rung.push(`${name} ${clock.monotonic() - start}`)
    clock.setTimeout(at('late'), 3000)
    clock.setTimeout(at('early'), 1000)
    clock.setTimeout(at('as early, but later set'), 1000)
    clock.setInterval(at('interval'), 1500)
    clock.setTimeout(at('never'), 3001)
    await clock.advance(3)
    expect(rung).toEqual([
      'early 1000',
      'as early, but later set 1000',
      'interval 1500',
      'late 3000',
      'interval 3000',
    ])
  })

  it('also runs timers that were set in real time', async () => {
    clock.setTimeout(ring('timer'), 60_000)
    await clock.advance('61s')
    expect(rung).toEqual(['timer'])
  })

  it('waits for promises to settle before it runs the next timer', async () => {
    clock.setTimeout(async () => {
      for (let i = 0; i < 50; i++) await undefined
      rung.push('first, after a while')
    }, 1)
    clock.setTimeout(ring('second'), 2)
    await clock.advance(1)
    expect(rung).toEqual(['first, after a while', 'second'])
  })

  it('runs timers that another timer has set', async () => {
    await clock.advance(0)
    clock.setTimeout(() => clock.setTimeout(ring('inner'), 1000), 1000)
    await clock.advance(1.999)
    expect(rung).toEqual([])
    await clock.advance('1ms')
    expect(rung).toEqual(['inner'])
  })

  it('does not run a canceled timer, even if the previous timer has canceled it', async () => {
    await clock.advance(0)
    const second = clock.setTimeout(ring('second'), 1000)
    clock.setTimeout(() => second.cancel(), 999)
    const interval = clock.setInterval(() => interval.cancel(), 10)
    await clock.advance(2)
    expect(rung).toEqual([])
  })

  it('finishes even with an interval of 0 ms', async () => {
    await clock.advance(0)
    clock.setInterval(ring('tick'), 0)
    await clock.advance('5ms')
    expect(rung).toHaveLength(5)
  })

  it('waits for the previous call of advance', async () => {
    clock.setTimeout(ring('first'), 1000)
    clock.setTimeout(ring('second'), 2000)
    const start = clock.monotonic()
    await Promise.all([clock.advance(1), clock.advance(1)])
    expect(rung).toEqual(['first', 'second'])
    expect(clock.monotonic() - start).toBeGreaterThanOrEqual(2000)
  })

  it('runs a timer in the async context in which it was set', async () => {
    const context = new AsyncLocalStorage<string>()
    context.run('setter', () => clock.setTimeout(() => rung.push(String(context.getStore())), 1))
    await context.run('advancer', () => clock.advance(1))
    expect(rung).toEqual(['setter'])
  })

  it('rejects with the error of a timer, and works again afterwards', async () => {
    clock.setTimeout(() => {
      throw new Error('broken timer')
    }, 10)
    await expect(clock.advance(1)).rejects.toThrow('broken timer')
    clock.setTimeout(ring('after'), 10)
    await clock.advance(1)
    expect(rung).toEqual(['after'])
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '15', '15 parsecs', '', undefined, null])(
    'rejects the duration %s',
    async (duration) => {
      const failure = await clock.advance(duration as never).catch((error) => error)
      expect(failure).toBeInstanceOf(TypeError)
      expect(failure.message).toContain(`${duration} is not a duration`)
    },
  )
})

describe('the wall-clock time', () => {
  it.each([new Date('2030-01-31T12:00:00Z'), '2030-01-31T12:00:00Z', Date.UTC(2030, 0, 31, 12)])(
    'can be set to %s',
    (date) => {
      clock.set(date)
      expect(new Date(clock.now()).toISOString()).toBe('2030-01-31T12:00:00.000Z')
    },
  )

  it('can be set without running a timer or changing the monotonic time', async () => {
    clock.setTimeout(ring('timer'), 60_000)
    clock.set('2099-01-01')
    const before = clock.monotonic()
    clock.set('1999-01-01')
    await clock.advance('59s')
    expect(rung).toEqual([])
    expect(clock.monotonic() - before).toBe(59_000)
    expect(clock.now()).toBe(Date.UTC(1999, 0, 1, 0, 0, 59))
  })

  it.each([new Date('yesterday'), 'yesterday', Number.NaN, undefined])(
    'cannot be set to %s',
    (date) => {
      expect(() => clock.set(date as never)).toThrow(TypeError)
      expect(() => clock.set(date as never)).toThrow(/is not a date/)
    },
  )

  it('is a whole number of milliseconds in timers that were set in real time', async () => {
    const clock = new TestClock()
    const seen: number[] = []
    // Set at different fractions of a millisecond.
    for (let count = 0; count < 20; count++) clock.setTimeout(() => seen.push(clock.now()), 1000)
    await clock.advance('2s')
    expect(seen).toHaveLength(20)
    expect(seen.filter((now) => !Number.isInteger(now))).toEqual([])
  })
})
