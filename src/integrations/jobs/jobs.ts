import {
  type Class,
  DatabaseLink,
  InjectionToken,
  orStandIn,
  type Plugin,
  RequestContext,
  TestJobs,
} from '../../index.js'
import { type JobsOptions, type JobsSettings, resolveOptions } from './jobs-options.js'
import { Runtime } from './runtime.js'
import { Jobs } from './sender.js'

/** The state of `jobs()` in one application. */
const OwnRuntime: InjectionToken<Runtime> = new InjectionToken<Runtime>(
  'jobs(): an application can have only one',
)

/**
 * A plugin for work outside of requests: jobs that are sent in the transaction of the request, as its tenant, and
 * schedules. The database of `postgres()` is the queue, by pg-boss. It provides {@link Jobs}. Needs the package
 * `pg-boss`, and Node 22.12 or later.
 *
 * @throws ConfigError at boot: without `postgres()` before it in `plugins`; for a job or a name that is used twice; for a
 * schedule that is not valid; if Node or `pg-boss` is too old.
 * @see docs/jobs.md
 * @example
 * new App({ plugins: [postgres({ url }), jobs({ work: true, workers: [Receipts] })] })
 */
export function jobs(options: JobsOptions): Plugin {
  return orStandIn(
    () => jobsPlugin(resolveOptions(options), options.workers),
    () => jobsPlugin(resolveOptions({ workers: [] }), []),
  )
}

function jobsPlugin(settings: JobsSettings, workers: readonly Class[]): Plugin {
  return {
    name: 'jobs',
    providers: [
      ...workers,
      Jobs,
      {
        token: OwnRuntime,
        inject: [DatabaseLink, Jobs],
        useFactory: (link: DatabaseLink, sender: Jobs) => new Runtime({ settings, link, sender }),
      },
      { token: TestJobs, inject: [OwnRuntime], useFactory: (runtime: Runtime) => runtime.drain },
    ],
    // Jobs have the id and the trace of the request that sends them.
    steps: () => ({ enter: (next) => (req, res) => RequestContext.run(req, next, req, res) }),
    setup: (context) => context.get(OwnRuntime).start(context, workers),
    health: ({ get }) => get(OwnRuntime).check(),
  }
}
