import type { Request } from '../contracts/handler.js'
import type { ResponseCause } from '../contracts/observers.js'
import type { FrameworkRoute } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { StepName } from '../contracts/steps.js'
import type { ObservedResponse } from '../http/observed-request.js'
import { kObserved } from '../http/symbol-fields.js'
import { isThenable, type RunRoute, type StepFactory, whenSettled } from '../step/step.js'
import { type RouteSteps, STEPS } from './route-steps.js'

/**
 * Receives a request when it enters a step, and, for the step `respond`, when the inner steps have ended. Never throws.
 */
export type OnStep = (req: Request, step: StepName) => void

const NAMES = STEPS.map(({ name }) => name)

/**
 * The steps inside `respond`, which are the only steps that can refuse a request. The test step is excluded, so that
 * observers receive the same steps in tests.
 */
const INNER = NAMES.slice(NAMES.indexOf('respond') + 1).filter((name) => name !== 'underTest')

/** Makes a route's steps report to observers. Only applications with step observers use this function. */
export function observeSteps(steps: RouteSteps, onStep: OnStep): RouteSteps {
  const used = INNER.filter((name) => steps[name] !== null)
  const observed = used.map((name) => [name, reportEntry(name, steps[name], onStep)])
  const respond = reportReturn(steps.respond, onStep)
  return { ...steps, ...Object.fromEntries(observed), respond }
}

function reportEntry(
  name: StepName,
  stage: StepFactory | null,
  onStep: OnStep,
): StepFactory | null {
  if (stage === null) return null
  return (next) => {
    const step = stage(next)
    return function observedStep(req, res) {
      onStep(req, name)
      return step(req, res)
    }
  }
}

/** Reports `respond` when the inner steps have returned a value or failed. */
function reportReturn(stage: StepFactory | null, onStep: OnStep): StepFactory | null {
  if (stage === null) return null
  return (next) =>
    stage(function observedReturn(req, res) {
      const report = () => onStep(req, 'respond')
      let value: unknown
      try {
        value = next(req, res)
      } catch (error) {
        report()
        throw error
      }
      // `respond` waits for the original promise, because a derived promise would add a delay and hide the source of a
      // rejection.
      if (isThenable(value)) whenSettled(value, report, report)
      else report()
      return value
    })
}

/** Wraps a function so that it records the cause of the response to an observed request when it starts. */
type Mark = (cause: ResponseCause, run: RunRoute) => RunRoute

/** For applications without observers: records nothing. */
export const NO_MARKS: Mark = (_, run) => run

/** For applications with observers: records the cause. */
export const markCause: Mark = (cause, run) =>
  function marked(req, res: ObservedResponse) {
    const { [kObserved]: observed } = res
    if (observed !== undefined) observed.cause = cause
    run(req, res)
  }

/** Records the route of each observed request. The framework's own routes follow the controllers' routes. */
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
 * Makes a route's steps record that they have started. If only the handler can respond, the steps are not changed,
 * because {@link markRoutes} already records the handler.
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
