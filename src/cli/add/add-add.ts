import { Argument, type Command } from 'commander'
import type { ProgramContext } from '../program-context.js'
import { type AddOptions, KINDS, type Kind } from './part-kinds.js'

const NOTES = `
The files look like those of the project: their names and folders, the ends of imports, quotes, semicolons, the runner of
the tests. The list of the application or of the module gets the part if there is no doubt which list that is. Otherwise
the command prints the line to add. Files that exist are never replaced.
`

/** Adds the command `add`. */
export function addAdd(parent: Command, context: ProgramContext): void {
  parent
    .command('add')
    .description('add a part to a project: a file, its test, and its place in the application')
    .addArgument(new Argument('<kind>', 'what to add').choices(KINDS))
    .argument('<name>', 'of the part: order-items')
    .option(
      '--dir <folder>',
      'the folder of the file (default: that of the others of its kind; for a migration: migrations)',
    )
    .option('--dry-run', 'print the files and changes, and write nothing')
    .allowExcessArguments(false)
    .addHelpText('after', NOTES)
    .action(async (kind: Kind, name: string, options: AddOptions) => {
      // Only this command needs its modules.
      const { addPart } = await import('./add-part.js')
      await addPart({ kind, name, ...options }, context)
    })
}
