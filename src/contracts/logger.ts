/** The part of a pino logger that the framework calls; pino itself fits. */
export interface Logger {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}
