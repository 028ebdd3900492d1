import { literal, TENANT_SETTING } from '../schema/names.js'
import { tokensOf } from '../sql-tokens.js'

/** The properties of a column that matter for comparisons in policies. */
export interface ComparedColumn {
  readonly name: string
  /** The type without its length. It includes the schema unless the schema is `pg_catalog`. */
  readonly type: string
  /** Whether two strings are equal only if all their bytes are equal (a deterministic collation). */
  readonly isDeterministic: boolean
}

const INTEGERS: readonly string[] = ['smallint', 'integer', 'bigint']
const TEXTS: readonly string[] = ['text', 'character varying']

const SETTING = `current_setting\\(${escaped(literal(TENANT_SETTING))}::text(?:, true)?\\)`
const VALUE = `(?:${SETTING}|NULLIF\\(${SETTING}, ''::text\\))`

/**
 * Whether PostgreSQL's `=` distinguishes all values of a column. For `char(n)` (trailing blanks are ignored), `name`
 * (truncated after 63 bytes), `citext`, and text with a nondeterministic collation, it does not. Other types, such as
 * `numeric` and domains, have not been verified and count as unsafe.
 */
export function keepsApart({ type, isDeterministic }: ComparedColumn): boolean {
  return TEXTS.includes(type) ? isDeterministic : type === 'uuid' || INTEGERS.includes(type)
}

/**
 * Finds the column that a policy's condition compares with the tenant setting, so that the condition holds only for
 * rows of one tenant. Accepts a comparison with `=` in the forms in which PostgreSQL stores the SQL of `tenantTable`
 * and similar SQL, with or without further conditions joined by `AND`. Returns `undefined` for every other form,
 * because the doctor accepts only forms that are known to be safe.
 *
 * @param condition The output of `pg_get_expr` while the `search_path` is `pg_catalog`. Types, operators, functions and
 * collations that are not built in then have a schema prefix, and every cast between a value and `=` is visible.
 */
export function boundColumn<T extends ComparedColumn>(
  condition: string,
  columns: readonly T[],
): T | undefined {
  const parts = conjunctsOf(condition)
  return columns.find((column) => {
    const pattern = keepsApart(column) ? comparisonWith(column) : null
    return pattern !== null && parts.some((part) => pattern.test(part))
  })
}

function comparisonWith({ name, type }: ComparedColumn): RegExp {
  const column = `(?:${escaped(name)}|${escaped(`"${name.replaceAll('"', '""')}"`)})`
  const asText = sides(type === 'text' ? column : `\\(${column}\\)::text`, queryOr(VALUE))
  if (TEXTS.includes(type)) return new RegExp(`^(?:${asText})$`)
  const cast = `::(?:${INTEGERS.includes(type) ? INTEGERS.join('|') : type})`
  const inside = queryOr(`\\(${VALUE}\\)${cast}`)
  const around = `\\(${queryOr(VALUE)}\\)${cast}`
  return new RegExp(`^(?:${asText}|${sides(column, `(?:${inside}|${around})`)})$`)
}

/**
 * Returns a pattern for the value itself or for a subquery around it, which PostgreSQL evaluates once per statement.
 */
function queryOr(value: string): string {
  return `(?:${value}|\\( SELECT ${value} AS (?:\\w+|"(?:[^"]|"")+")\\))`
}

function sides(one: string, other: string): string {
  return `${one} = ${other}|${other} = ${one}`
}

/**
 * Splits a condition at `AND` into parts without outer parentheses. PostgreSQL adds parentheses around every part and
 * around the whole condition.
 */
function conjunctsOf(condition: string): string[] {
  const whole = condition.trim()
  const inner = withoutParentheses(whole)
  if (inner === null) return [whole]
  const parts = splitByAnd(inner)
  return parts.length === 1 ? [inner.replace(/\s+/g, ' ')] : parts.flatMap(conjunctsOf)
}

/** Removes the outer parentheses; `null` if the first parenthesis does not close at the end. */
function withoutParentheses(text: string): string | null {
  let depth = 0
  for (const { text: mark, end } of tokensOf(text)) {
    depth += change(mark)
    if (depth === 0) return mark === ')' && end === text.length ? text.slice(1, -1) : null
  }
  return null
}

function splitByAnd(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (const { text: word, start, end } of tokensOf(text)) {
    depth += change(word)
    if (depth > 0 || word !== 'and') continue
    parts.push(text.slice(from, start))
    from = end
  }
  return [...parts, text.slice(from)]
}

function change(mark: string): number {
  if (mark === '(') return 1
  return mark === ')' ? -1 : 0
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
