import { TENANT_SETTING } from '../names.js'
import { literal } from '../schema/identifier.js'
import { tokensOf } from '../sql-tokens.js'

/** A column, as far as a comparison with it matters. */
export interface ComparedColumn {
  readonly name: string
  /** Without its length, and with its schema where that is not `pg_catalog`. */
  readonly type: string
  /** Whether its texts are equal only where every byte is. */
  readonly isDeterministic: boolean
}

const INTEGERS: readonly string[] = ['smallint', 'integer', 'bigint']
const TEXTS: readonly string[] = ['text', 'character varying']

const SETTING = `current_setting\\(${escaped(literal(TENANT_SETTING))}::text(?:, true)?\\)`
const VALUE = `(?:${SETTING}|NULLIF\\(${SETTING}, ''::text\\))`

/**
 * Whether `=` of PostgreSQL tells all values of a column apart. It does not for `char(n)` (blanks at the end), `name` (behind 63 bytes), `citext`, and texts with a
 * collation that is not deterministic. Of other types, `numeric` and domains among them, nobody has made sure.
 */
export function keepsApart({ type, isDeterministic }: ComparedColumn): boolean {
  return TEXTS.includes(type) ? isDeterministic : type === 'uuid' || INTEGERS.includes(type)
}

/**
 * The column that a condition of a policy compares with the setting, so that it holds for rows of one tenant alone: by `=`, in the forms that `tenantTable` and its
 * like are written down in; whatever else it asks is asked too (`AND`). `undefined` where it is none of these forms: what cannot be told is not.
 *
 * @param condition As `pg_get_expr` writes it while the `search_path` is `pg_catalog`. Then a type, an operator, a function or a collation of somebody else
 * has its schema in front of it, and every change of type between a value and `=` is written down.
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

/** By itself, or as a query, which is worked out once for a statement. */
function queryOr(value: string): string {
  return `(?:${value}|\\( SELECT ${value} AS (?:\\w+|"(?:[^"]|"")+")\\))`
}

function sides(one: string, other: string): string {
  return `${one} = ${other}|${other} = ${one}`
}

/** What has to hold, each part without parentheses around it. PostgreSQL puts them around everything that `AND` joins, and around the whole. */
function conjunctsOf(condition: string): string[] {
  const whole = condition.trim()
  const inner = withoutParentheses(whole)
  if (inner === null) return [whole]
  const parts = splitByAnd(inner)
  return parts.length === 1 ? [inner.replace(/\s+/g, ' ')] : parts.flatMap(conjunctsOf)
}

/** `null` where the first one is not closed by the last. */
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
