import { timingSafeEqual } from 'node:crypto'
import type { ApiKeyRecord } from './api-keys-options.js'

/**
 * Checks the result of `find`, and copies it: the copy is shared by requests and cannot be changed.
 *
 * @returns `undefined` if there is no such key.
 * @throws TypeError when it is not a record of the key with this hash: a mistake in `find`. The text contains neither key
 * nor hash.
 */
export function checkedRecord<TRecord extends ApiKeyRecord>(
  record: TRecord | null | undefined,
  hash: string,
): TRecord | undefined {
  if (record === undefined || record === null) return undefined
  if (typeof record !== 'object') throw mistake('a record', typeof record)
  if (typeof record.id !== 'string' || record.id === '') throw mistake('an `id`', typeof record.id)
  if (!isSame(record.hash, hash)) {
    throw new TypeError(
      `apiKeys(): \`find\` returned the key ${record.id}, whose \`hash\` differs from the requested one: search the column with the SHA-256 of keys in lower-case hexadecimal digits.`,
    )
  }
  const { tenant } = record
  if (!isTextOrNone(tenant)) throw mistake('a text as `tenant`', typeof tenant)
  return Object.freeze({
    ...record,
    permissions: namesOf(record, 'permissions'),
    roles: namesOf(record, 'roles'),
    expiresAt: expiryOf(record),
  })
}

/** Whether a key is neither revoked nor expired. */
export function isLive({ revokedAt, expiresAt }: ApiKeyRecord, now: number): boolean {
  const isRevoked = revokedAt !== undefined && revokedAt !== null
  return !isRevoked && (typeof expiresAt !== 'number' || now < expiresAt)
}

function isSame(hash: unknown, wanted: string): boolean {
  if (typeof hash !== 'string' || hash.length !== wanted.length) return false
  const [one, other] = [Buffer.from(hash), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value !== '')
}

/** A text would allow each of its parts: `'orders:write'.includes('orders')`. */
function namesOf(record: ApiKeyRecord, field: 'permissions' | 'roles'): readonly string[] {
  const names: unknown = record[field] ?? []
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) {
    return Object.freeze([...names])
  }
  throw mistake(`a list of texts as \`${field}\``, typeof names)
}

/** An invalid date is not "never". */
function expiryOf({ expiresAt }: ApiKeyRecord): number | null {
  if (expiresAt === undefined || expiresAt === null) return null
  const ms = expiresAt instanceof Date ? expiresAt.getTime() : expiresAt
  if (typeof ms === 'number' && !Number.isNaN(ms)) return ms
  throw mistake('a Date or milliseconds as `expiresAt`', typeof expiresAt)
}

function mistake(wanted: string, got: string): TypeError {
  return new TypeError(`apiKeys(): \`find\` has to return ${wanted}, and this is of type ${got}.`)
}
