import type { StepFactory } from '../../step/step.js'
import type { RouteVisibility } from './compile-visibility.js'
import {
  type AskConfig,
  sendableStage,
  unaskedStage,
  type VisibleConfig,
  visibilityStage,
  visibleStage,
} from './visibility-steps.js'

/** The marked fields of a route, and the stages of their steps. */
export interface VisibilityStages extends RouteVisibility {
  readonly ask: (config: Omit<AskConfig, 'visibility'>) => StepFactory
  readonly refuseSent: () => StepFactory
  readonly hideUntilAsked: (config: Omit<VisibleConfig, 'visibility' | 'base'>) => StepFactory
  readonly hide: (config: Omit<VisibleConfig, 'visibility'>) => StepFactory
}

/** Adds the stages of their steps to the marked fields of a route. */
export function visibilityStages(visibility: RouteVisibility): VisibilityStages {
  return {
    ...visibility,
    ask: (config) => visibilityStage({ ...config, visibility }),
    refuseSent: () => sendableStage(visibility),
    hideUntilAsked: (config) => unaskedStage({ ...config, visibility }),
    hide: (config) => visibleStage({ ...config, visibility }),
  }
}
