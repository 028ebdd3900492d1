import type { LevelLogger, Logger, LogLevel, LogMethod } from '../../contracts/logger.js'
import type { Clock } from '../../di/token.js'
import { isFlag, isSecretName } from '../../schema/secret-name.js'
import { isWritten, type LineLevel } from './levels.js'
import { escapeJson, escapeText, quote } from './line-sink.js'

/** The input of {@link LineLogger}. */
export interface LineLoggerConfig {
  /** The least important level that is written. */
  readonly level: LogLevel
  /** The fields whose values are never written. */
  readonly redact: Iterable<string>
  /** The names of fields that are secret according to their schemas. */
  readonly secrets: Iterable<string>
  /** The format for terminals; `null` to write each entry as one line of JSON. */
  readonly pretty: { readonly isColored: boolean } | null
  readonly clock: Clock
  /** The destination of the lines. */
  readonly sink: { write(line: string): void; flush(): void; close(): void }
}

/** The fields of a line that an application's facts cannot replace. */
const RESERVED = new Set(['level', 'time', 'message'])

function ignore(): void {}

/** The framework's own logger. It writes JSON lines, or text for a terminal. */
export class LineLogger implements LevelLogger, Logger {
  readonly trace: LogMethod
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly warn: LogMethod
  readonly error: LogMethod
  readonly fatal: LogMethod
  /**
   * Writes a line that is already serialized. Call it only if lines are JSON, and only at a level that {@link
   * LineLogger.isWritten} allows.
   */
  readonly writeText: (line: string) => void
  /** Whether lines are JSON. */
  readonly isJson: boolean
  readonly #config: LineLoggerConfig
  readonly #toPlain: ToPlain

  /** @param config The level, the hidden fields and the destination. */
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

  /** Whether the value of any of these fields is hidden. */
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
      // pino also accepts an error in place of fields.
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

interface Line {
  readonly level: LineLevel
  /** Milliseconds since 1970. */
  readonly time: number
  readonly message: string
  /** Data that JSON can represent. */
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

/** Formats a line for people. Text from users cannot start a new line or set colors. */
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

/** Formats an error below its line: the message on one line, then the frames of the stack. */
function errorLines(err: unknown): string[] {
  if (err === undefined) return []
  if (typeof err !== 'object' || err === null) return [`    ${textOf(err)}`]
  const { name, message, stack, cause, ...others } = err as Record<string, unknown>
  const title = `${String(name)}: ${String(message)}`
  const own = Object.keys(others).length === 0 ? '' : ` ${textOf(others)}`
  const below = cause === undefined ? [] : errorLines(cause)
  return [`    ${escapeText(title)}${own}`, ...framesOf(stack, String(message)), ...below]
}

/**
 * Returns the frames of a stack. The error's message, which precedes the frames, is removed, because it may itself look
 * like frames.
 */
function framesOf(stack: unknown, message: string): string[] {
  if (typeof stack !== 'string') return []
  const after = stack.indexOf(message)
  const frames = after < 0 ? stack : stack.slice(after + message.length)
  return frames
    .split('\n')
    .filter((frame) => frame.trim() !== '')
    .map((frame) => `      ${escapeText(frame.trim())}`)
}

const HIDDEN = '[redacted]'

const DEPTH = 10
const ITEMS = 1000
/**
 * The maximum number of names for which the result of `isSecretName` is cached. Clients may choose the names in a line,
 * so the number must be limited.
 */
const MOST_NAMES = 1000

/** Converts fields to plain JSON data, without the values of hidden fields. */
type ToPlain = (facts: object) => Record<string, unknown>

type IsHidden = (key: string, trail: readonly string[], isOfError: boolean) => boolean

/**
 * Creates the function that prepares the facts for log lines. Fields whose name suggests a secret are always hidden,
 * unless they only report whether a secret exists.
 *
 * @param fields The hidden fields: `password` means every field with this name, and `card.number` means the field
 * `number` in every `card`. Names are case-insensitive.
 * @param secrets The names of fields that are secret according to their schemas. The name, message, stack, cause and
 * errors of an error do not count as such fields.
 */
function plainFacts(fields: Iterable<string>, secrets: Iterable<string> = []): ToPlain {
  const paths = [...fields].map((field) => field.toLowerCase().split('.').reverse())
  const byName = new Map<string, string[][]>()
  for (const [name = '', ...parents] of paths) {
    byName.set(name, [...(byName.get(name) ?? []), parents])
  }
  const ofSchemas = new Set([...secrets].map((name) => name.toLowerCase()))
  const isHidden: IsHidden = (key, trail, isOfError) => {
    const name = key.toLowerCase()
    if (!isOfError && ofSchemas.has(name)) return true
    return byName.get(name)?.some((parents) => endsWith(trail, parents)) === true
  }
  const isSecret = rememberNames()
  return (facts) => new PlainCopy(isHidden, isSecret).entriesOf(facts, [])
}

function rememberNames(): (name: string) => boolean {
  const known = new Map<string, boolean>()
  return (name) => {
    const judged = known.get(name)
    if (judged !== undefined) return judged
    const isSecret = isSecretName(name)
    if (known.size < MOST_NAMES) known.set(name, isSecret)
    return isSecret
  }
}

function endsWith(trail: readonly string[], parents: readonly string[]): boolean {
  return parents.every((parent, i) => trail[trail.length - 1 - i]?.toLowerCase() === parent)
}

/** A copy of one line's facts. Copying never throws, although the application's getters and proxies may throw. */
class PlainCopy {
  readonly #open = new Set<object>()
  readonly #isHidden: IsHidden
  readonly #isSecret: (name: string) => boolean

