/** How the command ends: 0 ok, 1 the application failed, 2 usage, 3 a check failed, 4 a package is missing. */
export type ExitStatus = 0 | 1 | 2 | 3 | 4

/** What a {@link CliError} says. */
export interface CliErrorFacts {
  readonly status: ExitStatus
  /** What failed, as a sentence. */
  readonly what: string
  /** Why, as far as it is known; left out only where `what` says it. */
  readonly cause?: string
  /** What to do, as a sentence; left out only where `what` says it. */
  readonly remedy?: string
  /** Where it was thrown; shown under `--verbose`. */
  readonly stack?: string | undefined
}

/** Ends the command, telling the user in three lines what failed, why, and what to do. */
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
