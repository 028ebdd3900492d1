export {
  isForeignKeyViolation,
  isUniqueViolation,
  PostgresError,
  type PostgresErrorFields,
} from './postgres-error.js'
export type { PostgresOptions, PostgresTimeouts } from './postgres-options.js'