  constructor(isHidden: IsHidden, isSecret: (name: string) => boolean) {
    this.#isHidden = isHidden
    this.#isSecret = isSecret
  }

  entriesOf(value: object, trail: readonly string[], isOfError = false): Record<string, unknown> {
    const copy: Record<string, unknown> = {}
    for (const key of keysOf(value)) {
      const found = this.#isHidden(key, trail, isOfError) ? HIDDEN : this.#read(value, key, trail)
      // An assignment to `__proto__` would set the prototype of the copy.
      if (found !== undefined) Object.defineProperty(copy, key, { ...OPEN, value: found })
    }
    return copy
  }

  #read(value: object, key: string, trail: readonly string[]): unknown {
    try {
      const member: unknown = value[key as keyof typeof value]
      const isHidden = !isFlag(member) && this.#isSecret(key)
      return isHidden ? HIDDEN : this.#copy(member, [...trail, key])
    } catch {
      return '[unreadable]'
    }
  }

  #copy(value: unknown, trail: readonly string[]): unknown {
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'symbol' || typeof value === 'function') return undefined
    if (typeof value !== 'object' || value === null) return value
    if (this.#open.has(value)) return '[circular]'
    if (trail.length > DEPTH) return '[deeper]'
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    this.#open.add(value)
    try {
      return this.#copyObject(value, trail)
    } finally {
      this.#open.delete(value)
    }
  }

  #copyObject(value: object, trail: readonly string[]): unknown {
    if (value instanceof Error) return this.#copyError(value, trail)
    const { toJSON } = value as { toJSON?: unknown }
    // The trail is extended to limit the depth, because the result of `toJSON` may itself have a `toJSON` method.
    if (typeof toJSON === 'function') return this.#copy(toJSON.call(value), [...trail, ''])
    if (value instanceof Map) return this.entriesOf(Object.fromEntries(value), trail)
    const list = value instanceof Set ? [...value] : value
    if (!Array.isArray(list)) return this.entriesOf(value, trail)
    // An item is treated as a field with the name of its list.
    return list
      .slice(0, ITEMS)
      .map((item) => this.#copy(item, [...trail.slice(0, -1), ...at(trail)]))
  }

  #copyError(error: Error, trail: readonly string[]): unknown {
    const { name, message, stack, cause } = error
    const own = this.entriesOf(error, trail)
    // Without this list, the line of an `AggregateError` would contain no reason. Node throws such an error if a host
    // has several addresses and cannot be reached.
    const { errors } = error as Partial<AggregateError>
    const known = { name, message, stack, cause, ...(Array.isArray(errors) && { errors }) }
    return { ...own, ...this.entriesOf(known, trail, true) }
  }
}

const OPEN = { writable: true, enumerable: true, configurable: true } as const

function at(trail: readonly string[]): readonly string[] {
  return trail.slice(-1)
}

function keysOf(value: object): string[] {
  try {
    return Object.keys(value)
  } catch {
    return []
  }
}
