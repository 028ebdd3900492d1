import type { TestJobs as TestJobsPort } from '../contracts/test-jobs.js'
import { InjectionToken } from './token.js'

/** The jobs of an application under test; see the members. */
export type TestJobs = TestJobsPort

/** The token by which `app.jobs` of a `TestApp` finds the jobs of an application. A plugin with jobs provides it. */
export const TestJobs: InjectionToken<TestJobs> = new InjectionToken<TestJobs>(
  'app.jobs: it needs jobs() of blazon/jobs in `plugins`',
)
