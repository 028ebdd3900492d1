/**
 * Calls a function after `ms` milliseconds, unless the deadline is canceled. Uses real time, because a deadline limits
 * how long people and processes wait.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout

  constructor(ms: number, run: () => void) {
    this.#timer = setTimeout(run, ms)
  }

  cancel(): void {
    clearTimeout(this.#timer)
  }
}

/** Calls a function repeatedly until the returned function is called. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms)
  return () => clearInterval(timer)
}

/** Waits for a promise, but no longer than `ms` milliseconds. Never rejects. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let deadline: Deadline | undefined
  const limit = new Promise<void>((resolve) => {
    deadline = new Deadline(ms, resolve)
  })
  await Promise.race([work.catch(() => undefined), limit])
  deadline?.cancel()
}

/** Creates a stopwatch: a function that returns the whole milliseconds since its creation. */
export function stopwatch(): () => number {
  const start = performance.now()
  return () => Math.round(performance.now() - start)
}

/** Waits until the event loop has handled all events that have already arrived. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
