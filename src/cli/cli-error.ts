/**
 * The exit status of the command: 0 for success, 1 if the application failed, 2 for invalid usage, 3 if a check failed,
 * 4 if a package is missing.
 */
export type ExitStatus = 0 | 1 | 2 | 3 | 4

/** The message parts and the exit status of a {@link CliError}. */
export interface CliErrorFacts {
  readonly status: ExitStatus
  /** The failure, as a sentence. */
  readonly what: string
  /** The reason; omitted if it is unknown, or if `what` already contains it. */
  readonly cause?: string
  /** The remedy, as a sentence. It can be omitted only if `what` already contains it. */
  readonly remedy?: string
  /** The stack of the original error, printed with `--verbose`. */
  readonly stack?: string | undefined
}

/** An error that ends the command. Its message contains the failure, the reason, and the remedy. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly status: ExitStatus
  readonly details: string | undefined

  constructor({ status, what, cause, remedy, stack }: CliErrorFacts) {
    super([what.trimEnd(), ...[cause, remedy].flatMap(indent)].join('\n'))
    this.status = status
    this.details = stack
  }
}

function indent(text: string | undefined): string[] {
  return text === undefined ? [] : [text.trimEnd().replace(/^(?=.)/gm, '  ')]
}
