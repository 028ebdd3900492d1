import { Argument, type Command } from 'commander'
import type { ProgramContext } from '../program-context.js'
import { KINDS, type Kind } from './part-name.js'

const NOTES = `
The command prints the line that lists the part in the application. It changes and replaces no file of the project.
`

/** Adds the command `add`. */
export function addAdd(parent: Command, context: ProgramContext): void {
  parent
    .command('add')
    .description('add a part to a project: a file and its test')
    .addArgument(new Argument('<kind>', 'what to add').choices(KINDS))
    .argument('<name>', 'of the part: order-items')
    .option(
      '--dir <folder>',
      'the folder of the file (default: src; for a module: src/<name>; for a migration: migrations)',
    )
    .allowExcessArguments(false)
    .addHelpText('after', NOTES)
    .action(async (kind: Kind, name: string, options: { readonly dir?: string }) => {
      // Only this command needs its modules.
      const { addPart } = await import('./add-part.js')
      await addPart({ kind, name, ...options }, context)
    })
}
