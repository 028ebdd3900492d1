import type { Command } from 'commander'
import type { ProgramContext } from '../program-context.js'
import type { ReplayOptions } from './replay.js'

const NOTES = `
A capsule is a file with a request that the server failed to handle. "blazon dev" writes capsules; other applications write them
with the option records: { capsules: true }. The command starts the application in a test and sends it the same bytes, with the
same user, tenant and time. The statements of blazon/postgres are answered from the capsule, and no other host is called. See
docs/replay.md.

Exit status:
  0  the server no longer fails; with --write: the test was written, and failed once
  1  the server fails again, or the application does not start
  2  there is no such capsule, or it cannot be run
  3  the result is undetermined: no answer for a statement or a call, a refusal before the handler, or replaced secrets;
     with --write: no test fails as the request did
`

/** Adds the command `replay`. */
export function addReplay(
  program: Command,
  { cwd, streams }: ProgramContext,
  withEntry: (command: Command) => Command,
): void {
  const command = program
    .command('replay')
    .description(
      'run a failed request again in a test, or write the test; without an ID, list the requests',
    )
    .argument('[id]', 'the ID of the capsule, or "last"')
    .option(
      '--write [file]',
      'write a test that fails as the request did (default: a file in the folder of the tests)',
    )
    .option(
      '--database',
      'run the statements in the database of the application, which may change rows, and allow connections while the application starts',
    )
    .option('--folder <folder>', 'the folder of the capsules (default: .blazon/capsules)')
    .addHelpText('after', NOTES)
  withEntry(command).action(async (id: string | undefined, options: Omit<ReplayOptions, 'cwd'>) => {
    const { replay } = await import('./replay.js')
    await replay(id, { ...options, cwd }, streams)
  })
}
