import type { Command } from 'commander'
import type { ProgramContext } from '../program-context.js'
import type { DeprecationsOptions } from './list-deprecations.js'

/** Adds the command `deprecations`. */
export function addDeprecations(program: Command, { streams }: ProgramContext): void {
  program
    .command('deprecations')
    .description('list the deprecated routes of a running application, with their callers')
    .requiredOption('--url <url>', 'the metrics of the application: http://127.0.0.1:3000/metrics')
    .option('--header <line...>', "headers of the request: 'authorization: Bearer …'")
    .option('--json', 'print JSON')
    .action(async (options: DeprecationsOptions) => {
      const { listDeprecations } = await import('./list-deprecations.js')
      await listDeprecations(options, streams)
    })
}
