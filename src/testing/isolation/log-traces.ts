import { inspect } from 'node:util'
import type { TestLog } from '../test-log.js'
import type { Trace } from './trace.js'

/** Limits for logged objects: deeper or longer values are not searched. */
const SHOWN = { depth: 8, maxStringLength: 100_000, maxArrayLength: 1000, breakLength: Infinity }

/**
 * Returns a function that lists the lines that requests have logged since its last call.
 *
 * @param nameOf Returns the name of the side that a connection belongs to.
 */
export function logTraces(
  log: TestLog,
  nameOf: (connection: object | undefined) => string | undefined,
): () => Trace[] {
  let read = log.entries.length
  return function newLogs() {
    const fresh = log.entries.slice(read)
    read = log.entries.length
    return fresh.flatMap((entry): Trace[] => {
      const owner = nameOf(log.connectionOf(entry))
      if (owner === undefined) return []
      const { level, message, facts } = entry
      const where = `the ${level} “${message}”`
      return [{ kind: 'log', owner, text: `${message} ${inspect(facts, SHOWN)}`, where }]
    })
  }
}
