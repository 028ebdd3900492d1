import { type Command, Option } from 'commander'
import { withRoles } from '../command-options.js'
import type { Streams } from '../program-context.js'
import type {
  ExamineOptions,
  MigrateDbOptions,
  StatusOptions,
  TableOptions,
} from './db-commands.js'

/** The environment of one run of the command. */
export interface DbContext {
  readonly cwd: string
  readonly streams: Streams
}

const PLACES = `
The database is taken from --url, otherwise from DATABASE_URL in the environment or in .env; --embedded uses a folder.
Prefer DATABASE_URL for a password: other users of the machine can see the arguments of a command.
`

/** Adds the `db` commands. */
export function addDb(program: Command, context: DbContext): void {
  const db = program
    .command('db')
    .description(
      'the PostgreSQL database of an application: its migrations, and the separation of tenants',
    )
  addMigrate(db, context)
  addStatus(db, context)
  addDoctor(db, context)
  addTable(db, context)
}

function addMigrate(parent: Command, { cwd, streams }: DbContext): void {
  const command = parent
    .command('migrate')
    .description('run the pending migrations')
    .option(
      '--login <role>',
      'the role with which the application logs in; it becomes a member of the tenant roles',
    )
    .option('--no-roles', 'do not create tenant roles, for an application without tenants')
    .option('--strict', 'refuse a database that has migrations of a newer version')
  withDirectory(withDatabase(command)).action(async (options: Omit<MigrateDbOptions, 'cwd'>) => {
    const { migrateDatabase } = await import('./db-commands.js')
    await migrateDatabase({ ...options, cwd }, streams)
  })
}

function addStatus(parent: Command, { cwd, streams }: DbContext): void {
  const command = parent
    .command('status')
    .description('list the migrations with the state of each')
    .option('--json', 'print JSON')
  withDirectory(withDatabase(command)).action(async (options: Omit<StatusOptions, 'cwd'>) => {
    const { showStatus } = await import('./db-commands.js')
    await showStatus({ ...options, cwd }, streams)
  })
}

function addDoctor(parent: Command, { cwd, streams }: DbContext): void {
  const command = parent
    .command('doctor')
    .description(
      'check, with the login of the application, whether a tenant can access rows of other tenants',
    )
    .option('--json', 'print JSON')
  withDatabase(command).action(async (options: Omit<ExamineOptions, 'cwd'>) => {
    const { examineDatabase } = await import('./db-commands.js')
    await examineDatabase({ ...options, cwd }, streams)
  })
}

function addTable(parent: Command, { streams }: DbContext): void {
  const command = parent
    .command('table')
    .description('print SQL for a table whose rows belong to tenants')
    .argument('<name>', 'the name of the table')
    .option(
      '--columns <sql>',
      'the columns in addition to id and tenant_id: "number integer not null, note text"',
      (sql: string, before?: string) => (before === undefined ? sql : `${before}, ${sql}`),
    )
    .addOption(
      new Option('--id <kind>', 'the type of the column id')
        .choices(['bigint', 'uuid', 'text'])
        .default('bigint'),
    )
    .addOption(
      new Option('--existing', 'protect an existing table that has a column tenant_id').conflicts(
        'columns',
      ),
    )
    .option('--schema <name>', 'the schema of the table')
  withRoles(command).action(async (name: string, options: TableOptions) => {
    const { printTable } = await import('./db-commands.js')
    await printTable(name, options, streams)
  })
}

/** Adds the options of every command that opens a database. */
export function withDatabase(command: Command): Command {
  command
    .addOption(
      new Option('--url <url>', 'postgres://user:password@host:5432/database').conflicts(
        'embedded',
      ),
    )
    .option('--embedded <folder>', 'the folder of an embedded database')
    .addHelpText('after', PLACES)
  return withRoles(command)
}

function withDirectory(command: Command): Command {
  return command.option('--dir <folder>', 'the folder of the migrations', 'migrations')
}
