import { readFileSync } from 'node:fs'
import { Argument, Command, Option } from 'commander'
import { KINDS, type Kind } from './add/part-name.js'
import { toSeconds } from './command-options.js'
import { addDb } from './db/add-db.js'
import { addDev } from './dev/add-dev.js'
import type { DiffOptions } from './diff-documents.js'
import { addDoctor } from './doctor/add-doctor.js'
import type { ExportOptions } from './export-document.js'
import { addJobs } from './jobs/add-jobs.js'
import { addKeys } from './keys/add-keys.js'
import type { DeprecationsOptions } from './list-deprecations.js'
import type { RoutesOptions } from './list-routes.js'
import { addNew } from './new/add-new.js'
import type { ProgramContext } from './program-context.js'
import { addReplay } from './replay/add-replay.js'
import type { ConfigOptions } from './show-config.js'
import { addStart } from './start/add-start.js'

const DEFAULT_TIMEOUT_SECONDS = 30

/** The maximum duration of a Node timer, in seconds: 2^31 - 1 ms. */
const MAX_TIMEOUT_SECONDS = 2_147_483

const EXIT_STATUSES = `
Exit status:
  0  ok
  1  the application or its database failed, or doctor found an error
  2  the command was used incorrectly
  3  a check failed: a file is stale, a change is breaking, or tenants are not isolated
  4  a package is missing
`

const LOADING = `
The application is read, but not started: no provider is created, no plugin is set up, and no port is opened. Without --entry,
the path comes from blazon.config.{json,js,mjs,ts} or from "blazon" in package.json; otherwise, src/app, src/main or src/index is used.
`

/**
 * Declares the commands with their options and actions. An action imports its modules only when it runs, so that
 * printing the help or a usage error does not load them.
 */
export function createProgram(context: ProgramContext): Command {
  const program = new Command('blazon')
    .description(
      'Creates projects with Blazon, adds parts to them, and finds problems in them. Runs their applications, in development and in production. Writes the OpenAPI document of an application and a client for it, lists its routes and its variables, and manages its database.',
    )
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .addHelpText('after', EXIT_STATUSES)
    .configureOutput({ writeOut: context.streams.out, writeErr: context.streams.err })
    .exitOverride()
    .showHelpAfterError('Run the command with --help to see its options.')
  addNew(program, context)
  addAdd(program, context)
  const openapi = program.command('openapi').description('the OpenAPI document of an application')
  addExport(openapi, context)
  addDiff(openapi, context)
  addRoutes(program, context)
  addConfig(program, context)
  addDb(program, context)
  addKeys(program, context)
  addJobs(program, context)
  addDeprecations(program, context)
  addDev(program, context)
  addStart(program, context)
  addReplay(program, context, withEntry)
  addDoctor(program, context, (command) => withLoading(command, { hasDocument: false }))
  return program
}

function packageVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url)
  return JSON.parse(readFileSync(manifest, 'utf8')).version
}

function addExport(parent: Command, { cwd, streams, argv }: ProgramContext): void {
  const command = parent
    .command('export')
    .description('write the document, and a TypeScript client for it')
    .option('--out <file>', 'the path of the document; - prints it (default: ./openapi.json)')
    .addOption(
      new Option(
        '--format <format>',
        'the format (default: from the extension of --out, else json)',
      ).choices(['json', 'yaml']),
    )
    .addOption(
      new Option(
        '--client <kind>',
        'also write a client: one file with types, and functions that use fetch',
      ).choices(['typescript']),
    )
    .option(
      '--client-out <file>',
      'the path of the client (default: openapi-client.ts in src/ if this folder exists, else next to the document)',
    )
    .option(
      '--check',
      'write nothing; fail if a file differs from the content that would be written',
    )
    .option('--strict', 'fail on warnings')
  withLoading(command, { hasDocument: true }).action(
    async (options: Omit<ExportOptions, 'cwd' | 'argv'>) => {
      const { exportDocument } = await import('./export-document.js')
      await exportDocument({ ...options, cwd, argv }, streams)
    },
  )
}

