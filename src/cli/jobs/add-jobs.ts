import { type Command, Option } from 'commander'
import { type DbContext, withDatabase } from '../db/add-db.js'
import type { ListJobsOptions, RetryJobOptions } from './job-commands.js'

const SCHEMA = 'the schema of the tables (default: blazon_jobs)'

/** Adds the `jobs` commands. */
export function addJobs(program: Command, context: DbContext): void {
  const jobs = program.command('jobs').description('the jobs in the database of an application')
  addList(jobs, context)
  addDead(jobs, context)
  addRetry(jobs, context)
}

function addList(parent: Command, context: DbContext): void {
  const command = parent
    .command('list')
    .description('list the newest jobs')
    .addOption(
      new Option('--state <state>', 'only jobs in this state').choices([
        'waiting',
        'running',
        'done',
        'dead',
        'cancelled',
      ]),
    )
  withList(command).action((options: ListJobsOptions) => list(options, context))
}

function addDead(parent: Command, context: DbContext): void {
  const command = parent
    .command('dead')
    .description('list the jobs that failed in every run, with the reasons')
  withList(command).action((options: ListJobsOptions) =>
    list({ ...options, state: 'dead' }, context),
  )
}

function addRetry(parent: Command, { cwd, streams }: DbContext): void {
  const command = parent
    .command('retry')
    .description('run a dead job once more')
    .argument('<id>', 'the ID of the job, as `jobs dead` prints it')
    .option('--schema <name>', SCHEMA)
  withDatabase(command).action(async (id: string, options: Omit<RetryJobOptions, 'cwd'>) => {
    const { retryOne } = await import('./job-commands.js')
    await retryOne(id, { ...options, cwd }, streams)
  })
}

function withList(command: Command): Command {
  command
    .option('--name <name>', 'only jobs of this name')
    .option('--schema <name>', SCHEMA)
    .option('--json', 'print JSON')
  return withDatabase(command)
}

async function list(options: Omit<ListJobsOptions, 'cwd'>, { cwd, streams }: DbContext) {
  const { listStored } = await import('./job-commands.js')
  await listStored({ ...options, cwd }, streams)
}
