import { runCli } from '../../src/cli/run-cli.js'
import type { Outcome } from './project.js'

/**
 * Runs the command `blazon` in this process, which is enough where it loads no application.
 *
 * @param ask Answers a question, as a user on a terminal. Default: there is no terminal.
 */
export async function runInProcess(
  argv: readonly string[],
  cwd: string,
  ask?: (question: string) => Promise<string>,
): Promise<Outcome> {
  let [stdout, stderr] = ['', '']
  const streams = {
    out: (text: string) => {
      stdout += text
    },
    err: (text: string) => {
      stderr += text
    },
    note: (line: string) => {
      stderr += `${line}\n`
    },
  }
  const status = await runCli([...argv], { cwd, streams, ask })
  return { status, stdout, stderr }
}
