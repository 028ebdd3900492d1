import { stopwatch } from '../dev/deadline.js'

const ENDING: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGTERM', 'SIGINT', 'SIGBREAK'] : ['SIGTERM', 'SIGINT']
/** As in `app/signals.ts`: npm repeats the Ctrl-C that the terminal has sent to all processes. */
const ECHO_MS = 250

/** What signals do. */
export interface Signalled {
  restart(): Promise<void>
  end(signal: NodeJS.Signals): void
  kill(): void
}

/**
 * SIGHUP restarts; SIGTERM and SIGINT end. A second signal ends at once, with status 1.
 *
 * @returns how to stop listening.
 */
export function listenToSignals(crew: Signalled): { stop(): void } {
  let first: { readonly signal: NodeJS.Signals; readonly elapsed: () => number } | undefined
  const end = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = { signal, elapsed: stopwatch() }
      crew.end(signal)
    } else if (first.signal !== signal || first.elapsed() >= ECHO_MS) {
      crew.kill()
      process.exit(1)
    }
  }
  const restart = () => void crew.restart()
  for (const signal of ENDING) process.on(signal, end)
  // Windows ends a process soon after its console was closed, whatever it does.
  if (process.platform !== 'win32') process.on('SIGHUP', restart)
  return {
    stop() {
      for (const signal of ENDING) process.off(signal, end)
      process.off('SIGHUP', restart)
    },
  }
}
