import type { Clock } from '../contracts/clock.js'
import type { RequestHandler } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { OperationContributor } from '../contracts/openapi.js'
import type { Provider } from '../contracts/provider.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import { declareCache, type RunningCache } from '../features/cache/build-cache.js'
import type { Stage } from '../http/step.js'
import { NO_STAGES, type RouteStages } from '../pipeline/compile-route.js'
import type { AppOptions } from './options.js'

/** The features of an application before it starts. */
export interface Features {
  /** What they bring along for injection. */
  readonly providers: readonly Provider[]
  /** Makes ready what the routes use, before the first request; nothing is loaded or opened for what they do not. */
  start(input: FeatureInput): Promise<RunningFeatures>
}

/** What is known once an application starts. */
export interface FeatureInput {
  readonly model: AppModel
  readonly logger: Logger
}

/** What features put around requests. */
export interface RunningFeatures {
  /** Run before the application's own. */
  readonly middlewares: readonly RequestHandler[]
  /** Stands before the answers to requests that have no route. */
  readonly admission: Stage | null
  readonly stagesOf: (route: RouteModel) => RouteStages
  /** Whether any of them adds headers to answers. */
  readonly addsHeaders: boolean
  /** Lets go of everything; after the last request. */
  close(): Promise<void>
}

/** Says what features an application has. Runs nothing. */
export function declareFeatures({ cache: settings }: AppOptions, clock: Clock): Features {
  const cache = declareCache({ settings, clock, currentTenant: () => undefined })
  return {
    providers: cache.providers,
    start: async (input) => runningFeatures(await cache.start(input)),
  }
}

/** What features add to the document. */
export function featureContributors(_options: AppOptions): OperationContributor[] {
  return []
}

function runningFeatures(cache: RunningCache): RunningFeatures {
  return {
    middlewares: [],
    admission: null,
    stagesOf: (route) => {
      const stages = { ...NO_STAGES, cache: cache.stageOf(route) }
      return Object.values(stages).every((stage) => stage === null) ? NO_STAGES : stages
    },
    addsHeaders: cache.addsHeaders,
    close: () => cache.close(),
  }
}
