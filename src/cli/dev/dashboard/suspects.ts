import type { RecordedStatement } from '../../../contracts/request-record.js'
import type { SuspectView } from './views.js'

/** Data of development has few rows, so a loop repeats its statement a few times only. */
const LEAST_REPETITIONS = 4
/** Statements of transactions and sessions, which no loop over rows has written. */
const CONTROL = /^\s*(?:begin|start|commit|rollback|savepoint|release|set|reset|discard)\b/i

/** Finds statements that one request has run again and again, which a single statement could do: N+1. */
export function findSuspects(statements: readonly RecordedStatement[]): SuspectView[] {
  const byText = new Map<string, RecordedStatement[]>()
  for (const statement of statements) {
    const { text } = statement
    if (!CONTROL.test(text)) byText.set(text, [...(byText.get(text) ?? []), statement])
  }
  return [...byText]
    .filter(([, runs]) => runs.length >= LEAST_REPETITIONS)
    .map(([text, runs]) => ({
      text,
      count: runs.length,
      places: [...new Set(runs.flatMap(({ place }) => place ?? []))],
      durationMs: runs.reduce((sum, { durationMs }) => sum + durationMs, 0),
    }))
}
