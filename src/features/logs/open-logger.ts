import type { LogLevel } from '../../contracts/logger.js'
import type { Clock } from '../../di/token.js'
import { LineLogger } from './line-logger.js'
import { openSink } from './line-sink.js'

/** The resolved `logger` option, if it configures the framework's own logger. */
export interface LoggerSettings {
  readonly level: LogLevel
  readonly redact: readonly string[]
  readonly pretty: 'auto' | boolean
}

/** The properties of an application that its logger depends on. */
export interface LoggerSurroundings {
  readonly clock: Clock
  /** The names of fields that are secret according to their schemas. */
  readonly secrets: Iterable<string>
}

/** Opens the framework's own logger, which writes to stdout. Close it when the application ends. */
export function openLogger(
  settings: LoggerSettings,
  { clock, secrets }: LoggerSurroundings,
): LineLogger {
  const { level, redact, pretty } = settings
  // A worker thread's stdout has no file descriptor.
  const { isTTY: isTerminal = false, fd = 1 } = process.stdout
  const isColored = isTerminal && !process.env['NO_COLOR']
  return new LineLogger({
    level,
    redact,
    secrets,
    pretty: (pretty === 'auto' ? isTerminal : pretty) ? { isColored } : null,
    clock,
    sink: openSink(fd),
  })
}
