import { inspect } from 'node:util'
import type { Logger } from '../contracts/logger.js'
import type { FinishedRequest } from './finish-test.js'
import { operations } from './test-context.js'

/** Something that an application under test has logged. */
export interface LogEntry {
  /** How serious it is. */
  readonly level: 'info' | 'warn' | 'error'
  /** What is known: `err`, `method`, `url` and `status` of a request that failed; `code` of a warning of boot. */
  readonly facts: Readonly<Record<string, unknown>>
  /** The text of the line. */
  readonly message: string
}

const LEVELS = ['info', 'warn', 'error'] as const

/** Keeps what an application logs, and passes it on to the logger that the test has given, if any. */
export class TestLog {
  readonly entries: LogEntry[] = []
  readonly logger: Logger
  readonly #isPrinted: boolean
  readonly #connections: WeakMap<LogEntry, object> = new WeakMap()

  /** @param given The option `logger`. */
  constructor(given: false | Logger | undefined) {
    this.#isPrinted = given === undefined
    this.logger = given ? this.#overhear(given) : this.#keeper()
  }

  /** Logs what a test should not have to ask for: where no logger was given, it is printed at once. */
  alert(message: string): void {
    this.logger.warn({}, message)
    if (this.#isPrinted) process.stderr.write(`${message}\n`)
  }

  /** Makes what was logged of a request the cause of a test's failure, so that every runner shows it. */
  explain(failure: unknown, { method, url }: FinishedRequest): void {
    if (!(failure instanceof Error) || failure.cause !== undefined) return
    const entry = [...this.entries]
      .reverse()
      .find(({ facts }) => facts.method === method && facts.url === url && facts.err !== undefined)
    if (entry !== undefined) failure.cause = entry.facts.err
  }

  /** The connection of the request that has logged an entry, if one has. */
  connectionOf(entry: LogEntry): object | undefined {
    return this.#connections.get(entry)
  }

  /** Prints everything that was logged, for people. */
  print(): void {
    for (const entry of this.entries) process.stderr.write(`${formatEntry(entry)}\n`)
  }

  #keeper(): Logger {
    const keep = (level: LogEntry['level']) => (facts: object, message: string) => {
      this.#keep(level, facts, message)
    }
    return { info: keep('info'), warn: keep('warn'), error: keep('error') }
  }

  /** Plugins get the logger that was given, with all it can do: pino's has more than three methods. */
  #overhear(given: Logger): Logger {
    const own = this.#keeper()
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
    // pino takes a lone message, too.
    const entry = isObject
      ? { level, facts: facts as LogEntry['facts'], message: String(message ?? '') }
      : { level, facts: {}, message: String(facts) }
    this.entries.push(entry)
    const connection = operations.getStore()?.connection
    if (connection !== undefined) this.#connections.set(entry, connection)
  }
}

function formatEntry({ level, facts, message }: LogEntry): string {
  const known = Object.keys(facts).length === 0 ? '' : ` ${inspect(facts)}`
  return `[${level}] ${message}${known}`
}
