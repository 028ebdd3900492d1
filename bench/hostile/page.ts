import { cpus } from 'node:os'
import { markdownTable } from '../report.mjs'

/** What one request cost the process that answered it. */
export interface Measured {
  readonly name: string
  /** Milliseconds of CPU when it came first: what its schema needs is compiled then. */
  readonly first: number
  /** The median of the others. */
  readonly again: number
  /** The most megabytes that the process had until then. */
  readonly memory: number
}

/** What one request may cost. */
const GOAL_MS = 150
const SHOWN = 25

const costOf = ({ first, again }: Measured) => Math.max(first, again)

/** The most expensive requests on one Node. */
export function sectionOf(version: string, measured: readonly Measured[]): string {
  const worst = [...measured].sort((a, b) => costOf(b) - costOf(a)).slice(0, SHOWN)
  const rows = worst.map((each) => [
    each.name,
    each.first.toFixed(0),
    each.again.toFixed(0),
    costOf(each) > GOAL_MS ? '**missed**' : 'reached',
  ])
  const missed = measured.filter((each) => costOf(each) > GOAL_MS).length
  const memory = Math.max(...measured.map((each) => each.memory)).toFixed(0)
  return `## Node ${version}

${measured.length} requests; ${missed} of them take more than ${GOAL_MS} ms. The process has had ${memory} MB at most. The ${worst.length} that take longest:

${markdownTable(['request', 'first, ms', 'again, ms', `≤ ${GOAL_MS} ms`], rows)}`
}

/** The whole page. */
export function pageOf(
  sections: readonly string[],
  { rounds, load }: { readonly rounds: number; readonly load: number },
): string {
  return `# What one hostile body costs

Written by \`npm run bench:hostile\`. ${cpus()[0]?.model}, ${cpus().length} cores. Load average of the machine when the run began:
${load.toFixed(1)}; above 0.5, others shared the cores, and figures are higher than they should be.

Every request is sent ${rounds} times to an application with the default limits (100 kB, 64 levels). **first** and **again** are milliseconds of CPU time
of its whole process, user and system, reading, parsing and answering included; **again** is a median. What is sent is in \`bench/hostile/\`, and \`npm run test:hostile\` checks
the answers. What remains the application's own affair is in [Validation](../docs/validation.md#what-a-body-can-cost).

${sections.join('\n\n')}
`
}