function addDiff(parent: Command, { cwd, streams }: ProgramContext): void {
  const command = parent
    .command('diff')
    .description('list the changes since an older document')
    .argument('<base>', 'the older document: JSON or YAML')
    .option('--breaking', 'list only changes that can break clients, and fail if there are any')
    .addOption(
      new Option('--format <format>', 'the format of the output')
        .choices(['text', 'json'])
        .default('text'),
    )
  withLoading(command, { hasDocument: true }).action(
    async (base: string, options: Omit<DiffOptions, 'cwd'>) => {
      const { diffDocuments } = await import('./diff-documents.js')
      await diffDocuments(base, { ...options, cwd }, streams)
    },
  )
}

function addRoutes(parent: Command, { cwd, streams }: ProgramContext): void {
  const command = parent
    .command('routes')
    .description('list the routes of an application')
    .option('--json', 'print JSON')
    .option('--filter <text>', 'only routes with this text in method, path, controller or handler')
    .option('--api-version <name>', 'only routes of this version, and routes in every version')
    .addOption(
      new Option(
        '--explain <route...>',
        'explain one route: its steps and their settings, and its decorators with their lines. Examples: GET /orders/:id, /orders/{id} or /orders/3',
      ).conflicts('filter'),
    )
  withLoading(command, { hasDocument: false }).action(
    async (options: Omit<RoutesOptions, 'cwd'>) => {
      const { listRoutes } = await import('./list-routes.js')
      await listRoutes({ ...options, cwd }, streams)
    },
  )
}

function addConfig(parent: Command, { cwd, streams }: ProgramContext): void {
  const command = parent
    .command('config')
    .description(
      'list the environment variables that an application describes with env(), with their values; secrets are masked',
    )
    .addOption(new Option('--json', 'print JSON').conflicts('example'))
    .option(
      '--example [file]',
      'write an example with all variables, without values; - prints it (default: ./.env.example)',
    )
    .option('--force', 'replace the example if it exists')
  withLoading(command, { hasDocument: false }).action(
    async (options: Omit<ConfigOptions, 'cwd'>) => {
      const { showConfig } = await import('./show-config.js')
      await showConfig({ ...options, cwd }, streams)
    },
  )
}

/** Adds the options of every command that reads an application. */
function withLoading(command: Command, { hasDocument }: { hasDocument: boolean }): Command {
  withEntry(command).addHelpText('after', LOADING + EXIT_STATUSES)
  if (hasDocument) {
    command.option(
      '--path <path>',
      "the path of the document's page, such as /api-docs (required if there are several documents)",
    )
  }
  return command
}

function withEntry(command: Command): Command {
  return command
    .option('--entry <file>', 'the module that creates the application')
    .addOption(
      new Option('--timeout <seconds>', 'the time limit for loading the module')
        .argParser(toSeconds(MAX_TIMEOUT_SECONDS))
        .default(DEFAULT_TIMEOUT_SECONDS),
    )
    .option('--verbose', 'show where errors were thrown')
    .allowExcessArguments(false)
}

function addDeprecations(program: Command, { streams }: ProgramContext): void {
  program
    .command('deprecations')
    .description('list the deprecated routes of a running application, with their callers')
    .requiredOption('--url <url>', 'the URL of the metrics, such as http://127.0.0.1:3000/metrics')
    .option('--header <line...>', "headers of the request: 'authorization: Bearer …'")
    .option('--json', 'print JSON')
    .action(async (options: DeprecationsOptions) => {
      const { listDeprecations } = await import('./list-deprecations.js')
      await listDeprecations(options, streams)
    })
}

const NOTES = `
The command prints the line that adds the part to the application. It does not change or replace existing files.
`

function addAdd(parent: Command, context: ProgramContext): void {
  parent
    .command('add')
    .description('add a part to a project: a file and its test')
    .addArgument(new Argument('<kind>', 'the kind of the part').choices(KINDS))
    .argument('<name>', 'the name of the part: order-items')
    .option(
      '--dir <folder>',
      'the folder of the file (default: src; for a module: src/<name>; for a migration: migrations)',
    )
    .allowExcessArguments(false)
    .addHelpText('after', NOTES)
    .action(async (kind: Kind, name: string, options: { readonly dir?: string }) => {
      // The module is imported here, because only this command needs it.
      const { addPart } = await import('./add/add-part.js')
      await addPart({ kind, name, ...options }, context)
    })
}
