import type { Request } from '../../contracts/handler.js'
import type { FieldError, InputSource } from '../../contracts/schema.js'
import type { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'
import { type Leaf, leavesOf, leavesOfParameter } from './leaves.js'
import { hasNul, type RefusedStatement, RULES, type Rule, type Suspect, textOf } from './rules.js'

/** A value of the request, and where it stands. */
type Sent = Leaf & { readonly in: InputSource }

/**
 * The answer for a statement that was refused for a value of its request: 400 with the field, or without where it may be one of several. `undefined` where the
 * refusal is not about values, or where a value that may be the refused one does not come from the request: then it is the program's affair.
 *
 * @param cause What the answer is made of, for error middlewares.
 */
export function blameRequest(
  refused: RefusedStatement,
  req: Request,
  cause: unknown,
): HttpError | undefined {
  const rule = RULES.get(refused.code)
  if (rule === undefined) return undefined
  const possible = rule.isCertain ? suspectsIn(refused.values) : suspectsOf(refused)
  const suspects = possible.filter((suspect) => rule.suspects(suspect, refused))
  if (suspects.length === 0) return undefined
  const sent = sentWith(req)
  const places = new Set<Sent>()
  const find = finderIn(sent)
  for (const suspect of suspects) {
    const found = find(suspect)
    // What the program has written of values that were sent is looked for by these.
    if (found.length === 0 && !suspect.isJson) return undefined
    for (const place of found) places.add(place)
  }
  return places.size === 0 ? undefined : answer([...places], rule, cause)
}

function answer(places: readonly Sent[], rule: Rule, cause: unknown): HttpError {
  // Of several that are too large, only one may be for the column.
  const isSure = places.length === 1 || rule.isCertain
  if (!isSure) {
    const message = 'The request has a value that the database does not take'
    return refuse('BAD_REQUEST', message, { cause, stack: true })
  }
  const errors = places.map(({ in: source, path }): FieldError => {
    return { in: source, path, message: rule.message }
  })
  return refuse('VALIDATION_FAILED', 'Validation failed', { errors, cause, stack: true })
}

/** The values of the parameter that PostgreSQL names, else of all. */
function suspectsOf({ values, where = '' }: RefusedStatement): Suspect[] {
  // Within a function, the parameter of another statement is named, in quotes.
  const named = Number(/^[^\n"«()]*\$(\d+)[^\n"»()]*$/.exec(where)?.[1])
  if (!(named >= 1 && named <= values.length)) return suspectsIn(values)
  const whole = values[named - 1]
  return suspectsIn([whole]).map((leaf) => ({ ...leaf, isNamed: leaf.value === whole }))
}

function suspectsIn(values: readonly unknown[]): Suspect[] {
  return values.flatMap(leavesOfParameter).map((leaf) => ({ ...leaf, isNamed: false }))
}

const SOURCES: readonly InputSource[] = ['params', 'query', 'body', 'headers']

function sentWith(req: Request): Sent[] {
  return SOURCES.flatMap((source) =>
    leavesOf(partOf(req, source)).map((leaf) => ({ ...leaf, in: source })),
  )
}

function partOf(req: Request, source: InputSource): unknown {
  try {
    return source === 'headers' ? (req.validated?.headers ?? req.headers) : req[source]
  } catch {
    // A query parser of the program's.
    return undefined
  }
}

/** A body may have thousands of texts with a NUL, and a statement, too: this many are looked for in each other. */
const MOST_WITH_NUL = 100

/** Finds where a value of a statement was sent; texts with a NUL also as a part of it, as `%…%` has one. */
function finderIn(sent: readonly Sent[]): (leaf: Leaf) => readonly Sent[] {
  const byText = group(sent, textOf)
  const withNul = sent.filter(hasNul).slice(0, MOST_WITH_NUL)
  let byTime: ReadonlyMap<number, Sent[]> | undefined
  return function find(leaf) {
    // A number that was sent as text is the same; so is one that becomes text.
    const same = byText.get(textOf(leaf))
    if (same !== undefined) return same
    if (hasNul(leaf)) return withNul.filter((part) => contains(leaf, part))
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

/** Also where the program has trimmed it, or made it lower case. */
function contains(whole: Leaf, part: Leaf): boolean {
  return textOf(whole).toLowerCase().includes(textOf(part).trim().toLowerCase())
}

/** The moment that the program may have made of it. */
function timeOf({ value }: Leaf): number {
  return new Date(typeof value === 'bigint' ? Number(value) : value).getTime()
}
