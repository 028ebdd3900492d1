import type { RequestHandler } from '../contracts/handler.js'
import type { Interceptor } from '../contracts/interceptor.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { BodyLimits } from '../http/read-json.js'
import type { RequestScopes } from '../http/request-scopes.js'
import type { OnError, StepFactory } from '../step/step.js'
import type { Deadlines } from './deadlines.js'
import type { LogDenial, LogFailure } from './log-failure.js'
import type { OnLateError } from './middleware-errors.js'
import type { OnStep } from './observe-steps.js'
import { type RouteSteps, type StepsBy, stepsBy } from './route-steps.js'
import type { BodyStages } from './steps/bodies.js'
import type { Decide } from './steps/can.js'
import type { RouteGuard } from './steps/guard.js'
import type { NamedSteps } from './steps/observe.js'
import type { CompiledParameter } from './steps/parameters.js'
import type { FindDateWriter, RouteFields } from './steps/prepare-response.js'
import type { CompiledInput } from './steps/validate.js'
import type { CompiledStream } from './streams/compile-stream.js'
import type { VisibilityStages } from './visibility/visibility-stages.js'

/** The parts of a route that are not plain data. */
export interface RouteParts {
  /** The controller instance. */
  readonly instance: object
  /** The compiled schemas; empty if the route has no schemas. */
  readonly inputs: readonly CompiledInput[]
  /** The steps for a body with options; `null` if the route has no body, or a JSON body without options. */
  readonly bodies: BodyStages | null
  /** The step that chooses a representation; `null` without `@Produces`. */
  readonly negotiate: StepFactory | null
  /** The step that reads a form with files; `null` if the route reads no such form. */
  readonly upload: StepFactory | null
  /** The step that parses cookies; `null` if the route does not read cookies. */
  readonly cookies: StepFactory | null
  readonly stages: RouteStages
  /**
   * Finds the function that writes dates; `null` if the positions of dates are not known, or if response fields are
   * limited.
   */
  readonly dates: FindDateWriter | null
  /** The settings for limiting response fields; `null` if the route sends all fields. */
  readonly fields: RouteFields | null
  /** The marked fields (`visibleTo`) and their steps; `null` if the route has no marked fields. */
  readonly visibility: VisibilityStages | null
  /** The plugin steps, outermost first; empty if there are none. */
  readonly added: readonly NamedSteps[]
  /** The Express middlewares from `@Use`; empty if there are none. */
  readonly middlewares: readonly RequestHandler[]
  /** The interceptors, outermost first; empty if there are none. */
  readonly interceptors: readonly Interceptor[]
  /** The parameters created with `defineParameter`; empty if the route uses none. */
  readonly parameters: readonly CompiledParameter[]
  /** The step before the handler of an application under test; `null` for all other applications. */
  readonly underTest: StepFactory | null
}

/**
 * The steps that features add to one route. `null` if the route does not use the step. `STEPS` describes each step.
 * `queryCache` is the `cache` step of a `QUERY` route.
 */
export type RouteStages = Pick<RouteSteps, Exclude<StepsBy<'feature'>, 'queryCache'>>

/**
 * The stages of a route that uses no feature. All such routes share this object, so that they can be recognized by it.
 */
export const NO_STAGES: RouteStages = Object.freeze(
  Object.fromEntries(stepsBy('feature').map((name) => [name, null])),
) as RouteStages

/** The settings of a route. All routes of an application that have no limits of their own share one object. */
export interface PipelineConfig {
  /** The application's guards, the default guard first; empty if there are none. */
  readonly guards: readonly RouteGuard[]
  readonly logDenial: LogDenial
  readonly can: Decide | undefined
  readonly bodyLimits: BodyLimits
  /** The time limits of handlers; `null` for no limit. */
  readonly deadlines: Deadlines | null
  readonly onError: OnError
  readonly onLateError: OnLateError
  readonly log: LogFailure
  /** The response status for a request that a schema rejects. */
  readonly validationStatus: number
  /** Whether a middleware can end a request while its handler is still running. */
  readonly mayFailLate: boolean
  /** Whether the response to an error can be sent later, while the handler is still running. */
  readonly mayRespondToErrorsLater: boolean
  /** The request scopes; `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** Whether a plugin observes all requests. */
  readonly isObserved: boolean
  /** Receives each step that a request enters; `null` if no plugin observes steps. */
  readonly onStep: OnStep | null
  /** Returns the functions of a streaming route; `null` if there are no such routes. */
  readonly streamOf: ((route: RouteModel) => CompiledStream | null) | null
}
