import { type Clock, ConfigError, type Logger } from '../../../index.js'
import { type OptionNames, unknownOptions } from '../../../plugin/index.js'
import { invalid } from '../options/postgres-options.js'
import { ALL_TENANTS_ROLE, faultOfName, identifier, suffixed } from './names.js'

/** The name of the table of sessions, and the role that uses it. */
export interface SessionTableOptions {
  /** The name of the table. Default `'blazon_sessions'`. */
  readonly table?: string
  /** The schema of the table. Default: the first of the search path. */
  readonly schema?: string
  /**
   * The role that reads and writes sessions: with tenants, the `allTenantsRole` of `postgres()`; without, the login of the
   * application. The role of tenants must not have the table. Default `'app_all_tenants'`.
   */
  readonly role?: string
}

const NAMES: OptionNames<SessionTableOptions> = { table: true, schema: true, role: true }
const DEFAULT_TABLE = 'blazon_sessions'

/**
 * Writes the SQL of a migration that creates the table of `postgresSessions()`. The table has the sessions of all tenants,
 * and no policies: the role of tenants cannot reach it. Times are milliseconds since 1970.
 *
 * The function does not run the SQL: put it into a file of your migrations.
 *
 * @returns the SQL.
 * @throws ConfigError when a name is not valid.
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

/** The name of the table as SQL. */
export function qualifiedTable({
  table = DEFAULT_TABLE,
  schema,
}: Pick<SessionTableOptions, 'table' | 'schema'>): string {
  return schema === undefined ? identifier(table) : `${identifier(schema)}.${identifier(table)}`
}

/** @throws ConfigError if a name is not valid. */
export function checkNames(subject: string, options: SessionTableOptions): void {
  const { table = DEFAULT_TABLE, schema, role } = options
  const wrong = Object.entries({ table, schema, role }).flatMap(([what, name]) => {
    const cause = name === undefined ? null : faultOfName(name)
    return cause === null ? [] : [invalid(`${subject}: ${what}`, cause, 'Use another name.')]
  })
  const problems = [...unknownOptions(`${subject}: `, options, NAMES), ...wrong]
  if (problems.length > 0) throw new ConfigError(problems)
}

/** Who uses the table of {@link idempotencyTable}. */
export interface IdempotencyTableOptions {
  /**
   * The role that reads and writes records: with tenants, the `allTenantsRole` of `postgres()`; without, the login of the
   * application. Default `'app_all_tenants'`.
   */
  readonly role?: string
}

const IDEMPOTENCY_NAMES: OptionNames<IdempotencyTableOptions> = { role: true }

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
    ...unknownOptions('idempotencyTable(): ', options, IDEMPOTENCY_NAMES),
    ...(fault === null ? [] : [invalid('idempotencyTable(): role', fault, 'Use another name.')]),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return idempotencyStatements(role)
    .map((each) => `${each};\n`)
    .join('')
}

/** The statements that create the table. @param role The role that gets privileges; `null` for only the owner. */
export function idempotencyStatements(role: string | null): string[] {
  return [
    `create table if not exists ${IDEMPOTENCY_TABLE} (key text primary key, record text not null, ends_at bigint not null)`,
    `create index if not exists ${IDEMPOTENCY_TABLE}_ends on ${IDEMPOTENCY_TABLE} (ends_at)`,
    ...(role === null
      ? []
      : [`grant select, insert, update, delete on ${IDEMPOTENCY_TABLE} to ${identifier(role)}`]),
  ]
}

/** Rows that have ended are deleted once in this time. */
const PURGE_MS = 3_600_000

/** Deletes the expired rows of a table every hour, until it is closed. */
export class HourlyPurge {
  readonly close: () => Promise<void>

  /**
   * @param purge Deletes the rows.
   * @param failure The line of the log when that fails. The next hour tries again.
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
