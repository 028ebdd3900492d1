#!/usr/bin/env node
import { runCli } from './run-cli.js'

// The reader of a pipe may close it before all output is written, as in `blazon routes | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const streams = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
  note: (line: string) => void process.stderr.write(`${line}\n`),
}

/** Prompts require a person at a terminal. */
const ask =
  process.stdin.isTTY && process.stderr.isTTY
    ? async (question: string) => (await import('./ask.js')).ask(question)
    : undefined

const status = await runCli(process.argv.slice(2), { cwd: process.cwd(), streams, ask })
// An application that `blazon start` runs in this process sets its own exit code.
if (status !== 0) process.exitCode = status
