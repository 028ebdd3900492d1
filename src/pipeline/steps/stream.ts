import { refuse } from '../../errors/refuse.js'
import { Refusal } from '../../step/refusal.js'
import type { StepFactory } from '../../step/step.js'
import { isThenable, whenSettled } from '../../step/thenable.js'
import type { CompiledStream } from '../streams/compile-stream.js'

/**
 * Requests the first item of the handler's generator. It is the step directly around the handler, so everything that
 * surrounds a handler surrounds the first item: interceptors, and the transaction of the request.
 */
export function streamStage({ isAccepted, open }: CompiledStream): StepFactory {
  return (next) =>
    function stream(req, res) {
      if (!isAccepted(req)) {
        return new Refusal(refuse('NOT_ACCEPTABLE', 'The client accepts no format of this stream'))
      }
      const value = next(req, res)
      if (!isThenable(value)) return open(value, req, res)
      return whenSettled(value, (settled) => open(settled, req, res))
    }
}
