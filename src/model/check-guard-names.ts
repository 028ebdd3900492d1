import type { Problem } from '../errors/config-error.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** The largest number of edits between a name and the probably intended name. */
const MOST_EDITS = 2

/**
 * Finds names in `@Auth` that are not guards of the application.
 *
 * @param known The names of `auth.guards`; empty without this option.
 */
export function checkGuardNames(
  subject: string,
  facts: FactsByKind,
  known: readonly string[],
): Problem[] {
  const named = new Set(factsOf(facts, 'auth').flatMap(({ guards }) => guards))
  const unknown = [...named].filter((name) => !known.includes(name))
  return unknown.map((name) => ({
    code: 'E_AUTH_GUARD_UNKNOWN',
    subject,
    cause: `@Auth('${name}') is not the name of a guard in \`auth.guards\`.`,
    remedy: remedyFor(name, known),
  }))
}

function remedyFor(name: string, known: readonly string[]): string {
  if (known.length === 0) {
    return 'Give guards by name: `auth: { guards: { … } }`; or write @Auth() for `auth.guard`.'
  }
  const near = known.filter((each) => isNear(name.toLowerCase(), each.toLowerCase()))
  const meant = near.length === 0 ? '' : ` Did you mean '${near.join("' or '")}'?`
  return `The names are: ${known.join(', ')}.${meant}`
}

function isNear(name: string, known: string): boolean {
  return known.startsWith(name) || name.startsWith(known) || edits(name, known) <= MOST_EDITS
}

/** The number of letters to insert, remove or replace between two texts (Levenshtein). */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + Number(letter !== to[j - 1])
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
