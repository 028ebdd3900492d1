import type { StepFactory } from './step.js'

/** Joins stages into one stage. The first becomes the outermost. Returns `null` for an empty list. */
export function joinStages(stages: readonly StepFactory[]): StepFactory | null {
  if (stages.length === 0) return null
  return (next) => stages.reduceRight((run, stage) => stage(run), next)
}
