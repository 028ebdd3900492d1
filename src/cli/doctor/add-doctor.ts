import type { Command } from 'commander'
import { withRoles } from '../command-options.js'
import type { ProgramContext } from '../program-context.js'
import type { DoctorOptions } from './project.js'

const NOTES = `
Nothing is started, changed or installed. If the application stores data of tenants in PostgreSQL, the database is also examined. Its
address comes from --url, otherwise from DATABASE_URL in the environment or in .env.
`

/** Adds the command `doctor`. `withLoading` adds its loading options. */
export function addDoctor(
  parent: Command,
  { cwd, streams }: ProgramContext,
  withLoading: (command: Command) => Command,
): void {
  const command = parent
    .command('doctor')
    .description('examine a project: its packages, the application in production, its database')
    .option('--json', 'print JSON')
    .option('--strict', 'fail on warnings')
    .option(
      '--url <url>',
      'the database, instead of DATABASE_URL: postgres://user:password@host:5432/database',
    )
    .addHelpText('after', NOTES)
  withLoading(withRoles(command)).action(async (options: Omit<DoctorOptions, 'cwd'>) => {
    // The module is imported here, because only this command needs it.
    const { runDoctor } = await import('./run-doctor.js')
    await runDoctor({ ...options, cwd }, streams)
  })
}
