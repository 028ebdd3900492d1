const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The signals that end the command: Ctrl-C, `kill`, and the end of the terminal. */
export interface Signals {
  /** Settles at the first one. */
  readonly first: Promise<void>
  /** Stops listening. */
  stop(): void
}

/** @param onSecond Called for each later signal: whoever sends it does not want to wait. */
export function untilSignal(onSecond: () => void): Signals {
  let receive = () => {}
  const first = new Promise<void>((resolve) => {
    let isFirst = true
    receive = () => {
      if (!isFirst) onSecond()
      isFirst = false
      resolve()
    }
  })
  for (const signal of SIGNALS) process.on(signal, receive)
  const stop = () => {
    for (const signal of SIGNALS) process.removeListener(signal, receive)
  }
  return { first, stop }
}
