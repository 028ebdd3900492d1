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
 * Creates the error for a statement that PostgreSQL refused because of a value in the request. It is a 400 error with
 * the field, or without a field if several values may be the cause. Returns `undefined` if no value is the reason for
 * the refusal. Also returns `undefined` if a suspected value does not come from the request, because the error is then
 * in the application.
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
    // A JSON string that the application created contains values from the request. These values are suspects
    // themselves, so the JSON string itself need not be found in the request.
    if (found.length === 0 && !suspect.isJson) return undefined
    // Equal values have the same list.
    lists.add(found)
  }
  const places = new Set([...lists].flat())
  return places.size === 0 ? undefined : errorFor([...places], rule, cause)
}

function errorFor(places: readonly Sent[], rule: Rule, cause: unknown): HttpError {
  // If several values are suspects, perhaps only one of them is the cause.
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

/**
 * Returns the values in the parameter that PostgreSQL names. If it names no parameter, returns the values in all
 * parameters.
 */
function suspectsOf({ values, where = '' }: RefusedStatement): Suspect[] {
  // If the error occurred inside a database function, PostgreSQL quotes the function's statement, and the parameter
  // belongs to that statement.
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
    // The application's own query parser may throw.
    return undefined
  }
}

/**
 * The maximum number of request strings with a NUL character to search for. Each string in the statement may contain
 * all of them, so the number must be limited.
 */
const MOST_WITH_NUL = 100

/**
 * Creates a function that finds the positions of a statement value in the request. A request string with a NUL
 * character is also found if it is only a part of the statement value, for example inside `%…%`.
 */
function finderIn(sent: readonly Sent[]): (leaf: Leaf) => readonly Sent[] {
  const byText = group(sent, textOf)
  const withNul = sent.filter(hasNul).slice(0, MOST_WITH_NUL)
  // The application may have trimmed the string or converted it to lower case.
  const parts = withNul.map((each) => textOf(each).trim().toLowerCase())
  const search = new TextSearch(parts)
  let byTime: ReadonlyMap<number, Sent[]> | undefined
  return function find(leaf) {
    // Numbers are compared as strings, so the number 5 equals the string `5`.
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

/** Returns the time of the `Date` that the application may have created from the value. */
function timeOf({ value }: Leaf): number {
  return new Date(typeof value === 'bigint' ? Number(value) : value).getTime()
}
