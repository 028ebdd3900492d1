import type { Stage } from './step.js'

/** Joins stages into one, the first of them outermost; `null` where there are none. */
export function inOrder(stages: readonly Stage[]): Stage | null {
  if (stages.length === 0) return null
  return (next) => stages.reduceRight((run, stage) => stage(run), next)
}
