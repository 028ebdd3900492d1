/**
 * PostgreSQL as a plugin: one transaction for each request, tenants kept apart by row-level security, migrations.
 *
 * @module blazon/postgres
 */
export { Database } from './database.js'
export type { Finding } from './doctor/finding.js'
export type { Field, QueryResult, Statement } from './driver.js'
export { type ApiKeysTableOptions, apiKeysTable } from './keys/api-keys-table.js'
export { type FoundApiKey, type PostgresKeys, postgresKeys } from './keys/postgres-keys.js'
export {
  listApiKeys,
  type NewApiKey,
  revokeApiKey,
  type StoredApiKey,
  saveApiKey,
} from './keys/stored-keys.js'
export { doctor, type MigrateOptions, migrate, migrationStatus } from './migrate.js'
export type { AppliedMigration } from './migrations/apply-migrations.js'
export type { MigrationState, MigrationStatus } from './migrations/history.js'
export type { PostgresOptions, PostgresTimeouts } from './options/postgres-options.js'
export { postgres } from './postgres.js'
export {
  isExclusionViolation,
  isForeignKeyViolation,
  isUniqueViolation,
  PostgresError,
  type PostgresErrorFields,
} from './postgres-error.js'
export { type PostgresSessionsOptions, postgresSessions } from './postgres-sessions.js'
export { provideDrizzle } from './provide-drizzle.js'
export {
  type DrizzleColumn,
  type DrizzlePage,
  type DrizzleRow,
  readDrizzlePage,
} from './read-drizzle-page.js'
export { readPage } from './read-page.js'
export { type IdempotencyTableOptions, idempotencyTable } from './schema/idempotency-table.js'
export { type SessionTableOptions, sessionTable } from './schema/session-table.js'
export { protectTable, tenantTable } from './schema/tenant-table.js'
export type {
  ProtectTableOptions,
  TenantReference,
  TenantTableOptions,
} from './schema/tenant-table-options.js'
export { TenantSwitchError } from './sessions/tenant-switch-error.js'
export type { Isolation, TransactionOptions } from './sessions/transaction-options.js'
export { Sql, type SqlTag, sql } from './sql.js'
export { Transactional } from './transactional.js'
export { versionIs } from './version-is.js'
export { withDatabaseLink } from './with-database-link.js'
