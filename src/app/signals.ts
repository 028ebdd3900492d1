import type { Clock } from '../contracts/clock.js'
import type { Logger } from '../contracts/logger.js'
import { closingTimer } from './closing.js'
import { isRetired } from './worker-link.js'

/**
 * On Windows, consoles send SIGINT and SIGBREAK, but never SIGTERM. Applications still listen to SIGTERM, because its
 * listeners show which application in a process is the last.
 */
const SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGTERM', 'SIGINT', 'SIGBREAK'] : ['SIGTERM', 'SIGINT']
/**
 * A repeated signal within this time is ignored. A terminal sends the signal of Ctrl-C to all processes of a command,
 * and npm sends it to its child process a second time.
 */
const ECHO_MS = 250
/** The maximum time for closing after an uncaught error, when the state of the application is unknown. */
const FAULT_MS = 10_000
/** Marks the listeners of all copies of this package in the process. */
const OURS = Symbol.for('blazon.signals')

/** The input of {@link ProcessEnd}. */
export interface ProcessEndConfig {
  /** Closes the application. */
  readonly close: (signal?: string) => Promise<void>
  /** Whether closing aborted requests, or ended before the startup had finished. */
  readonly isForced: () => boolean
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Closes an application when its process should end, and then ends the process. If several applications in a process
 * listen to signals, each closes itself, and the last application ends the process.
 */
export class ProcessEnd {
  readonly #config: ProcessEndConfig
  readonly #listeners = new Map<string, (...args: never[]) => void>()
  #first:
    | { readonly signal: string; readonly at: number; readonly isOfRestart?: boolean }
    | undefined

  constructor(config: ProcessEndConfig) {
    this.#config = config
    for (const signal of SIGNALS) this.#listen(signal, () => this.#onSignal(signal))
    this.#listen('uncaughtException', (error: unknown, origin: string) =>
      this.#onFault(error, origin),
    )
  }

  /** Whether a signal or an error has begun to end the process. */
  get hasBegun(): boolean {
    return this.#first !== undefined
  }

  /** Removes the listeners. */
  remove(): void {
    for (const [name, listener] of this.#listeners) process.off(name, listener as () => void)
    this.#listeners.clear()
  }

  #listen(name: string, listener: (...args: never[]) => void): void {
    Object.defineProperty(listener, OURS, { value: true })
    this.#listeners.set(name, listener)
    process.on(name, listener as () => void)
  }

  #onSignal(signal: string): void {
    const { logger } = this.#config
    const now = performance.now()
    if (this.#first === undefined) {
      this.#first = { signal, at: now, isOfRestart: isRetired() }
      logger.info({ signal }, 'Closing')
      void this.#end(signal)
      return
    }
    // A terminal sends the signal to all processes of the command. This worker is already closing, because another
    // worker replaced it, so this signal counts as the first one.
    if (this.#first.isOfRestart) {
      this.#first = { signal, at: now }
      return
    }
    if (signal === this.#first.signal && now - this.#first.at < ECHO_MS) return
    logger.warn(
      { signal },
      'A second signal arrived: the process ends before the application is closed',
    )
    process.exit(1)
  }

  #onFault(err: unknown, origin: string): void {
    const { clock, logger } = this.#config
    logger.error({ err, origin }, 'An error was not caught. The application is closing')
    process.exitCode = 1
    if (this.#first !== undefined) return
    this.#first = { signal: origin, at: performance.now() }
    closingTimer(clock, FAULT_MS, () => process.exit(1))
    void this.#end(undefined)
  }

  async #end(signal: string | undefined): Promise<void> {
    const { close, isForced, logger } = this.#config
    try {
      await close(signal)
      if (isForced()) process.exitCode = 1
    } catch (error) {
      process.exitCode = 1
      // A logger can omit the errors inside an `AggregateError`.
      const errors = error instanceof AggregateError ? error.errors : [error]
      for (const err of errors) logger.error({ err }, 'Closing the application failed')
    }
    this.remove()
    const isLast = !process.listeners('SIGTERM').some((listener) => OURS in listener)
    if (isLast) process.exit()
  }
}
