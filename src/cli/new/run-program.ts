import { spawn } from 'node:child_process'

/** The end of a program: its exit code, or why it could not run. */
export type Ending = number | 'missing' | 'killed'

/** Runs a program without a shell. Its output goes to stderr, because stdout is for results. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, isQuiet = false }: { readonly cwd: string; readonly isQuiet?: boolean },
): Promise<Ending> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      shell: false,
      stdio: isQuiet ? 'ignore' : ['ignore', 2, 2],
    })
    child.once('error', () => resolve('missing'))
    child.once('close', (code) => resolve(code ?? 'killed'))
  })
}
