import type { Request } from '../../../index.js'
import type { GuardSetup } from '../../../plugin/index.js'
import { Database } from '../database.js'

/** A key that `find` of {@link PostgresKeys} has found: a record of `apiKeys`. */
export interface FoundApiKey {
  /** Names the key; it is not a secret. */
  readonly id: string
  /** The SHA-256 of the key in hexadecimal. */
  readonly hash: string
  /** A name for people. */
  readonly name: string | null
  /** The tenant of the key. */
  readonly tenant: string | null
  /** The abilities of the key. */
  readonly permissions: readonly string[]
  /** The roles of the key. */
  readonly roles: readonly string[]
  /** From when on the key is refused. */
  readonly expiresAt: Date | null
  /** When the key was revoked. */
  readonly revokedAt: Date | null
}

/** The options of `apiKeys` for the table `blazon.api_keys`. */
export interface PostgresKeys {
  /** Finds a key by its hash, for the application's {@link Database}. */
  readonly find: (hash: string, app: GuardSetup) => Promise<FoundApiKey | undefined>
  /** Stores when a key was used. */
  readonly onUse: (
    record: { readonly hash: string },
    req: Request,
    app: GuardSetup,
  ) => Promise<void>
}

interface Row extends Omit<FoundApiKey, 'expiresAt' | 'revokedAt'> {
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
}

/**
 * Returns the options with which `apiKeys` of `blazon/keys` reads the table that `apiKeysTable` describes.
 *
 * @example
 * const guard = apiKeys({ prefix: 'acme_live', ...postgresKeys() })
 */
export function postgresKeys(): PostgresKeys {
  return {
    async find(hash, { get }) {
      const text = 'select * from blazon.find_api_key($1)'
      const { rows } = await get(Database).query<Row>(text, [hash])
      const [row] = rows
      if (row === undefined) return undefined
      const { expires_at: expiresAt, revoked_at: revokedAt, ...fields } = row
      return { ...fields, expiresAt, revokedAt }
    },
    async onUse({ hash }, _req, { get }) {
      await get(Database).query('select blazon.use_api_key($1)', [hash])
    },
  }
}
