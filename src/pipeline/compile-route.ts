import type { AuthGuard } from '../contracts/guard.js'
import type { Interceptor } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { BodyLimits } from '../http/read-json.js'
import type { RequestScopes } from '../http/request-scopes.js'
import type { AnswerStage, OnError, RunRoute, Stage, Step } from '../http/step.js'
import type { Deadlines } from './deadlines.js'
import type { LogDenial } from './log-denials.js'
import { compileBareAnswers } from './steps/bare.js'
import { bodyStep } from './steps/body.js'
import { canStep, type Decide } from './steps/can.js'
import { datesStep, type FindDateWriter } from './steps/dates.js'
import { guardStep } from './steps/guard.js'
import { headersStep } from './steps/headers.js'
import { interceptStep } from './steps/intercept.js'
import { invokeStep, takesResponse, unexpiredStep } from './steps/invoke.js'
import { respondStep, settleOf } from './steps/respond.js'
import { type CompiledInput, validateStep } from './steps/validate.js'

/** What a route needs that is not data. */
export interface RouteParts {
  /** The controller that the container made. */
  readonly instance: object
  /** Compiled schemas; empty without. */
  readonly inputs: readonly CompiledInput[]
  readonly stages: RouteStages
  /** `null` where no answer is described. */
  readonly dates: FindDateWriter | null
  /** Those of plugins, the outermost first; empty without. */
  readonly interceptors: readonly Interceptor[]
  /** Stands right before the handler of an application under test; `null` of any other. */
  readonly underTest: Stage | null
}

/** What features put around the steps of one route; `null` where it does not use them. In the order in which a request walks. */
export interface RouteStages {
  /** Around everything: what its errors and late callbacks run in too. */
  readonly scope: ((run: RunRoute) => RunRoute) | null
  /** Limits that need not know who asks. */
  readonly admission: Stage | null
  /** Shows the guard, and the stages of the tenant behind it, what a request says of itself. */
  readonly claim: Stage | null
  /** Whether the request names what the route cannot do without. After the guard: who may not come in is told nothing else. */
  readonly tenant: Stage | null
  /** Whether the user whom the guard has let pass belongs here. Before `@Can`. */
  readonly membership: Stage | null
  /** Limits by who asks. */
  readonly quota: Stage | null
  readonly cache: AnswerStage | null
}

/** A route that uses no feature. */
export const NO_STAGES: RouteStages = Object.freeze({
  scope: null,
  admission: null,
  claim: null,
  tenant: null,
  membership: null,
  quota: null,
  cache: null,
})

/** What all routes of an application share. */
export interface PipelineConfig {
  readonly guard: AuthGuard | null
  readonly logDenial: LogDenial
  readonly can: Decide | undefined
  readonly bodyLimits: BodyLimits
  readonly deadlines: Deadlines | null
  readonly onError: OnError
  /** Whether a middleware may end a request whose handler is at work. */
  readonly mayFailLate: boolean
  /** Whether an error may wait for its answer, while its handler is still at work. */
  readonly mayAnswerErrorsLater: boolean
  /** `null` where requests have no scopes. */
  readonly scopes: RequestScopes | null
}

/** Methods whose body is read whether a schema describes it or not. */
export const METHODS_WITH_BODY: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'ALL']

/**
 * Makes one function of a route, from the inside out, leaving out every step that it does not use. Read
 * from the bottom, the lines are the order in which a request walks.
 */
export function compileRoute(
  route: RouteModel,
  parts: RouteParts,
  config: PipelineConfig,
): RunRoute {
  const { instance, inputs, stages } = parts
  const method = (instance as Record<PropertyKey, (...args: unknown[]) => unknown>)[route.handler]
  if (typeof method !== 'function') throw new TypeError(`${route.name} is not a method`)
  const invocation = { instance, method, parameters: route.parameters, onError: config.onError }
  const isDescribed = route.inputs.body !== null
  const readsBody = isDescribed || METHODS_WITH_BODY.includes(route.method)
  const limits = config.bodyLimits
  const mayAnswerLater = takesResponse(invocation)
  const answer = { ...config, route, mayAnswerLater, bare: compileBareAnswers(route) }

  let run = invokeStep(invocation)
  if (parts.underTest !== null) run = parts.underTest(run)
  for (const intercept of parts.interceptors.toReversed()) {
    run = interceptStep(intercept, config, run)
  }
  if (parts.dates !== null) run = datesStep(parts.dates, run)
  if (route.headers !== null) run = headersStep(route.headers, run)
  const mayWait = readsBody || inputs.length > 0 || route.isProtected || stages !== NO_STAGES
  const mayExpire = config.deadlines !== null || config.mayFailLate
  if (mayWait && mayExpire) run = unexpiredStep(run)
  if (inputs.length > 0) run = validateStep(inputs, run)
  if (readsBody) run = bodyStep({ limits, isDescribed }, run)
  if (stages.cache !== null) run = stages.cache(run, settleOf(answer))
  if (stages.quota !== null) run = stages.quota(run)
  run = accessSteps(route, { ...config, stages }, run)
  if (stages.admission !== null) run = stages.admission(run)
  const respond = respondStep(answer, run)
  return stages.scope === null ? respond : stages.scope(respond)
}

/** Makes a route of which only the question is left who may pass: it answers 204 where the handler would be reached. */
export function compileProbe(
  route: RouteModel,
  stages: RouteStages,
  config: PipelineConfig,
): RunRoute {
  const run = accessSteps(route, { ...config, stages }, () => undefined)
  const answer = { status: 204, redirect: null }
  const kind = { route: answer, mayAnswerLater: false, bare: null }
  const respond = respondStep({ ...config, ...kind }, run)
  return stages.scope === null ? respond : stages.scope(respond)
}

/** Makes the question of who may pass a part of the application that is no route; the answer is `true`, or a refusal. */
export function compileAdmission(stages: AccessConfig['stages'], config: Access): Step {
  return accessSteps({ abilities: null, isProtected: true }, { ...config, stages }, () => true)
}

type Access = Pick<PipelineConfig, 'guard' | 'logDenial' | 'can'>

interface AccessConfig extends Access {
  readonly stages: Pick<RouteStages, 'claim' | 'tenant' | 'membership'>
}

function accessSteps(
  { abilities, isProtected }: Pick<RouteModel, 'abilities' | 'isProtected'>,
  { can, guard, logDenial, stages }: AccessConfig,
  next: Step,
): Step {
  let run = next
  if (abilities !== null) run = canStep(abilities, can, run)
  if (stages.membership !== null) run = stages.membership(run)
  if (stages.tenant !== null) run = stages.tenant(run)
  if (isProtected) run = guardStep({ guard, logDenial }, run)
  if (stages.claim !== null) run = stages.claim(run)
  return run
}
