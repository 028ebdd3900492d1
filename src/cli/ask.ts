import { createInterface } from 'node:readline/promises'
import { CliError } from './cli-error.js'

/**
 * Prints a question on the terminal, and resolves with the answer. The question goes to stderr, because stdout is for
 * results.
 *
 * @throws CliError if the input ends before a complete line, through Ctrl-C or Ctrl-D.
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
    // `lines.close()` also rejects `ended`, which is no longer awaited by then.
    ended.catch(() => undefined)
    lines.close()
  }
}
