import type { Logger } from '../../contracts/logger.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'

const SILENT: Logger = { info() {}, warn() {}, error() {} }

/**
 * Returns the logger of an application: the given one, a silent one for `false`, or by default one that writes
 * warnings and errors to stderr, one line each.
 */
export function loggerOf(option: false | Logger | undefined): Logger {
  if (option === false) return SILENT
  return option ?? { info() {}, warn: lineWriter('warn'), error: lineWriter('error') }
}

/** Finds a method that the framework calls and the logger does not have. */
export function checkLogger(logger: unknown): Problem[] {
  if (logger === undefined || logger === false) return []
  const methods = ['info', 'warn', 'error'] as const
  const missing = methods.find(
    (method) => typeof (logger as Record<string, unknown> | null)?.[method] !== 'function',
  )
  if (missing === undefined) return []
  return [invalid('logger', `It has no method ${missing}.`, 'Give a pino logger, or false.')]
}

function lineWriter(level: string): Logger['warn'] {
  return function writeLine(facts, message) {
    process.stderr.write(`${toLine({ level, message, ...facts }) ?? toLine({ level, message })}\n`)
  }
}

/**
 * Returns the entry as one line of JSON, or `undefined` if JSON cannot hold it. JSON escapes line breaks and
 * terminal codes, so a client cannot forge a log line.
 */
function toLine(entry: object): string | undefined {
  try {
    return JSON.stringify(entry, (_, value) => plain(value))
  } catch {
    return undefined
  }
}

function plain(value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { name, message, stack, cause } = value
  return { ...value, name, message, stack, cause }
}
