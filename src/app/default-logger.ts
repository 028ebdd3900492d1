import type { Logger } from '../contracts/logger.js'

const SILENT: Logger = { info() {}, warn() {}, error() {} }

/** The logger of an application: its own, none, or one line on stderr for what somebody should see. */
export function loggerOf(option: false | Logger | undefined): Logger {
  if (option === false) return SILENT
  return option ?? { info() {}, warn: lineWriter('warn'), error: lineWriter('error') }
}

function lineWriter(level: string): Logger['warn'] {
  return function writeLine(facts, message) {
    // JSON keeps an attacker's line breaks and terminal codes inside their string.
    const line = JSON.stringify({ level, message, ...facts }, (_, value) => plainError(value))
    process.stderr.write(`${line}\n`)
  }
}

function plainError(value: unknown): unknown {
  if (!(value instanceof Error)) return value
  return { ...value, name: value.name, message: value.message, stack: value.stack }
}
