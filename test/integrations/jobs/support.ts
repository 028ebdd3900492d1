import { describe } from 'vitest'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

/** Whether pg-boss runs on this Node. */
export const runsJobs: boolean = major > 22 || (major === 22 && minor >= 12)

if (!runsJobs)
  console.warn(
    `Skipped: pg-boss needs Node 22.12, and this is ${process.version}. .ci/run has the later Nodes.`,
  )

/** `describe` for tests of jobs, which need a later Node than the framework. */
export const describeJobs = describe.skipIf(!runsJobs)
