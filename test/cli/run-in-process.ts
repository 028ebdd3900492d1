import { runCli } from '../../src/cli/run-cli.js'
import type { Outcome } from './project.js'

/** Runs the command `blazon` in this process, which is enough where it loads no application. */
export async function runInProcess(argv: readonly string[], cwd: string): Promise<Outcome> {
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
  const status = await runCli([...argv], { cwd, streams })
  return { status, stdout, stderr }
}
