#!/usr/bin/env node
import { CommanderError } from 'commander'
import { CliError, type ExitStatus } from './cli-error.js'
import { createProgram } from './program.js'
import type { ProgramContext } from './program-context.js'

// A pipe may close before all output is written: `blazon routes | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const streams = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
  note: (line: string) => void process.stderr.write(`${line}\n`),
}

/** Prompts are only for a person at a terminal. */
const ask =
  process.stdin.isTTY && process.stderr.isTTY
    ? async (question: string) => (await import('./ask.js')).ask(question)
    : undefined

const status = await runCli(process.argv.slice(2), { cwd: process.cwd(), streams, ask })
// An application that `blazon start` runs in this process sets its own.
if (status !== 0) process.exitCode = status

/**
 * Runs the command. `argv` holds the arguments after its name. Resolves with the exit status and never
 * rejects.
 */
export async function runCli(
  argv: readonly string[],
  context: ProgramContext,
): Promise<ExitStatus> {
  try {
    await createProgram({ ...context, argv }).parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already printed the error, or the help text.
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
  // A bug in the command itself: print the stack for the report.
  streams.note(error instanceof Error ? String(error.stack) : String(error))
  streams.note('This is a defect of blazon. Please report it with the lines above.')
  return 1
}
