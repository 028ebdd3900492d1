import { DatabaseLink, type Plugin, RequestContext } from '../../index.js'
import { orStandIn, type PluginWork, TestJobs } from '../../plugin/index.js'
import type { JobDefinition } from './job.js'
import { type JobsOptions, type JobsSettings, resolveOptions } from './jobs-options.js'
import { Runtime } from './runtime.js'
import { Jobs } from './sender.js'
import { listJobs, retryJob } from './stored-jobs.js'

/**
 * Creates a plugin for work outside of requests: schedules, and jobs that are sent in the request's transaction, for
 * the request's tenant. The database of `postgres()` is the queue, managed by pg-boss. The plugin provides
 * {@link Jobs}. It needs the packages `pg-boss` and `@opentelemetry/api`, and Node 22.12 or later.
 *
 * @throws ConfigError at boot if an option or a schedule is invalid, if `postgres()` does not precede this plugin in
 * `plugins`, if a class has no `@Worker`, if a job or a name is used twice, or if Node or a package is too old or
 * missing.
 * @see docs/jobs.md
 * @example
 * new App({ plugins: [postgres({ url }), jobs({ work: true, workers: [Receipts] })] })
 */
export function jobs(options: JobsOptions): Plugin {
  const make = (given: JobsOptions) => jobsPlugin(resolveOptions(given))
  return orStandIn(
    () => make(options),
    () => make({ workers: [] }),
  )
}

function jobsPlugin(settings: JobsSettings): Plugin {
  return {
    name: 'jobs',
    providers: [
      ...settings.workers,
      Jobs,
      {
        token: Runtime,
        inject: [DatabaseLink],
        useFactory: (link: DatabaseLink) => new Runtime(settings, link),
      },
      { token: TestJobs, inject: [Runtime], useFactory: ({ drain }: Runtime) => drain },
    ],
    ...(settings.documented.length > 0 && { document: documentOf(settings.documented) }),
    // Jobs inherit the ID and the trace of the request that sends them.
    steps: () => ({ enter: (next) => (req, res) => RequestContext.run(req, next, req, res) }),
    setup: (context) => context.get(Runtime).start(context.get(Jobs), context),
    health: ({ get }) => get(Runtime).check(),
    work: ({ get }) => listedWork(get(DatabaseLink), settings.schema),
  }
}

function documentOf(jobs: readonly JobDefinition[]): NonNullable<Plugin['document']> {
  return (describe) => ({
    'x-jobs': Object.fromEntries(
      jobs.map(({ name, input }) => [name, input === null ? {} : { input: describe(input, name) }]),
    ),
  })
}

/**
 * Lists the application's jobs for the dashboard of `blazon dev`. Inputs are omitted, because they may be personal
 * data.
 */
function listedWork(link: DatabaseLink, schema: string): PluginWork {
  return {
    title: 'Jobs',
    async list(limit) {
      const jobs = await listJobs(link, { limit, schema })
      return jobs.map(({ id, name, state, tenant, attempts, sentAt, startAfter, reason }) => ({
        ...{ id, name, state, tenant, isFailed: state === 'dead', at: sentAt.getTime() },
        facts: { Runs: `${attempts}`, Due: startAfter.toISOString(), 'Last failure': reason ?? '' },
        actions: state === 'dead' ? ['retry'] : [],
      }))
    },
    actions: {
      async retry(id) {
        const isFound = await retryJob(link, id, schema)
        return isFound ? 'The job will run once more.' : 'The job is no longer dead.'
      },
    },
  }
}
