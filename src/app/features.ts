import type { Clock } from '../contracts/clock.js'
import type { RequestHandler } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { OperationContributor } from '../contracts/openapi.js'
import type { Provider } from '../contracts/provider.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { checkLimitPlan } from '../features/rate-limit/check-rate-limit.js'
import { limitAnswers, limitFacts } from '../features/rate-limit/limit-answers.js'
import { startLimits } from '../features/rate-limit/start-limits.js'
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
export function declareFeatures(options: AppOptions, clock: Clock): Features {
  return { providers: [], start: (input) => startFeatures(options, { ...input, clock }) }
}

/** What features add to the document. */
export function featureContributors({ rateLimit }: AppOptions): OperationContributor[] {
  return [limitAnswers(rateLimit)]
}

/** Everything beside the model that `featureContributors` depends on, as data. */
export function featureFacts({ rateLimit }: AppOptions): object {
  return { limits: limitFacts(rateLimit) }
}

/** What is wrong with what features are told by decorators and options together. */
export function checkFeatures(options: AppOptions, model: AppModel): Problem[] {
  return checkLimitPlan(options, model)
}

async function startFeatures(
  { rateLimit }: AppOptions,
  input: FeatureInput & { readonly clock: Clock },
): Promise<RunningFeatures> {
  const limits = await startLimits(rateLimit, input)
  return {
    middlewares: [],
    admission: limits?.unmatched ?? null,
    stagesOf: (route) => toStages({ ...limits?.stagesOf(route) }),
    addsHeaders: limits !== null,
    close: async () => limits?.close(),
  }
}

/** A route that uses nothing is known by its stages being those of all such routes. */
function toStages(own: Partial<RouteStages>): RouteStages {
  const isUsed = Object.values(own).some((stage) => stage !== null)
  return isUsed ? { ...NO_STAGES, ...own } : NO_STAGES
}
