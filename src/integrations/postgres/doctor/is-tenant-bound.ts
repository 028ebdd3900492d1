import { TENANT_SETTING } from '../names.js'
import { tokensOf } from '../sql-tokens.js'

/** Types that an id of a tenant may have on its way; PostgreSQL writes down every change between them. */
const CAST =
  /::(?:text|citext|uuid|name|bpchar|character(?: varying)?|smallint|integer|bigint)(?:\(\d+\))?(?![\w[])/g
const SETTING = `current_setting'${TENANT_SETTING.replace('.', '\\.')}'(?:,true)?`
const CURRENT = `(?:select)?(?:${SETTING}|nullif${SETTING},'')(?:as"?\\w+"?)?`
const COMPARISON = new RegExp(`^(?:tenant_id=${CURRENT}|${CURRENT}=tenant_id)$`)

/**
 * Whether a condition of a policy, as PostgreSQL writes it, holds for rows of the current tenant alone: it compares `tenant_id` with the setting, and
 * whatever else it asks is asked too (`AND`). What cannot be told is not.
 */
export function isTenantBound(condition: string): boolean {
  const text = condition.replace(CAST, '')
  const pieces = [...tokensOf(text)].map(
    (token) => token.text || text.slice(token.start, token.end),
  )
  return isBound(pieces)
}

function isBound(pieces: readonly string[]): boolean {
  const parts = conjuncts(pieces)
  if (parts.length > 1) return parts.some(isBound)
  const isWrapped = pieces[0] === '(' && endOfGroup(pieces) === pieces.length - 1
  if (isWrapped) return isBound(pieces.slice(1, -1))
  return COMPARISON.test(pieces.filter((piece) => piece !== '(' && piece !== ')').join(''))
}

/** Takes `a AND b` apart, where it is not in parentheses. */
function conjuncts(pieces: readonly string[]): string[][] {
  const parts: string[][] = [[]]
  let depth = 0
  for (const piece of pieces) {
    depth += change(piece)
    if (depth === 0 && piece === 'and') parts.push([])
    else parts.at(-1)?.push(piece)
  }
  return parts
}

/** Where the parenthesis that a text begins with is closed. */
function endOfGroup(pieces: readonly string[]): number {
  let depth = 0
  return pieces.findIndex((piece) => {
    depth += change(piece)
    return depth === 0
  })
}

function change(piece: string): number {
  if (piece === '(') return 1
  return piece === ')' ? -1 : 0
}
