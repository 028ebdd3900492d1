import { AsyncResource } from 'node:async_hooks'
import { systemClock } from '../app/system-clock.js'
import type { Clock, Timer } from '../contracts/clock.js'
import type { Duration } from '../contracts/limits.js'
import { toSeconds } from '../http/units.js'
import { settle } from './settle.js'

/**
 * A timer: the time on the monotonic clock at which it is due, and the real timer that runs it while the clock shows
 * real time.
 */
interface Alarm {
  dueAt: number
  real: Timer | undefined
  readonly ring: () => void
}

/**
 * The clock of an application under test. It shows real time until the first `advance` or `set`. From then on, the
 * clock is stopped, and only these two methods change it.
 *
 * @example
 * await app.clock.advance('15m')
 */
export class TestClock implements Clock {
  readonly #alarms = new Set<Alarm>()
  #stopped: { now: number; monotonic: number } | undefined
  #advancing: Promise<void> = Promise.resolve()

  /** The current time, in milliseconds since 1970. */
  now(): number {
    // The time is rounded, because timers that were set before the clock stopped can be due at fractions of a
    // millisecond.
    return this.#stopped === undefined ? systemClock.now() : Math.round(this.#stopped.now)
  }

  /** Milliseconds since an unspecified start; `set` does not change this time. */
  monotonic(): number {
    return this.#stopped?.monotonic ?? systemClock.monotonic()
  }

  /**
   * Advances the clock. Timers that become due run in order, each at its due time. Before the next timer runs, promises
   * settle and responses arrive, unless they depend on something outside the process.
   *
   * @param duration Seconds, or a string with a unit (`'250ms'`, `'15m'`).
   * @returns a promise that resolves when the time has passed. A second call waits for the first one.
   * @throws TypeError if `duration` is not a duration; the error of a timer's function.
   */
  advance(duration: Duration): Promise<void> {
    const seconds = toSeconds(duration)
    if (seconds === undefined) {
      const advice =
        "Pass seconds, or a string such as '250ms', '15m' or '1d'; the time cannot go back."
      return Promise.reject(new TypeError(`advance(): ${duration} is not a duration. ${advice}`))
    }
    const passed = this.#advancing.then(() => this.#pass(Math.round(seconds * 1000)))
    this.#advancing = passed.catch(() => {})
    return passed
  }

  /**
   * Sets the date of the clock, forwards or backwards. No time passes, so no timers run.
   *
   * @throws TypeError if `date` is not a date.
   */
  set(date: Date | string | number): void {
    const now = new Date(date).getTime()
    if (Number.isNaN(now)) {
      throw new TypeError(`set(): ${String(date)} is not a date. Pass a Date, or '2030-01-31'.`)
    }
    this.#stop().now = now
  }

  setTimeout(run: () => void, ms: number): Timer {
    return this.#add(ms, (alarm) => {
      this.#alarms.delete(alarm)
      run()
    })
  }

  setInterval(run: () => void, ms: number): Timer {
    // Node uses 1 ms for shorter intervals. With an interval of 0, `advance` would never end.
    const every = Math.max(1, ms)
    return this.#add(every, (alarm) => {
      this.#schedule(alarm, alarm.dueAt + every)
      run()
    })
  }

  #add(ms: number, ring: (alarm: Alarm) => void): Timer {
    // Each timer runs in the async context in which it was set, not in the context of the test that calls `advance`.
    const alarm: Alarm = { dueAt: 0, real: undefined, ring: AsyncResource.bind(() => ring(alarm)) }
    this.#schedule(alarm, this.monotonic() + Math.max(0, ms))
    return {
      cancel: () => {
        alarm.real?.cancel()
        this.#alarms.delete(alarm)
      },
    }
  }

  #schedule(alarm: Alarm, dueAt: number): void {
    alarm.dueAt = dueAt
    this.#alarms.add(alarm)
    if (this.#stopped !== undefined) return
    alarm.real = systemClock.setTimeout(alarm.ring, dueAt - this.monotonic())
  }

  #stop(): { now: number; monotonic: number } {
    // Whole milliseconds are stored, so that their sums are exact.
    this.#stopped ??= { now: this.now(), monotonic: Math.ceil(this.monotonic()) }
    for (const alarm of this.#alarms) alarm.real?.cancel()
    return this.#stopped
  }

  async #pass(ms: number): Promise<void> {
    const time = this.#stop()
    const end = time.monotonic + ms
    // A request that has just been sent has not set its timers yet.
    await settle()
    for (let alarm = this.#next(end); alarm !== undefined; alarm = this.#next(end)) {
      const step = Math.max(0, alarm.dueAt - time.monotonic)
      time.monotonic += step
      time.now += step
      alarm.ring()
      await settle(1)
    }
    time.now += end - time.monotonic
    time.monotonic = end
    await settle()
  }

  /** The next timer that is due by `end`; if several are due at the same time, the timer that was set first. */
  #next(end: number): Alarm | undefined {
    let next: Alarm | undefined
    for (const alarm of this.#alarms) {
      if (alarm.dueAt <= end && alarm.dueAt < (next?.dueAt ?? Number.POSITIVE_INFINITY))
        next = alarm
    }
    return next
  }
}
