import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { TenantColumn } from './examination.js'

const TEXTS: readonly string[] = ['text', 'character varying', 'character', 'name']
/** As long as an id may be. */
const LONGEST = 128
/** Shorter ones may be somebody's. */
const SHORTEST = 16

/** What may be taken for an id, and how it differs. */
export interface LookAlike {
  readonly id: string
  readonly difference: string
}

/** An id of a tenant that there is not, as the column takes it; `null` where that cannot be known. As long as it may be: what is cut off is told by it. */
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
 * Other ids that a comparison may take for this one: where it cuts off, folds, or looks for a pattern. None of a number or a `uuid`, which may be written in several
 * ways and is one id all the same.
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

// An extension may have put it anywhere.
function isText({ baseType }: TenantColumn): boolean {
  return TEXTS.includes(baseType) || /(?:^|\.)citext$/.test(baseType)
}

function lengthOf({ baseType, length }: TenantColumn): number {
  return Math.min(length ?? LONGEST, baseType === 'name' ? 63 : LONGEST)
}
