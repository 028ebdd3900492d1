import { randomUUID } from 'node:crypto'
import type { Request } from '../../../index.js'
import type { GuardSetup } from '../../../plugin/index.js'
import { Database } from '../database.js'
import type { QueryResult, Statement } from '../driver.js'
import type { PostgresOptions } from '../options/postgres-options.js'
import { withDriver } from '../with-driver.js'

/** A key that `find` of {@link PostgresKeys} returns, as a record for `apiKeys`. */
export interface FoundApiKey {
  /** The ID of the key. It is not a secret. */
  readonly id: string
  /** The SHA-256 of the key in hexadecimal. */
  readonly hash: string
  /** A human-readable name. */
  readonly name: string | null
  /** The tenant of the key. */
  readonly tenant: string | null
  /** The permissions of the key. */
  readonly permissions: readonly string[]
  /** The roles of the key. */
  readonly roles: readonly string[]
  /** The time from which the key is refused. */
  readonly expiresAt: Date | null
  /** The time when the key was revoked. */
  readonly revokedAt: Date | null
}

/** The options for `apiKeys` that use the table `blazon.api_keys`. */
export interface PostgresKeys {
  /** Finds a key by its hash in the application's {@link Database}. */
  readonly find: (hash: string, app: GuardSetup) => Promise<FoundApiKey | undefined>
  /** Records when a key was used. */
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
 * Returns the options with which `apiKeys` from `blazon/keys` reads the table that `apiKeysTable` creates.
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

/** A key in the table `blazon.api_keys`, without its hash. */
export interface StoredApiKey {
  /** The ID of the key. It is not a secret. */
  readonly id: string
  /** The first characters of the key. */
  readonly start: string
  /** A human-readable name; `null` if there is none. */
  readonly name: string | null
  /** The tenant of the key; `null` if it has none. */
  readonly tenant: string | null
  /** The permissions of the key. */
  readonly permissions: readonly string[]
  /** The roles of the key. */
  readonly roles: readonly string[]
  /** The time when the key was stored. */
  readonly createdAt: Date
  /** The expiry; `null` if there is none. */
  readonly expiresAt: Date | null
  /** The time of the revocation; `null` if the key was not revoked. */
  readonly revokedAt: Date | null
  /** The time of the last recorded use (see `useInterval` of `apiKeys`); `null` if no use was recorded. */
  readonly lastUsedAt: Date | null
}

/** A new key: the `start` and `hash` from `generateApiKey`, and its permissions. */
export interface NewApiKey
  extends Pick<StoredApiKey, 'start'>,
    Partial<Pick<StoredApiKey, 'name' | 'tenant' | 'permissions' | 'roles' | 'expiresAt'>> {
  /** The SHA-256 of the key in hexadecimal. */
  readonly hash: string
}

const COLUMNS = `id, start, name, tenant_id as tenant, permissions, roles, created_at as "createdAt",
  expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"`

/**
 * Stores a key in the table that `apiKeysTable` creates.
 *
 * @param database The application's {@link Database}, or the options of a connection. If the application has tenants,
 * call this function inside `withoutTenant`.
 * @throws PostgresError if the table is missing or this login is not allowed to write to it; HttpError 503 if the
 * database cannot be reached.
 * @example
 * const { key, ...stored } = generateApiKey({ prefix: 'acme_live' })
 * await db.withoutTenant('make a key', () => saveApiKey(db, { ...stored, tenant: 'acme' }))
 */
export async function saveApiKey(
  database: Database | PostgresOptions,
  key: NewApiKey,
): Promise<StoredApiKey> {
  const { hash, start, name, tenant, permissions = [], roles = [], expiresAt } = key
  const [stored] = await run(database, {
    text: `insert into blazon.api_keys (id, hash, start, name, tenant_id, permissions, roles, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
    values: [`key_${randomUUID()}`, hash, start, name, tenant, permissions, roles, expiresAt],
  })
  return stored as StoredApiKey
}

/**
 * Lists the keys, newest first.
 *
 * @param database As for {@link saveApiKey}.
 * @param filter `tenant`: the tenant whose keys are listed. If omitted, all keys are listed.
 * @throws the errors of {@link saveApiKey}.
 */
export function listApiKeys(
  database: Database | PostgresOptions,
  { tenant }: { readonly tenant?: string | undefined } = {},
): Promise<StoredApiKey[]> {
  return run(database, {
    text: `select ${COLUMNS} from blazon.api_keys where $1::text is null or tenant_id = $1
      order by created_at desc, id`,
    values: [tenant],
  })
}

/**
 * Revokes a key. A key that is already revoked is not changed. Requests with the key are refused at the latest when the
 * `cacheFor` of `apiKeys` has passed.
 *
 * @param database As for {@link saveApiKey}.
 * @param id The ID of the key.
 * @param filter `tenant`: the tenant to which the key must belong. If omitted, the key can belong to any tenant.
 * @returns the key; `undefined` if there is no such key.
 * @throws the errors of {@link saveApiKey}.
 */
export async function revokeApiKey(
  database: Database | PostgresOptions,
  id: string,
  { tenant }: { readonly tenant?: string | undefined } = {},
): Promise<StoredApiKey | undefined> {
  const [revoked] = await run(database, {
    text: `update blazon.api_keys set revoked_at = coalesce(revoked_at, now())
      where id = $1 and ($2::text is null or tenant_id = $2) returning ${COLUMNS}`,
    values: [id, tenant],
  })
  return revoked
}

async function run(
  database: Database | PostgresOptions,
  statement: Statement,
): Promise<StoredApiKey[]> {
  const { rows } = await (database instanceof Database
    ? database.query<StoredApiKey>(statement)
    : withDriver('API keys', database, async (driver) => {
        const connection = await driver.connect()
        try {
          return (await connection.query(statement)) as unknown as QueryResult<StoredApiKey>
        } finally {
          connection.release()
        }
      }))
  return rows
}
