import type { Clock } from '../../index.js'

/** The parts of a clock that this door reads. */
export type TimeSource = Pick<Clock, 'now' | 'monotonic'>

/** The time of the machine, for code that no application runs: tests that sign, and guards that call this guard. */
export const machineClock: TimeSource = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
