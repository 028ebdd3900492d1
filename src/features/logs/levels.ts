import type { LevelLogger, Logger, LogLevel } from '../../contracts/logger.js'
import { isThenable } from '../../step/step.js'

/** A level at which lines are written. */
export type LineLevel = keyof LevelLogger

/** The levels of lines, from least to most important. */
export const LEVELS: readonly LineLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

/** Whether a logger with the minimum level `least` writes lines with this level. */
export function isWritten(level: LineLevel, least: LogLevel): boolean {
  return least !== 'silent' && LEVELS.indexOf(level) >= LEVELS.indexOf(least)
}

/**
 * Writes a line to any logger. A pino-compatible logger may support only three of the levels. Never throws, so that a
 * log line cannot break the code that writes it.
 */
export function writeTo(logger: Logger, level: LineLevel, facts: object, message: string): void {
  const method = level === 'fatal' && logger.fatal === undefined ? 'error' : level
  try {
    // A logger that writes asynchronously may return a promise that rejects.
    const returned: unknown = logger[method]?.(facts, message)
    if (isThenable(returned)) Promise.resolve(returned).catch(() => {})
  } catch {
    // There is no other logger to log this error.
  }
}
