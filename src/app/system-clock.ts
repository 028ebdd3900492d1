import type { Clock, Timer } from '../contracts/clock.js'

/** The longest time that Node's timers accept. Longer timers fire after 1 ms. */
const LONGEST_MS = 2 ** 31 - 1

// Node defines `performance` with a getter. Calling the getter took 220 of the 320 instructions of `performance.now()`,
// counted in a loop on Node 20. An observed request reads the clock twice (`bench:features -- --count --only metrics`).
const { performance: loaded, Date: LoadedDate } = globalThis

/** The system clock. */
export const systemClock: Clock = {
  // Looks up `Date.now` at each call, so that fake timers of a test runner take effect.
  now: () => Date.now(),
  // Fake timers of a test runner replace `performance` together with `Date`, and comparing `Date` costs almost nothing.
  monotonic: () => (Date === LoadedDate ? loaded : performance).now(),
  setTimeout: (run, ms) => new SystemTimer(run, ms),
  setInterval(run, ms) {
    let timer: Timer
    const repeat = () => {
      timer = new SystemTimer(repeat, ms)
      run()
    }
    timer = new SystemTimer(repeat, ms)
    return { cancel: () => timer.cancel() }
  },
}

class SystemTimer implements Timer {
  #handle: NodeJS.Timeout

  constructor(run: () => void, ms: number) {
    this.#handle = this.#wait(run, ms)
  }

  cancel(): void {
    clearTimeout(this.#handle)
  }

  #wait(run: () => void, ms: number): NodeJS.Timeout {
    if (ms <= LONGEST_MS) return setTimeout(run, ms).unref()
    const goOn = () => {
      this.#handle = this.#wait(run, ms - LONGEST_MS)
    }
    return setTimeout(goOn, LONGEST_MS).unref()
  }
}
