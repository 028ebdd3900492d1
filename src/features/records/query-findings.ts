import type { Decision } from '../../contracts/decision.js'
import type { RanStatement } from '../../contracts/statement.js'
import type { Draft } from './draft.js'

/** So many equal statements in one request are a loop over rows. */
export const REPEATS = 10

/** A statement that has run too often in one request, with other values or literals each time. */
export interface RepeatedStatement {
  readonly kind: 'repeated'
  readonly text: string
  readonly times: number
  /** The first of them. */
  readonly statement: RanStatement
}

/** A request with more statements than `@Queries` of its route allows. */
export interface ExceededQueries {
  readonly kind: 'exceeded'
  readonly count: number
  readonly most: number
}

/** A problem with the statements of a request. */
export type QueryFinding = RepeatedStatement | ExceededQueries

/**
 * Finds problems with the statements of a request.
 *
 * @param most The number of `@Queries` of its route; `null` without it.
 * @param repeats How often the same statement may not run.
 */
export function findQueries(
  { statements, statementCount: count }: Draft,
  most: number | null,
  repeats: number,
): QueryFinding[] {
  // The author of a route with `@Queries` has counted its statements.
  if (most !== null) return count > most ? [{ kind: 'exceeded', count, most }] : []
  if (count < repeats) return []
  const found = new Map<string, RanStatement[]>()
  for (const each of statements) {
    const shape = withoutLiterals(each.text)
    const same = found.get(shape)
    if (same === undefined) found.set(shape, [each])
    else same.push(each)
  }
  return [...found.values()].flatMap((all): QueryFinding[] => {
    const [statement] = all
    if (statement === undefined || all.length < repeats) return []
    return [{ kind: 'repeated', text: statement.text, times: all.length, statement }]
  })
}

/** Some libraries write numbers into the text: such statements are equal except for the numbers. */
function withoutLiterals(text: string): string {
  return text.replace(/'(?:[^']|'')*'/g, '?').replace(/\b\d+(?:\.\d+)?\b/g, '?')
}

/** Writes a finding as a decision, for records. */
export function decisionOf(finding: QueryFinding): Decision {
  const by = 'queries'
  if (finding.kind === 'exceeded') {
    const { count, most } = finding
    const reason = `@Queries allows ${most} statements, and ${count} ran`
    return { by, verdict: 'exceeded', reason, facts: { count, most } }
  }
  const { times, text } = finding
  return {
    by,
    verdict: 'repeated',
    reason: `the same statement ran ${times} times`,
    facts: { times, text },
  }
}
