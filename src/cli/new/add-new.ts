import { type Command, Option } from 'commander'
import type { ProgramContext } from '../program-context.js'
import { DECORATORS, type NewOptions, PACKAGE_MANAGERS, RUNNERS, TEMPLATES } from './new-options.js'

const NOTES = `
Templates:
  minimal   one controller and its test
  service   variables, a guard, validated input, logs, health checks, a Dockerfile
  saas      the same for several tenants, with PostgreSQL: embedded in development, a server in production

On a terminal, the command asks for the folder and the template, unless they are specified. Existing files are never
changed. Until the package is published, specify its tarball: --package ../blazon-0.1.0.tgz
`

/** Adds the command `new`. */
export function addNew(parent: Command, context: ProgramContext): void {
  parent
    .command('new')
    .description('create a new project')
    .argument('[folder]', 'the folder of the project: a new or an empty one')
    .addOption(
      new Option(
        '--template <name>',
        'the initial content of the project (default: minimal)',
      ).choices(TEMPLATES),
    )
    .option('--name <name>', 'the name of its package (default: the name of the folder)')
    .addOption(
      new Option('--decorators <dialect>', 'standard, or legacy (experimentalDecorators)')
        .choices(DECORATORS)
        .default('standard'),
    )
    .addOption(
      new Option('--test <runner>', 'the runner of its tests').choices(RUNNERS).default('vitest'),
    )
    .addOption(
      new Option(
        '--pm <name>',
        'the package manager (default: the one that runs the command, else npm)',
      ).choices(PACKAGE_MANAGERS),
    )
    .option(
      '--package <source>',
      'the source of blazon: a version, a tarball or a folder (default: the version of this command)',
    )
    .option('--no-install', 'do not install the packages')
    .option('--no-git', 'do not create a git repository')
    .option('--yes', 'do not ask questions')
    .allowExcessArguments(false)
    .addHelpText('after', NOTES)
    .action(async (folder: string | undefined, options: Omit<NewOptions, 'folder'>) => {
      const { newProject } = await import('./new-project.js')
      await newProject({ ...options, folder }, context)
    })
}
