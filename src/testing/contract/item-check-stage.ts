import type { RouteModel } from '../../contracts/route-model.js'
import { checkItemsOf } from '../../pipeline/streams/stream-items.js'
import type { StepFactory } from '../../step/step.js'
import type { Contract } from './contract.js'

/** Compares each item of a stream with the document, as it is sent. With mode `'throw'`, a wrong one ends the stream. */
export function itemCheckStage({ index }: RouteModel, contract: Contract): StepFactory {
  return (next) =>
    function checkItems(req, res) {
      const { method, originalUrl: url } = req
      checkItemsOf(req, (item) => {
        const failure = contract.checkItem({ method, url, index }, toJson(item))
        if (failure !== undefined) throw failure
      })
      return next(req, res)
    }
}

/** The item as a client receives it: a date is text, for example. Without a form in JSON, sending it fails. */
function toJson(item: unknown): unknown {
  const text: string | undefined = JSON.stringify(item)
  return text === undefined ? undefined : JSON.parse(text)
}
