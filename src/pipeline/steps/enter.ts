import { kPassedSteps } from '../../http/symbol-fields.js'
import { Refusal } from '../../step/refusal.js'
import type { OnError, Step, StepFactory } from '../../step/step.js'
import { isThenable, whenSettled } from '../../step/thenable.js'
import type { Deadlines } from '../deadlines.js'
import type { OnLateError } from '../late-errors.js'

/** The parts of an application that `enter` steps depend on. */
export interface EnterConfig {
  readonly onError: OnError
  /** Handles an error of a step that has called `next` already. */
  readonly onLateError: OnLateError
  /** `null` if handlers have no time limit. */
  readonly deadlines: Deadlines | null
}

/**
 * Handles the errors of `enter` steps, which run outside the step that sends responses, and limits the time that they
 * may wait.
 *
 * @param last The position of the innermost `enter` step among the steps that call `next` once.
 */
export function enterStage(stage: StepFactory, last: number, config: EnterConfig): StepFactory {
  const { onError, onLateError, deadlines } = config
  return (next) => {
    const step = stage((req, res) => {
      deadlines?.stop(req)
      return next(req, res)
    })
    const fail = (error: unknown, ...[req, res]: Parameters<Step>) => {
      deadlines?.stop(req)
      const end = (reason: unknown) => onError(reason, req, res)
      if (req[kPassedSteps] <= last) return end(error)
      onLateError(error, { req, res, isAtRoute: true, fail: end })
    }
    const settle = (value: unknown, ...exchange: Parameters<Step>) => {
      if (value instanceof Refusal) fail(value.error, ...exchange)
    }
    return function enter(req, res) {
      try {
        const value = step(req, res)
        // Most steps return the result of `next`, which is always `undefined`.
        if (value === undefined) return
        if (!isThenable(value)) return settle(value, req, res)
        if (req[kPassedSteps] <= last) deadlines?.start(req)
        whenSettled(
          value,
          (settled) => settle(settled, req, res),
          (error) => fail(error, req, res),
        )
      } catch (error) {
        fail(error, req, res)
      }
    }
  }
}
