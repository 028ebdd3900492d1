import type { LevelLogger, Logger, LogLevel } from '../../contracts/logger.js'
import { isThenable } from '../../step/step.js'

/** A level on which lines are written. */
export type LineLevel = keyof LevelLogger

/** The levels of lines, the least important first. */
export const LEVELS: readonly LineLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

/** Whether a logger of the level `least` writes a line of a level. */
export function isWritten(level: LineLevel, least: LogLevel): boolean {
  return least !== 'silent' && LEVELS.indexOf(level) >= LEVELS.indexOf(least)
}

/**
 * Writes a line to any logger. A pino-compatible logger may have only three of the levels. Never throws: the code that
 * writes a line must not fail because of it.
 */
export function writeTo(logger: Logger, level: LineLevel, facts: object, message: string): void {
  const method = level === 'fatal' && logger.fatal === undefined ? 'error' : level
  try {
    // A logger that writes asynchronously may return a promise that rejects.
    const returned: unknown = logger[method]?.(facts, message)
    if (isThenable(returned)) Promise.resolve(returned).catch(() => {})
  } catch {
    // No other logger can log this error.
  }
}
