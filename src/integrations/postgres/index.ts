/**
 * PostgreSQL as a plugin: one transaction per request, tenant isolation through row-level security, and migrations.
 *
 * @module blazon/postgres
 */
export { Database } from './database.js'
export type { Finding } from './doctor/examination.js'
export type { Field, QueryResult, Statement } from './driver.js'
export {
  type DrizzleColumn,
  type DrizzlePage,
  type DrizzleRow,
  provideDrizzle,
  readDrizzlePage,
} from './drizzle.js'
export { type ApiKeysTableOptions, apiKeysTable } from './keys/api-keys-table.js'
export {
  type FoundApiKey,
  listApiKeys,
  type NewApiKey,
  type PostgresKeys,
  postgresKeys,
  revokeApiKey,
  type StoredApiKey,
  saveApiKey,
} from './keys/postgres-keys.js'
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
export { readPage } from './read-page.js'
export {
  type IdempotencyTableOptions,
  idempotencyTable,
  type SessionTableOptions,
  sessionTable,
} from './schema/store-tables.js'
export { protectTable, tenantTable } from './schema/tenant-table.js'
export type {
  ProtectTableOptions,
  TenantReference,
  TenantTableOptions,
} from './schema/tenant-table-options.js'
export { TenantSwitchError } from './sessions/owner.js'
export type { Isolation, TransactionOptions } from './sessions/transaction-options.js'
export { Sql, type SqlTag, sql, versionIs } from './sql.js'
export { Transactional } from './transactional.js'
export { withDatabaseLink } from './with-driver.js'
