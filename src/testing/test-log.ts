import { inspect } from 'node:util'
import type { Logger, LogLevel } from '../contracts/logger.js'
import type { FinishedRequest } from './finish-test.js'
import { operations } from './test-context.js'
import type { TestOptions } from './test-options.js'

/** A line that an application under test has logged. */
export interface LogEntry {
  /** The level of the line. */
  readonly level: Exclude<LogLevel, 'silent'>
  /** The data of the line: `err`, `method`, `url` and `status` for a failed request; `code` for a boot warning. */
  readonly facts: Readonly<Record<string, unknown>>
  /** The text of the line. */
  readonly message: string
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** Stores the log lines of an application, and passes them on to the logger of the test, if there is one. */
export class TestLog {
  readonly entries: LogEntry[] = []
  readonly logger: Logger
  readonly #isPrinted: boolean
  readonly #connections: WeakMap<LogEntry, object> = new WeakMap()

  /** @param given The option `logger` of the test. */
  constructor(given: TestOptions['logger']) {
    this.#isPrinted = given === undefined
    this.logger = isLogger(given) ? this.#recordCalls(given) : this.#recorder()
  }

  /** Logs a problem for the test. If the test has no logger, the problem is printed immediately. */
  alert(message: string): void {
    this.logger.warn({}, message)
    if (this.#isPrinted) process.stderr.write(`${message}\n`)
  }

  /**
   * Sets the logged error of a request as the cause of the test's failure, so that every test runner shows
   * it.
   */
  explain(failure: unknown, { method, url }: FinishedRequest): void {
    if (!(failure instanceof Error) || failure.cause !== undefined) return
    const entry = [...this.entries]
      .reverse()
      .find(({ facts }) => facts.method === method && facts.url === url && facts.err !== undefined)
    if (entry !== undefined) failure.cause = entry.facts.err
  }

  /** The connection of the request that has logged an entry; `undefined` if it was not logged by a request. */
  connectionOf(entry: LogEntry): object | undefined {
    return this.#connections.get(entry)
  }

  /** Prints all entries to stderr. */
  print(): void {
    for (const entry of this.entries) process.stderr.write(`${formatEntry(entry)}\n`)
  }

  #recorder(): Required<Logger> {
    const keep = (level: LogEntry['level']) => (facts: object, message: string) => {
      this.#keep(level, facts, message)
    }
    return {
      trace: keep('trace'),
      debug: keep('debug'),
      info: keep('info'),
      warn: keep('warn'),
      error: keep('error'),
      fatal: keep('fatal'),
    }
  }

  /** Plugins receive the whole logger of the test, because a logger such as pino has more methods than `Logger`. */
  #recordCalls(given: Logger): Logger {
    const own = this.#recorder()
    return new Proxy(given, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target)
        if (typeof value !== 'function') return value
        const level = LEVELS.find((each) => each === key)
        return (...args: [object, string]) => {
          if (level !== undefined) own[level](...args)
          return Reflect.apply(value, target, args)
        }
      },
    })
  }

  #keep(level: LogEntry['level'], facts: unknown, message: unknown): void {
    const isObject = typeof facts === 'object' && facts !== null
    // pino also accepts a message without a preceding object.
    const entry = isObject
      ? { level, facts: facts as LogEntry['facts'], message: String(message ?? '') }
      : { level, facts: {}, message: String(facts) }
    this.entries.push(entry)
    const connection = operations.getStore()?.connection
    if (connection !== undefined) this.#connections.set(entry, connection)
  }
}

/** Whether the option is a logger. Logger options have no effect in a test, because lines are stored. */
function isLogger(given: TestOptions['logger']): given is Logger {
  return typeof given === 'object' && 'info' in given
}

function formatEntry({ level, facts, message }: LogEntry): string {
  const known = Object.keys(facts).length === 0 ? '' : ` ${inspect(facts)}`
  return `[${level}] ${message}${known}`
}
