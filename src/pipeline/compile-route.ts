import type { AuthGuard, AuthOptions } from '../contracts/guard.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { BodyLimits } from '../http/read-json.js'
import type { Deadlines } from './deadlines.js'
import type { OnError, RunRoute, Step } from './step.js'
import { bodyStep } from './steps/body.js'
import { canStep } from './steps/can.js'
import { guardStep } from './steps/guard.js'
import { headersStep } from './steps/headers.js'
import { invokeStep, takesResponse, unexpiredStep } from './steps/invoke.js'
import { respondStep } from './steps/respond.js'
import { type CompiledInput, validateStep } from './steps/validate.js'

/** What a route needs that is not data. */
export interface RouteParts {
  /** The controller that the container made. */
  readonly instance: object
  /** Compiled schemas; empty without. */
  readonly inputs: readonly CompiledInput[]
}

/** What all routes of an application share. */
export interface PipelineConfig {
  readonly guard: AuthGuard | null
  readonly can: AuthOptions['can']
  readonly bodyLimits: BodyLimits
  readonly deadlines: Deadlines | null
  readonly onError: OnError
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
  const { instance, inputs } = parts
  const method = (instance as Record<PropertyKey, (...args: unknown[]) => unknown>)[route.handler]
  if (typeof method !== 'function') throw new TypeError(`${route.name} is not a method`)
  const invocation = { instance, method, parameters: route.parameters, onError: config.onError }
  const isDescribed = route.inputs.body !== null
  const readsBody = isDescribed || METHODS_WITH_BODY.includes(route.method)
  const limits = config.bodyLimits

  let run = invokeStep(invocation)
  if (route.headers !== null) run = headersStep(route.headers, run)
  const mayWait = readsBody || inputs.length > 0 || route.isProtected
  if (mayWait && config.deadlines !== null) run = unexpiredStep(run)
  if (inputs.length > 0) run = validateStep(inputs, run)
  if (readsBody) run = bodyStep({ limits, isDescribed }, run)
  run = accessSteps(route, config, run)
  return respondStep({ ...config, route, mayAnswerLater: takesResponse(invocation) }, run)
}

/** Makes a route of which only the question is left who may pass: it answers 204 where the handler would be reached. */
export function compileProbe(route: RouteModel, config: PipelineConfig): RunRoute {
  const run = accessSteps(route, config, () => undefined)
  const answer = { status: 204, redirect: null }
  return respondStep({ ...config, route: answer, mayAnswerLater: false }, run)
}

function accessSteps(route: RouteModel, config: PipelineConfig, next: Step): Step {
  let run = next
  if (route.abilities !== null) run = canStep(route.abilities, config.can, run)
  if (route.isProtected) run = guardStep(config.guard, run)
  return run
}
