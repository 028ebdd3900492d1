import type { ResponseCause } from '../contracts/observers.js'
import type { FrameworkRoute } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { ObservedResponse } from '../http/observed-request.js'
import { kObserved } from '../http/symbol-fields.js'
import type { RunRoute, StepFactory } from '../step/step.js'
import { type RouteSteps, STEPS } from './route-steps.js'

/** Makes a function note, in the facts of an observed request, that it has begun to work on the request. */
export type Mark = (cause: ResponseCause, run: RunRoute) => RunRoute

/** The marks of an application without observers: none. */
export const NO_MARKS: Mark = (_, run) => run

/** Notes the cause. Only applications with observers use it. */
export const markCause: Mark = (cause, run) =>
  function marked(req, res: ObservedResponse) {
    const { [kObserved]: observed } = res
    if (observed !== undefined) observed.cause = cause
    run(req, res)
  }

/** Notes the route of each observed request. The routes of the framework come after the controllers' routes. */
export function markRoutes(
  handlers: readonly RunRoute[],
  routes: readonly RouteModel[],
  others: readonly FrameworkRoute[],
): RunRoute[] {
  return handlers.map((run, index) => {
    const route = routes[index] ?? null
    const isQuiet = others[index - routes.length]?.quiet === true
    const cause = route === null ? 'framework' : 'handler'
    return function markedRoute(req, res: ObservedResponse) {
      const { [kObserved]: observed } = res
      if (observed !== undefined) {
        observed.route = route
        observed.cause = cause
        observed.isQuiet = isQuiet
      }
      run(req, res)
    }
  })
}

/** The steps that can respond in place of the handler. */
const CAUSING = STEPS.flatMap(({ name, cause }) => (cause === undefined ? [] : [{ name, cause }]))

/**
 * Makes the steps of a route note that they have begun. A route whose handler alone can respond stays as it is, because
 * {@link markRoutes} has noted the handler.
 */
export function markSteps(steps: RouteSteps): RouteSteps {
  const used = CAUSING.filter(({ name }) => steps[name] !== null)
  if (used.length === 0) return steps
  const marked = used.map(({ name, cause }) => [name, markStage(cause, steps[name])])
  return {
    ...steps,
    ...Object.fromEntries(marked),
    handler: markStage('handler', steps.handler),
  }
}

function markStage(
  cause: ResponseCause = 'handler',
  stage: StepFactory | null,
): StepFactory | null {
  if (stage === null) return null
  return (next) => {
    const step = stage(next)
    return function markedStep(req, res: ObservedResponse) {
      const { [kObserved]: observed } = res
      if (observed !== undefined) observed.cause = cause
      return step(req, res)
    }
  }
}
