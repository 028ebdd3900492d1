import type { StoreContext } from '../../contracts/cache.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { StepFactory } from '../../contracts/steps.js'
import { clientKey, unmatchedClientKey } from './client-key.js'
import type { RateLimitSettings } from './limit-settings.js'
import { limitStage } from './limit-stage.js'
import { memoryRateLimit } from './memory-rate-limit.js'
import { type PlannedLimit, placeLimits, planLimits } from './plan-limits.js'
import { withFallback } from './with-fallback.js'

/** The limits of a running application. */
export interface RunningLimits {
  /** The limits of requests without a route. They run before the 404 or 405 is sent. */
  readonly unmatched: StepFactory | null
  /** The steps that a route needs, as a plugin returns them. */
  readonly steps: (route: RouteModel) => LimitStages | null
  close(): Promise<void>
}

/**
 * `ipRateLimit` holds the limits by address, which run before the guard. `userRateLimit` holds the limits that need the
 * user or the tenant, or that have a function `by`; they run after the guard.
 */
export interface LimitStages {
  readonly ipRateLimit: StepFactory | null
  readonly userRateLimit: StepFactory | null
}

/** The input of {@link startLimits} besides the settings. */
export interface LimitsConfig extends StoreContext {
  readonly model: AppModel
  /** Changes the stage of each limit. */
  readonly wrapLimit: (limit: StepFactory) => StepFactory
}

/**
 * Opens the store and creates the stages. Loaded for an application that has limits.
 */
export async function startLimits(
  settings: RateLimitSettings,
  { model, wrapLimit, ...context }: LimitsConfig,
): Promise<RunningLimits> {
  const { ofApp, ofRoutes } = planLimits(settings, model)
  const { logger } = context
  const opened = settings.store ?? memoryRateLimit()
  await opened.open?.(context)
  const store = settings.store === null ? opened : withFallback(settings.store, context)
  // One stage for each limit, not for each route, so that its warning is logged once and not once for each
  // route.
  const stages = new Map<PlannedLimit, StepFactory>()
  const stageOf = (limit: PlannedLimit) => {
    const stage =
      stages.get(limit) ??
      wrapLimit(limitStage(limit, { store, clientKey: clientKey(limit, logger) }))
    stages.set(limit, stage)
    return stage
  }
  return {
    unmatched: inTurn(
      ofApp.map((limit) =>
        wrapLimit(limitStage(limit, { store, clientKey: unmatchedClientKey(limit, logger) })),
      ),
    ),
    steps({ index }) {
      const limits = ofRoutes[index] ?? []
      if (limits.length === 0) return null
      const { ipRateLimit, userRateLimit } = placeLimits(limits)
      return {
        ipRateLimit: inTurn(ipRateLimit.map(stageOf)),
        userRateLimit: inTurn(userRateLimit.map(stageOf)),
      }
    },
    close: async () => opened.close?.(),
  }
}

/** Joins limits to one stage: a request that one limit refuses is not counted by later limits. */
function inTurn(limits: readonly StepFactory[]): StepFactory | null {
  if (limits.length === 0) return null
  return (next) => limits.reduceRight((run, limit) => limit(run), next)
}
