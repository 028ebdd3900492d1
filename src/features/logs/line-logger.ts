import type { LevelLogger, Logger, LogLevel, LogMethod } from '../../contracts/logger.js'
import type { Clock } from '../../di/clock.js'
import { escapeJson, escapeText, quote } from './escape.js'
import { isWritten, type LineLevel } from './levels.js'
import { plainFacts, type ToPlain } from './plain-facts.js'

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

/** One line before it becomes text. */
interface Line {
  readonly level: LineLevel
  /** Milliseconds since 1970. */
  readonly time: number
  readonly message: string
  /** Data that JSON can hold. */
  readonly facts: Readonly<Record<string, unknown>>
}

const COLORS: Readonly<Record<LineLevel, number>> = {
  trace: 90,
  debug: 90,
  info: 32,
  warn: 33,
  error: 31,
  fatal: 35,
}

/** Writes a line for people. Text of users cannot begin a line, nor color one. */
function prettyLine({ level, time, message, facts }: Line, isColored: boolean): string {
  const paint = (text: string, color: number) =>
    isColored ? `\u001b[${color}m${text}\u001b[0m` : text
  const clock = new Date(time).toISOString().slice(11, 23)
  const label = paint(level.toUpperCase().padEnd(5), COLORS[level])
  const { err, ...others } = facts
  const pairs = Object.entries(others).map(
    ([name, value]) => ` ${paint(`${escapeText(name)}=`, 90)}${textOf(value)}`,
  )
  const head = `${paint(clock, 90)} ${label} ${escapeText(message)}${pairs.join('')}`
  return [head, ...errorLines(err), ''].join('\n')
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return escapeText(value)
  return escapeJson(JSON.stringify(value) ?? 'undefined')
}

/** An error, below the line: its message on one line, and the frames of its stack. */
function errorLines(err: unknown): string[] {
  if (err === undefined) return []
  if (typeof err !== 'object' || err === null) return [`    ${textOf(err)}`]
  const { name, message, stack, cause, ...others } = err as Record<string, unknown>
  const title = `${String(name)}: ${String(message)}`
  const own = Object.keys(others).length === 0 ? '' : ` ${textOf(others)}`
  const below = cause === undefined ? [] : errorLines(cause)
  return [`    ${escapeText(title)}${own}`, ...framesOf(stack, String(message)), ...below]
}

/** The frames of a stack, which follow its message. The message may itself look like frames. */
function framesOf(stack: unknown, message: string): string[] {
  if (typeof stack !== 'string') return []
  const after = stack.indexOf(message)
  const frames = after < 0 ? stack : stack.slice(after + message.length)
  return frames
    .split('\n')
    .filter((frame) => frame.trim() !== '')
    .map((frame) => `      ${escapeText(frame.trim())}`)
}
