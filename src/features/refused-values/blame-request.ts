import type { Request } from '../../contracts/handler.js'
import type { FieldError, InputSource } from '../../contracts/schema.js'
import type { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'
import { TextSearch } from '../../schema/text-search.js'
import { type Leaf, leavesOf, leavesOfParameter } from './leaves.js'
import { hasNul, type RefusedStatement, RULES, type Rule, type Suspect, textOf } from './rules.js'

/** A value of the request and its position. */
type Sent = Leaf & { readonly in: InputSource }

/**
 * Creates the error for a statement that PostgreSQL refused because of a value of the request: 400 with the field, or
 * without a field if several values may be the cause. Returns `undefined` if the refusal is not about values, or if a
 * suspected value does not come from the request, because that is an error in the application.
 *
 * @param cause The original error, for error middlewares.
 */
export function blameRequest(
  refused: RefusedStatement,
  req: Request,
  cause: unknown,
): HttpError | undefined {
  const rule = RULES.get(refused.code)
  if (rule === undefined) return undefined
  const possible = rule.isCertain ? suspectsIn(refused.values) : suspectsOf(refused)
  const suspects = rule.select(possible, refused)
  if (suspects.length === 0) return undefined
  const sent = sentWith(req)
  const lists = new Set<readonly Sent[]>()
  const find = finderIn(sent)
  for (const suspect of suspects) {
    const found = find(suspect)
    // A JSON text that the application wrote contains values of the request. These values are suspects themselves, so
    // the text itself need not be found.
    if (found.length === 0 && !suspect.isJson) return undefined
    // Equal values have the same list.
    lists.add(found)
  }
  const places = new Set([...lists].flat())
  return places.size === 0 ? undefined : errorFor([...places], rule, cause)
}

function errorFor(places: readonly Sent[], rule: Rule, cause: unknown): HttpError {
  // If several values are too large, perhaps only one of them exceeds its column.
  const isSure = places.length === 1 || rule.isCertain
  if (!isSure) {
    const message = 'The request contains a value that the database does not accept'
    return refuse('BAD_REQUEST', message, { cause, stack: true })
  }
  const errors = places.map(({ in: source, path }): FieldError => {
    return { in: source, path, message: rule.message }
  })
  return refuse('VALIDATION_FAILED', 'Validation failed', { errors, cause, stack: true })
}

/** Returns the values of the parameter that PostgreSQL names, or otherwise of all parameters. */
function suspectsOf({ values, where = '' }: RefusedStatement): Suspect[] {
  // Inside a database function, PostgreSQL quotes another statement, and the parameter belongs to that statement.
  const named = Number(/^[^\n"«()$]*\$(\d+)[^\n"»()]*$/.exec(where)?.[1])
  if (!(named >= 1 && named <= values.length)) return suspectsIn(values)
  const whole = values[named - 1]
  return suspectsIn([whole]).map((leaf) => ({ ...leaf, isNamed: leaf.value === whole }))
}

function suspectsIn(values: readonly unknown[]): Suspect[] {
  return values.flatMap(leavesOfParameter).map((leaf) => ({ ...leaf, isNamed: false }))
}

const SOURCES: readonly InputSource[] = ['params', 'query', 'body', 'headers', 'cookies']

function sentWith(req: Request): Sent[] {
  return SOURCES.flatMap((source) =>
    leavesOf(partOf(req, source)).map((leaf) => ({ ...leaf, in: source })),
  )
}

function partOf(req: Request, source: InputSource): unknown {
  try {
    if (source === 'cookies') return req.validated?.cookies
    return source === 'headers' ? (req.validated?.headers ?? req.headers) : req[source]
  } catch {
    // A custom query parser of the application may throw.
    return undefined
  }
}

/**
 * The maximum number of request texts with a NUL that are searched for in a text of the statement, because each text of
 * the statement may contain all of them.
 */
const MOST_WITH_NUL = 100

/**
 * Creates a function that finds the positions of a statement value in the request. A text with a NUL is also found as a
 * part of the statement value, for example inside `%…%`.
 */
function finderIn(sent: readonly Sent[]): (leaf: Leaf) => readonly Sent[] {
  const byText = group(sent, textOf)
  const withNul = sent.filter(hasNul).slice(0, MOST_WITH_NUL)
  // The application may have trimmed the text or converted it to lower case.
  const parts = withNul.map((each) => textOf(each).trim().toLowerCase())
  const search = new TextSearch(parts)
  let byTime: ReadonlyMap<number, Sent[]> | undefined
  return function find(leaf) {
    // Numbers are compared by their text, so the number 5 equals the text `5`.
    const same = byText.get(textOf(leaf))
    if (same !== undefined) return same
    if (hasNul(leaf)) {
      const found = search.first(textOf(leaf).toLowerCase())
      return withNul.filter((_, index) => found.has(parts[index] as string))
    }
    if (!(leaf.value instanceof Date)) return []
    byTime ??= group(sent, timeOf)
    return byTime.get(leaf.value.getTime()) ?? []
  }
}

function group<K>(sent: readonly Sent[], keyOf: (leaf: Sent) => K): ReadonlyMap<K, Sent[]> {
  const groups = new Map<K, Sent[]>()
  for (const leaf of sent) {
    const key = keyOf(leaf)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [leaf])
    else known.push(leaf)
  }
  return groups
}

/** Returns the time of the date that the application may have created from the value. */
function timeOf({ value }: Leaf): number {
  return new Date(typeof value === 'bigint' ? Number(value) : value).getTime()
}
