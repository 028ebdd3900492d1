import { createInterface } from 'node:readline/promises'
import { CliError } from './cli-error.js'

/**
 * Asks the person at the terminal. The question goes to stderr, because stdout is for results.
 *
 * @throws CliError when the input ends before a line: Ctrl-C or Ctrl-D.
 */
export async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const ended = new Promise<never>((_, reject) => {
    lines.once('close', () =>
      reject(new CliError({ status: 2, what: 'The command has ended. Nothing was written.' })),
    )
  })
  try {
    return await Promise.race([lines.question(question), ended])
  } finally {
    // This also rejects the promise for the end, which is no longer awaited.
    ended.catch(() => undefined)
    lines.close()
  }
}
