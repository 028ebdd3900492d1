import type { Request } from '../contracts/handler.js'
import type { StepName } from '../contracts/steps.js'
import type { StepFactory } from '../step/step.js'
import { isThenable, whenSettled } from '../step/thenable.js'
import { type RouteSteps, STEPS } from './route-steps.js'

/** Called when a request enters a step. Never throws. */
export type OnStep = (req: Request, step: StepName) => void

const NAMES = STEPS.map(({ name }) => name)

/** The steps inside `respond`: no other step can refuse a request. Observers see the same steps under test. */
const INNER = NAMES.slice(NAMES.indexOf('respond') + 1).filter((name) => name !== 'underTest')

/** Makes the steps of a route report to observers. Only applications with such observers use it. */
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

/** Reports `respond` when the steps inside have a value or an error. */
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
      // `respond` itself waits for the same promise: a copy would cost it a turn, and hide who rejects it.
      if (isThenable(value)) whenSettled(value, report, report)
      else report()
      return value
    })
}
