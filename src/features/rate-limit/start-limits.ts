import type { StoreContext } from '../../contracts/cache.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { Stage } from '../../contracts/steps.js'
import { clientKey, unmatchedClientKey } from './client-key.js'
import type { RateLimitSettings } from './limit-settings.js'
import { limitStage } from './limit-stage.js'
import { memoryRateLimit } from './memory-rate-limit.js'
import { type PlannedLimit, placeLimits, planLimits } from './plan-limits.js'
import { withFallback } from './with-fallback.js'

/** The limits of a running application. */
export interface RunningLimits {
  /** The limits of requests without a route. They run before the 404 or 405 is sent. */
  readonly unmatched: Stage | null
  /** The steps that a route needs, as a plugin returns them. */
  readonly steps: (route: RouteModel) => LimitStages | null
  close(): Promise<void>
}

/**
 * `admission` holds the limits by address, which run before the guard. `quota` holds the limits that need the
 * user or the tenant, or that have a function `by`; they run after the guard.
 */
export interface LimitStages {
  readonly admission: Stage | null
  readonly quota: Stage | null
}

/** The input of {@link startLimits} besides the settings. */
export interface LimitsConfig extends StoreContext {
  readonly model: AppModel
  /** Changes the stage of each limit. */
  readonly wrapLimit: (limit: Stage) => Stage
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
  const stages = new Map<PlannedLimit, Stage>()
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
      const { admission, quota } = placeLimits(limits)
      return {
        admission: inTurn(admission.map(stageOf)),
        quota: inTurn(quota.map(stageOf)),
      }
    },
    close: async () => opened.close?.(),
  }
}

/** Joins limits to one stage: a request that one limit refuses is not counted by later limits. */
function inTurn(limits: readonly Stage[]): Stage | null {
  if (limits.length === 0) return null
  return (next) => limits.reduceRight((run, limit) => limit(run), next)
}
