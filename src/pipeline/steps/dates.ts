import { prepareJson } from '../../http/send-json.js'
import type { Step } from '../../http/step.js'
import type { WriteDates } from '../../schema/date-writer.js'

/** What writes the dates of a route's answers; `null` when they hold none. */
export type FindDateWriter = () => WriteDates | null

/**
 * Has documented dates written before the rest of an answer: `JSON.stringify` asks each of them for its text, which takes
 * it longer than all else of a list of orders. What the schemas say is looked up by the first request: a start would
 * wait for those of all routes.
 */
export function datesStep(find: FindDateWriter, next: Step): Step {
  let write: WriteDates | null | undefined
  return function writeDates(req, res) {
    if (write === undefined) write = find()
    if (write !== null) prepareJson(res, write)
    return next(req, res)
  }
}
