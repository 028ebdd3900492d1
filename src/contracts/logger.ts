/** The methods of a pino logger that the framework calls. A pino logger fits. */
export interface Logger {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}
