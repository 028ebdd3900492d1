import type { LevelLogger, Logger, LogLevel, LogMethod } from '../../contracts/logger.js'
import type { Clock } from '../../di/clock.js'
import { escapeJson, quote } from './escape.js'
import { isWritten, type LineLevel } from './levels.js'
import { plainFacts, type ToPlain } from './plain-facts.js'
import { prettyLine } from './pretty-line.js'

/** The input of {@link LineLogger}. */
export interface LineLoggerConfig {
  /** The least important level that is written. */
  readonly level: LogLevel
  /** The fields whose values no line contains. */
  readonly redact: Iterable<string>
  /** The names of the fields that are secret by their schemas. */
  readonly secrets: Iterable<string>
  /** `null`: one line of JSON for each entry. */
  readonly pretty: { readonly isColored: boolean } | null
  readonly clock: Clock
  /** The destination. */
  readonly sink: { write(line: string): void; flush(): void; close(): void }
}

/** The fields of a line that facts cannot replace. */
const RESERVED = new Set(['level', 'time', 'message'])

function ignore(): void {}

/** The framework's own logger: JSON, one line each, or text for a terminal. */
export class LineLogger implements LevelLogger, Logger {
  readonly trace: LogMethod
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly warn: LogMethod
  readonly error: LogMethod
  readonly fatal: LogMethod
  /** Writes a line that is text already: only for JSON, on a level that {@link LineLogger.isWritten}. */
  readonly writeText: (line: string) => void
  /** Whether lines are JSON. */
  readonly isJson: boolean
  readonly #config: LineLoggerConfig
  readonly #toPlain: ToPlain

  /** @param config Level, hidden fields, and destination. */
  constructor(config: LineLoggerConfig) {
    this.#config = config
    this.#toPlain = plainFacts(config.redact, config.secrets)
    this.isJson = config.pretty === null
    this.writeText = (line) => config.sink.write(line)
    this.trace = this.#method('trace')
    this.debug = this.#method('debug')
    this.info = this.#method('info')
    this.warn = this.#method('warn')
    this.error = this.#method('error')
    this.fatal = this.#method('fatal')
  }

  isWritten(level: LineLevel): boolean {
    return isWritten(level, this.#config.level)
  }

  /** Whether the value of a fact with one of the names is hidden. */
  hidesAny(names: readonly string[]): boolean {
    const facts = this.#toPlain(Object.fromEntries(names.map((name) => [name, true])))
    return names.some((name) => facts[name] !== true)
  }

  flush(): void {
    this.#config.sink.flush()
  }

  close(): void {
    this.#config.sink.close()
  }

  #method(level: LineLevel): LogMethod {
    if (!this.isWritten(level)) return ignore
    const { clock, pretty, sink } = this.#config
    return (first: unknown, second?: unknown) => {
      const isObject = typeof first === 'object' && first !== null
      // pino takes an error in place of facts, too.
      const given = first instanceof Error ? { err: first } : isObject ? first : {}
      const message = String(
        (isObject ? second : first) ?? (first as Partial<Error>)?.message ?? '',
      )
      const facts = this.#toPlain(given)
      const time = clock.now()
      const line =
        pretty === null
          ? jsonLine(`{"level":"${level}","time":${time}`, message, facts)
          : prettyLine({ level, time, message, facts }, pretty.isColored)
      sink.write(line)
    }
  }
}

function jsonLine(head: string, message: string, facts: Record<string, unknown>): string {
  for (const name of RESERVED) {
    if (!Object.hasOwn(facts, name)) continue
    facts[`${name}_`] = facts[name]
    delete facts[name]
  }
  const rest = escapeJson(JSON.stringify(facts)).slice(1)
  return `${head},"message":${quote(message)}${rest === '}' ? '' : ','}${rest}\n`
}
