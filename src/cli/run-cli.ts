import { CommanderError } from 'commander'
import { CliError, type ExitStatus } from './cli-error.js'
import { createProgram } from './program.js'
import type { ProgramContext } from './program-context.js'

/** Runs the command. `argv` contains the arguments after its name. Resolves with the exit status and never rejects. */
export async function runCli(
  argv: readonly string[],
  context: ProgramContext,
): Promise<ExitStatus> {
  try {
    await createProgram({ ...context, argv }).parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already printed the error or the help text.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    return report(error, argv.includes('--verbose'), context)
  }
}

function report(error: unknown, isVerbose: boolean, { streams }: ProgramContext): ExitStatus {
  if (error instanceof CliError) {
    streams.note(error.message)
    if (isVerbose && error.details !== undefined) streams.note(error.details)
    return error.status
  }
  // The bug is in the command itself, so the stack is printed for a bug report.
  streams.note(error instanceof Error ? String(error.stack) : String(error))
  streams.note('This is a bug in blazon. Please report it with the lines above.')
  return 1
}
