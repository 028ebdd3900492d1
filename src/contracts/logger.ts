/** The methods of a pino logger that the framework calls. A pino logger fits. */
export interface Logger {
  /** Logs an event of normal work. */
  info(facts: object, message: string): void
  /** Logs something that a person should look at. */
  warn(facts: object, message: string): void
  /** Logs a failure. */
  error(facts: object, message: string): void
}
