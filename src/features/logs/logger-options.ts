import type { Logger, LogLevel } from '../../contracts/logger.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import type { LoggerSettings } from './open-logger.js'

/** The `logger` option, if it configures the framework's own logger. */
export interface LoggerOptions {
  /**
   * The lowest level that is written: `'trace'`, `'debug'`, `'info'`, `'warn'`, `'error'`, `'fatal'` or `'silent'`.
   *
   * @defaultValue `'info'`
   */
  readonly level?: LogLevel
  /**
   * The fields whose values are never written: `'password'` means every field with that name, and `'card.number'` means
   * the field `number` in every `card`. Two kinds of fields are always hidden: fields whose name suggests a secret,
   * such as `password` and `token`, and fields that are secret according to their schema.
   *
   * @defaultValue none
   * @see docs/operating.md#secrets
   */
  readonly redact?: readonly string[]
  /**
   * Whether lines are text for people instead of JSON. With `'auto'`, lines are text if stdout is a terminal.
   *
   * @defaultValue `'auto'`
   */
  readonly pretty?: 'auto' | boolean
}

type Option = false | Logger | LoggerOptions | undefined

const NAMES: OptionNames<LoggerOptions> = { level: true, redact: true, pretty: true }
const LEVELS: readonly unknown[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const METHODS = ['info', 'warn', 'error'] as const

const SILENT: Logger = { info() {}, warn() {}, error() {} }

const OWN: LoggerSettings = Object.freeze({ level: 'info', redact: [], pretty: 'auto' })

/** Whether the option is a logger, and not a configuration of the framework's own logger. */
function isLogger(option: unknown): boolean {
  return METHODS.some(
    (method) => typeof (option as Partial<Logger> | null)?.[method] === 'function',
  )
}

/**
 * Returns an application's logger: the logger in the option, a silent logger for `false`, or by default a logger that
 * writes lines of JSON to stderr.
 */
export function loggerOf(option: Option): Logger {
  if (option === false) return SILENT
  if (isLogger(option)) return option as Logger
  return { info: lineWriter('info'), warn: lineWriter('warn'), error: lineWriter('error') }
}

/**
 * Returns the settings of the framework's own logger; `null` if the application uses another logger. With the `logs`
 * option, the framework's own logger is the default.
 */
export function ownLoggerOf(option: Option, hasLogs: boolean): LoggerSettings | null {
  if (option === false || isLogger(option)) return null
  if (option === undefined) return hasLogs ? OWN : null
  const { level = OWN.level, redact = [], pretty = OWN.pretty } = option as LoggerOptions
  return Object.freeze({ level, redact: Object.freeze([...redact]), pretty })
}

/** The `logger` option. */
export const loggerGroup: OptionGroup<Option, Logger> = {
  unknown: () => [],
  check,
  resolve: loggerOf,
}

/** Reports a logger without a required method, or an invalid configuration of the framework's own logger. */
function check(logger: unknown): Problem[] {
  if (logger === undefined || logger === false) return []
  if (typeof logger === 'object' && logger !== null && !isLogger(logger))
    return checkOptions(logger)
  const missing = METHODS.find(
    (method) => typeof (logger as Record<string, unknown> | null)?.[method] !== 'function',
  )
  if (missing === undefined) return []
  const remedy = 'Pass a pino logger, { level, redact, pretty }, or false.'
  return [invalid('logger', `It has no method ${missing}.`, remedy)]
}

function checkOptions(options: object): Problem[] {
  const { level, redact, pretty } = options as Record<string, unknown>
  const problems = unknownOptions('logger.', options, NAMES)
  if (level !== undefined && !LEVELS.includes(level)) {
    problems.push(
      invalid(
        'logger.level',
        `${shown(level)} is not a log level.`,
        `Pass one of ${LEVELS.join(', ')}.`,
      ),
    )
  }
  if (redact !== undefined && !isListOfNames(redact)) {
    const remedy = "Pass field names: ['password', 'card.number']."
    problems.push(invalid('logger.redact', 'It is not a list of names.', remedy))
  }
  if (pretty !== undefined && pretty !== 'auto' && typeof pretty !== 'boolean') {
    const remedy = "Pass 'auto', true or false."
    problems.push(
      invalid('logger.pretty', `${shown(pretty)} is neither a boolean nor 'auto'.`, remedy),
    )
  }
  return problems
}

function isListOfNames(list: unknown): boolean {
  return Array.isArray(list) && list.every((name) => typeof name === 'string' && name !== '')
}

function lineWriter(level: string): Logger['warn'] {
  return function writeLine(facts, message) {
    const entry = { level, message, ...facts }
    const { err } = entry as { readonly err?: unknown }
    const line = toLine(entry) ?? toLine({ level, message, err: bare(err) })
    process.stderr.write(`${line ?? toLine({ level, message })}\n`)
  }
}

/**
 * Returns the entry as one line of JSON, or `undefined` if JSON cannot represent it. JSON escapes line breaks and the
 * control characters below U+0020, so a client cannot forge a log line.
 */
function toLine(entry: object): string | undefined {
  try {
    return JSON.stringify(entry, (_, value) => plain(value))
  } catch {
    return undefined
  }
}

/**
 * Returns an error without its own fields. Such fields may contain values that JSON cannot represent, such as a request
 * that refers to itself.
 */
function bare(err: unknown): unknown {
  if (!(err instanceof Error)) return undefined
  const { name, message, stack } = err
  return { name, message, stack }
}

function plain(value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { name, message, stack, cause } = value
  return { ...value, name, message, stack, cause }
}
