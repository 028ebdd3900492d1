export { Database } from './database.js'
export type { Field, QueryResult, Statement } from './driver.js'
export { postgres } from './postgres.js'
export {
  isForeignKeyViolation,
  isUniqueViolation,
  PostgresError,
  type PostgresErrorFields,
} from './postgres-error.js'
export type { PostgresOptions, PostgresTimeouts } from './postgres-options.js'
export { provideDrizzle } from './provide-drizzle.js'
export { Sql, type SqlTag, sql } from './sql.js'
export { TenantSwitchError } from './tenant-switch-error.js'
export { Transactional } from './transactional.js'
