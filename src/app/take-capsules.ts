import type { CapsuleWriter } from '../features/capsules/capsule-writer.js'
import type { RecordTaker } from '../features/records/records-plugin.js'

/** Has a capsule written of each request that the server has failed. */
export function takeCapsules(writer: CapsuleWriter): RecordTaker {
  return {
    placeIn: null,
    takesAll: false,
    start: (logger) => writer.start(logger),
    follow: (req) => writer.follow(req),
    keep: (statement) => writer.keep(statement),
    take: (failed) => void writer.write(failed),
    close: () => writer.close(),
  }
}
