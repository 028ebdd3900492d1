import type { StepFactory } from '../../step/step.js'
import {
  type AskConfig,
  audienceStage,
  sendableStage,
  unaskedStage,
  type VisibleConfig,
  visibleStage,
} from './audience-steps.js'
import type { RouteAudience } from './compile-audience.js'

/** The marked fields of a route, and the stages of their steps. */
export interface AudienceStages extends RouteAudience {
  readonly ask: (config: Omit<AskConfig, 'audience'>) => StepFactory
  readonly refuseSent: () => StepFactory
  readonly hideUntilAsked: (config: Omit<VisibleConfig, 'audience' | 'base'>) => StepFactory
  readonly hide: (config: Omit<VisibleConfig, 'audience'>) => StepFactory
}

/** Adds the stages of their steps to the marked fields of a route. */
export function audienceStages(audience: RouteAudience): AudienceStages {
  return {
    ...audience,
    ask: (config) => audienceStage({ ...config, audience }),
    refuseSent: () => sendableStage(audience),
    hideUntilAsked: (config) => unaskedStage({ ...config, audience }),
    hide: (config) => visibleStage({ ...config, audience }),
  }
}
