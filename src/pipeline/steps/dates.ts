import { prepareJson } from '../../http/send/send-json.js'
import type { WriteDates } from '../../schema/date-writer.js'
import type { Stage } from '../../step/step.js'

/**
 * Finds the function that writes the dates of a route's responses; it returns `null` where the responses hold none.
 */
export type FindDateWriter = () => WriteDates | null

/**
 * Has the documented dates of a response written before the rest of it: `JSON.stringify` asks each `Date` for its
 * text, which takes longer than everything else in a list of orders. The first request reads the schemas: boot
 * would have to read those of all routes.
 */
export function datesStage(find: FindDateWriter): Stage {
  return (next) => {
    let write: WriteDates | null | undefined
    return function writeDates(req, res) {
      if (write === undefined) write = find()
      if (write !== null) prepareJson(res, write)
      return next(req, res)
    }
  }
}
