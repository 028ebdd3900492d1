/**
 * Returns a description of an error for logs. The message is omitted, because it can contain passwords: the server
 * repeats the arguments of an unknown command, and Node repeats a URL that it cannot parse.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code === 'string') return code
  // Server errors begin with a word in capitals, such as `OOM`, `NOAUTH` or `WRONGPASS`.
  return /^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? error.constructor.name
}

/** Whether the error is an error reply from the server. */
export function isServerError(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{2,20} /.test(error.message)
}

/**
 * Whether the server does not have the script for an `EVALSHA`, because it has never run the script or has restarted
 * since.
 */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT ')
}

/**
 * The first words of error replies from a server that cannot do its work: a replica after a failover, a server that is
 * starting or has lost its primary or its replicas, a cluster with missing slots, or a connection without a login. If a
 * command in a script fails, Redis 6 puts other words before the error.
 */
const UNFIT =
  /^(?:ERR Error running script .*-)?(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|NOAUTH|NOREPLICAS) /

/**
 * Returns the first word of an error reply if the connection caused the error, not the command; otherwise `undefined`.
 * After such an error, a new connection to the same host name may reach a working server.
 */
export function unfitness(error: unknown): string | undefined {
  return error instanceof Error ? UNFIT.exec(error.message)?.[1] : undefined
}

/**
 * Calls `expire` after `ms` milliseconds, unless the returned function is called first. Uses Node's timers instead of
 * the application's clock, because a fake clock does not make the network faster.
 */
export function startDeadline(ms: number, expire: () => void): () => void {
  let isOver = false
  // A reply may have arrived while this process was busy, and the deadline should limit Redis, not this process. With
  // `setImmediate`, Node reads such a reply first.
  const timer = setTimeout(() => setImmediate(() => isOver || expire()), ms)
  timer.unref()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** Waits for a promise for at most `ms` milliseconds. Never rejects. */
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

const FAILURES = 5

/**
 * Counts late replies from Redis. While the breaker is open, the link sends no commands, because they would only wait
 * for the deadline.
 */
export class Breaker {
  #failures = 0

  /** Whether each of the last five replies was late or missing. */
  get isOpen(): boolean {
    return this.#failures >= FAILURES
  }

  /** Reports that a reply arrived before the deadline. */
  succeed(): void {
    if (!this.isOpen) this.#failures = 0
  }

  /** Reports that a reply did not arrive before the deadline. */
  fail(): void {
    this.#failures++
  }

  reset(): void {
    this.#failures = 0
  }
}
