import type { DatabaseLink } from '../../index.js'
import type { PluginWork } from '../../plugin/index.js'
import { listJobs, retryJob } from './stored-jobs.js'

/** The jobs of an application, for the dashboard of `blazon dev`. Their inputs are left out: they may be personal data. */
export function listedWork(link: DatabaseLink, schema: string): PluginWork {
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
        return isFound ? 'The job will run once more.' : 'The job is not dead any more.'
      },
    },
  }
}
