/**
 * Calls `expire` once `ms` milliseconds have passed, unless the function it gives back is called before. Node's own
 * time, not the application's: no clock makes the other end of a socket quicker.
 */
export function startDeadline(ms: number, expire: () => void): () => void {
  let isOver = false
  // What has arrived while this process was busy is read first: the deadline is for Redis, not for us.
  const timer = setTimeout(() => setImmediate(() => isOver || expire()), ms)
  timer.unref()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** Waits for a promise, but no longer than `ms` milliseconds. Never rejects. */
export function waitAtMost(
  ms: number,
  promise: Promise<unknown> = Promise.resolve(),
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = startDeadline(ms, resolve)
    const end = () => {
      cancel()
      resolve()
    }
    promise.then(end, end)
  })
}
