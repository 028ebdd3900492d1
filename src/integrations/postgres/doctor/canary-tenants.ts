import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { TenantColumn } from './examination.js'

const TEXTS: readonly string[] = ['text', 'character varying', 'character', 'name']
/** The greatest length of an id, in characters. */
const LONGEST = 128
/** The smallest length of a test id, in characters: a shorter one may belong to a real tenant. */
const SHORTEST = 16

/** An id that a comparison may confuse with another one, and the difference between the two. */
export interface LookAlike {
  readonly id: string
  readonly difference: string
}

/**
 * Creates the id of a tenant that does not exist, in the type of the column; `null` for other types
 * of columns. The id has the greatest length that fits, so that a comparison that cuts ids off is
 * noticed.
 */
export function canaryTenant(column: TenantColumn): string | null {
  if (column.baseType === 'uuid') return randomUUID()
  if (/^(?:smallint|integer|bigint|numeric)$/.test(column.baseType)) {
    return String(-randomInt(1, 30_000))
  }
  if (!isText(column)) return null
  const length = lengthOf(column)
  return length < SHORTEST
    ? null
    : `Canary-${randomBytes(LONGEST / 2).toString('hex')}`.slice(0, length)
}

/**
 * Creates ids that a comparison may confuse with this one: because it cuts ids off, ignores case or
 * accents, or matches a pattern. Returns none for numbers and `uuid`: they may be written in
 * several ways, but stay the same id.
 */
export function lookAlikesOf(id: string, column: TenantColumn): LookAlike[] {
  if (!isText(column)) return []
  const start = id.slice(0, -1)
  return [
    { id: `${start}_`, difference: 'its last character' },
    { id: `${start}.`, difference: 'a dot' },
    { id: start, difference: 'a character at its end' },
    { id: `${id}x`, difference: 'one more character' },
    { id: `${id} `, difference: 'a blank at its end' },
    { id: id.toUpperCase(), difference: 'capital letters' },
    { id: id.replace('a', 'á'), difference: 'an accent' },
    { id: id.replace('-', '_'), difference: 'a punctuation mark' },
  ]
}

// An extension may be installed in any schema.
function isText({ baseType }: TenantColumn): boolean {
  return TEXTS.includes(baseType) || /(?:^|\.)citext$/.test(baseType)
}

function lengthOf({ baseType, length }: TenantColumn): number {
  return Math.min(length ?? LONGEST, baseType === 'name' ? 63 : LONGEST)
}
