import { ConfigError } from '../../../index.js'
import { type OptionNames, unknownOptions } from '../../../plugin/index.js'
import { ALL_TENANTS_ROLE } from '../names.js'
import { invalid } from '../options/option-problem.js'
import { faultOfName, identifier } from './identifier.js'

/** Who uses the table of {@link idempotencyTable}. */
export interface IdempotencyTableOptions {
  /**
   * The role that reads and writes records: with tenants, the `allTenantsRole` of `postgres()`; without, the login of the
   * application. Default `'app_all_tenants'`.
   */
  readonly role?: string
}

const NAMES: OptionNames<IdempotencyTableOptions> = { role: true }

/** The table, in the first schema of the search path. */
export const IDEMPOTENCY_TABLE = 'blazon_idempotency'

/**
 * Writes the SQL of the table in which `postgres()` keeps the responses of `@Idempotent()`. The application creates the
 * table itself when it starts. Put the SQL into a migration only if the login of the application may not create tables.
 *
 * @returns the SQL.
 * @throws ConfigError when the name of the role is not valid.
 * @example
 * writeFileSync('migrations/0003_idempotency.sql', idempotencyTable())
 */
export function idempotencyTable(options: IdempotencyTableOptions = {}): string {
  const { role = ALL_TENANTS_ROLE } = options
  const fault = faultOfName(role)
  const problems = [
    ...unknownOptions('idempotencyTable(): ', options, NAMES),
    ...(fault === null ? [] : [invalid('idempotencyTable(): role', fault, 'Give another name.')]),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return idempotencyStatements(role)
    .map((each) => `${each};\n`)
    .join('')
}

/** The statements that create the table. @param role The role that gets rights; `null` for none but the owner. */
export function idempotencyStatements(role: string | null): string[] {
  return [
    `create table if not exists ${IDEMPOTENCY_TABLE} (key text primary key, record text not null, ends_at bigint not null)`,
    `create index if not exists ${IDEMPOTENCY_TABLE}_ends on ${IDEMPOTENCY_TABLE} (ends_at)`,
    ...(role === null
      ? []
      : [`grant select, insert, update, delete on ${IDEMPOTENCY_TABLE} to ${identifier(role)}`]),
  ]
}
