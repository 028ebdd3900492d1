import { ALL_ROWS, type JsonPreparation, prepareJson } from '../../http/send/send-json.js'
import type { WriteDates } from '../../schema/response-dates.js'
import type { StepFactory } from '../../step/step.js'

/** Finds the function that writes the dates of a route's responses; `null` if the responses have no dates. */
export type FindDateWriter = () => WriteDates | null

/**
 * Writes the documented dates of a response before the rest of it. `JSON.stringify` calls `toJSON` of each `Date`,
 * which takes longer than everything else in a list of orders. The schemas are read at the first request of a route,
 * because reading the schemas of all routes would slow down boot.
 */
export function datesStage(find: FindDateWriter): StepFactory {
  return (next) => {
    let dates: JsonPreparation | null | undefined
    return function writeDates(req, res) {
      if (dates === undefined) dates = preparationOf(find())
      if (dates !== null) prepareJson(res, dates)
      return next(req, res)
    }
  }
}

function preparationOf(write: WriteDates | null): JsonPreparation | null {
  return write && { prepare: write, inEnvelope: null, rowsOf: () => ALL_ROWS, isRequired: false }
}
