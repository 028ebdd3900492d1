import { type Clock, ConfigError, type Logger } from '../../../index.js'
import { type OptionNames, unknownOptions } from '../../../plugin/index.js'
import { invalid } from '../options/postgres-options.js'
import { ALL_TENANTS_ROLE, faultOfName, identifier, suffixed } from './names.js'

/** The name of the sessions table, and the role that uses it. */
export interface SessionTableOptions {
  /** The name of the table. Default: `'blazon_sessions'`. */
  readonly table?: string
  /** The schema of the table. Default: the first schema in the search path. */
  readonly schema?: string
  /**
   * The role that reads and writes sessions: in an application with tenants, the `allTenantsRole` of `postgres()`;
   * otherwise the application's login. The tenant role must have no privileges on the table. Default:
   * `'app_all_tenants'`.
   */
  readonly role?: string
}

const NAMES: OptionNames<SessionTableOptions> = { table: true, schema: true, role: true }
const DEFAULT_TABLE = 'blazon_sessions'

/**
 * Returns the SQL of a migration that creates the table for `postgresSessions()`. The table contains the sessions of
 * all tenants, and has no policies, because the tenant role cannot reach it. Times are in milliseconds since 1970.
 *
 * The function does not run the SQL. Put it into a migration file.
 *
 * @returns the SQL.
 * @throws ConfigError if a name is invalid.
 * @example
 * writeFileSync('migrations/0002_sessions.sql', sessionTable())
 */
export function sessionTable(options: SessionTableOptions = {}): string {
  const { role = ALL_TENANTS_ROLE, schema } = options
  checkNames('sessionTable()', { ...options, role })
  const table = qualifiedTable(options)
  const name = options.table ?? DEFAULT_TABLE
  const to = identifier(role)
  return [
    `create table ${table} (`,
    '  id text primary key,',
    '  fields jsonb not null,',
    '  user_key text,',
    '  user_json text,',
    '  tenant text,',
    '  created_at bigint not null,',
    '  used_at bigint not null,',
    '  idle_at bigint not null,',
    '  ends_at bigint not null',
    ');',
    `create index ${identifier(suffixed(name, '_user'))} on ${table} (user_key) where user_key is not null;`,
    `create index ${identifier(suffixed(name, '_idle'))} on ${table} (idle_at);`,
    ...(schema === undefined ? [] : [`grant usage on schema ${identifier(schema)} to ${to};`]),
    `grant select, insert, update, delete on ${table} to ${to};`,
    '',
  ].join('\n')
}

/** Returns the name of the table as SQL. */
export function qualifiedTable({
  table = DEFAULT_TABLE,
  schema,
}: Pick<SessionTableOptions, 'table' | 'schema'>): string {
  return schema === undefined ? identifier(table) : `${identifier(schema)}.${identifier(table)}`
}

/**
 * Checks the names of the table, the schema and the role.
 *
 * @throws ConfigError if a name is invalid.
 */
export function checkNames(subject: string, options: SessionTableOptions): void {
  const { table = DEFAULT_TABLE, schema, role } = options
  const wrong = Object.entries({ table, schema, role }).flatMap(([what, name]) => {
    const cause = name === undefined ? null : faultOfName(name)
    return cause === null ? [] : [invalid(`${subject}: ${what}`, cause, 'Use another name.')]
  })
  const problems = [...unknownOptions(`${subject}: `, options, NAMES), ...wrong]
  if (problems.length > 0) throw new ConfigError(problems)
}

/** The role that uses the table of {@link idempotencyTable}. */
export interface IdempotencyTableOptions {
  /**
   * The role that reads and writes records: in an application with tenants, the `allTenantsRole` of `postgres()`;
   * otherwise the application's login. Default: `'app_all_tenants'`.
   */
  readonly role?: string
}

const IDEMPOTENCY_NAMES: OptionNames<IdempotencyTableOptions> = { role: true }

/** The name of the table, which is in the first schema of the search path. */
export const IDEMPOTENCY_TABLE = 'blazon_idempotency'

/**
 * Returns the SQL of the table in which `postgres()` stores the responses of `@Idempotent()` routes. The application
 * creates this table itself at startup. Put the SQL into a migration only if the application's login is not allowed to
 * create tables.
 *
 * @returns the SQL.
 * @throws ConfigError if the role name is invalid.
 * @example
 * writeFileSync('migrations/0003_idempotency.sql', idempotencyTable())
 */
export function idempotencyTable(options: IdempotencyTableOptions = {}): string {
  const { role = ALL_TENANTS_ROLE } = options
  const fault = faultOfName(role)
  const problems = [
    ...unknownOptions('idempotencyTable(): ', options, IDEMPOTENCY_NAMES),
    ...(fault === null ? [] : [invalid('idempotencyTable(): role', fault, 'Use another name.')]),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return idempotencyStatements(role)
    .map((each) => `${each};\n`)
    .join('')
}

/**
 * Returns the statements that create the table.
 *
 * @param role The role that gets privileges; with `null`, only the owner has them.
 */
export function idempotencyStatements(role: string | null): string[] {
  return [
    `create table if not exists ${IDEMPOTENCY_TABLE} (key text primary key, record text not null, ends_at bigint not null)`,
    `create index if not exists ${IDEMPOTENCY_TABLE}_ends on ${IDEMPOTENCY_TABLE} (ends_at)`,
    ...(role === null
      ? []
      : [`grant select, insert, update, delete on ${IDEMPOTENCY_TABLE} to ${identifier(role)}`]),
  ]
}

/** The interval at which expired rows are deleted. */
const PURGE_MS = 3_600_000

/** Deletes a table's expired rows every hour until it is closed. */
export class HourlyPurge {
  readonly close: () => Promise<void>

  /**
   * @param purge Deletes the rows.
   * @param failure The log message for a failure. The deletion is tried again after an hour.
   */
  constructor(
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
    purge: () => Promise<unknown>,
    failure: string,
  ) {
    let purging: Promise<unknown> | undefined
    const timer = clock.setInterval(() => {
      purging = purge().catch((err) => logger.warn({ err }, failure))
    }, PURGE_MS)
    this.close = async () => {
      timer.cancel()
      await purging
    }
  }
}
