import type { StepFactory as PublicStage } from '../contracts/steps.js'
import type { StepFactory } from './step.js'

/**
 * Lets a stage of the public types run among the framework's own steps. A stage of a feature or of a plugin declares
 * the request of the public types, and every request here is one.
 */
export function internalStep(stage: PublicStage): StepFactory {
  return stage as unknown as StepFactory
}
