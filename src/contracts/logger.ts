/** The log levels, the least important first. `silent` is the level of a logger that writes nothing. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** The logger methods that the framework calls. A pino logger has these methods. */
export interface Logger {
  /** Logs a detail that helps to find a fault. If omitted, such lines are dropped. */
  trace?(facts: object, message: string): void
  /** Logs an event that is irrelevant in normal operation. If omitted, such lines are dropped. */
  debug?(facts: object, message: string): void
  /** Logs an event of normal operation. */
  info(facts: object, message: string): void
  /** Logs an event that needs attention. */
  warn(facts: object, message: string): void
  /** Logs a failure. */
  error(facts: object, message: string): void
  /** Logs a failure that ends the process. If omitted, `error` is called. */
  fatal?(facts: object, message: string): void
}

/** Writes a line: facts and a message, or a message alone. */
export interface LogMethod {
  (facts: object, message: string): void
  (message: string): void
}

/** A logger with a method for every level. */
export interface LevelLogger {
  /** Logs a detail that helps to find a fault. */
  readonly trace: LogMethod
  /** Logs an event that is irrelevant in normal operation. */
  readonly debug: LogMethod
  /** Logs an event of normal operation. */
  readonly info: LogMethod
  /** Logs an event that needs attention. */
  readonly warn: LogMethod
  /** Logs a failure. */
  readonly error: LogMethod
  /** Logs a failure that ends the process. */
  readonly fatal: LogMethod
}
