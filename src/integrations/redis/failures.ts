/**
 * A description of an error for logs. It leaves out the message: for an unknown command the server's message
 * repeats the arguments, passwords included, and Node repeats a URL that it cannot parse.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code === 'string') return code
  // Errors of the server begin with a word in capitals: `OOM`, `NOAUTH`, `WRONGPASS`.
  return /^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? error.constructor.name
}

/** Whether the error is an error reply of the server. */
export function isServerError(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{2,20} /.test(error.message)
}

/**
 * Whether the server does not have the script of an `EVALSHA`: it never ran the script, or has restarted since.
 */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT ')
}

/**
 * The first words of replies of a server that cannot do its work, though it replies: a replica after a failover, a server
 * that starts, one that has lost its primary or its replicas, a cluster without some slots, a connection without a login.
 * Redis 6 puts the error of a script's command behind a text of its own.
 */
const UNFIT =
  /^(?:ERR Error running script .*-)?(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|NOAUTH|NOREPLICAS) /

/**
 * The first word of an error reply that is a fault of the connection, and not of the command: another connection to the
 * same name may reach a server that does its work. `undefined` for any other error.
 */
export function unfitness(error: unknown): string | undefined {
  return error instanceof Error ? UNFIT.exec(error.message)?.[1] : undefined
}

/**
 * Calls `expire` after `ms` milliseconds, unless the returned function is called first. Uses Node's timers,
 * not the application's clock: a fake clock does not make the network faster.
 */
export function startDeadline(ms: number, expire: () => void): () => void {
  let isOver = false
  // A reply may have arrived while this process was busy. `setImmediate` lets Node read it first: the
  // deadline measures Redis, not this process.
  const timer = setTimeout(() => setImmediate(() => isOver || expire()), ms)
  timer.unref()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** Waits for a promise, at most `ms` milliseconds. Never rejects. */
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
 * Counts late replies of Redis. While it is open, the link sends no commands, because they would only wait
 * for the deadline.
 */
export class Breaker {
  #failures = 0

  /** Whether each of the last five replies was late or missing. */
  get isOpen(): boolean {
    return this.#failures >= FAILURES
  }

  /** Call this when a reply came before the deadline. */
  succeed(): void {
    if (!this.isOpen) this.#failures = 0
  }

  /** Call this if a reply did not arrive before the deadline. */
  fail(): void {
    this.#failures++
  }

  reset(): void {
    this.#failures = 0
  }
}
