import type { DataSourceOptions } from 'typeorm'
import { ConfigError } from '../../index.js'
import type { Problem } from '../../plugin/index.js'

/** The options of TypeORM's `DataSource`, and a name. */
export type TypeOrmOptions = DataSourceOptions & {
  /**
   * The name of this data source, for applications with several data sources: `dataSourceOf(name)`,
   * `repositoryOf(Entity, name)`. If omitted, the token of the data source is TypeORM's class `DataSource`.
   */
  readonly name?: string
}

/**
 * Checks the options before TypeORM receives them.
 *
 * @throws ConfigError with all problems. Its message contains no values.
 */
export function checkTypeOrmOptions(options: unknown): void {
  const problems = problemsOf(options)
  if (problems.length > 0) throw new ConfigError(problems)
}

function problemsOf(options: unknown): Problem[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const remedy = "Pass { type: 'postgres', url: 'postgres://…', entities: [User] }."
    return [invalid('typeorm()', 'Its options must be an object.', remedy)]
  }
  if ('initialize' in options) {
    const cause =
      'It was given a data source, but each application must create its own data source.'
    return [invalid('typeorm()', cause, 'Pass its options: typeorm(dataSource.options).')]
  }
  const { type, name } = options as { type?: unknown; name?: unknown }
  return [...checkType(type), ...checkName(name)]
}

function checkType(type: unknown): Problem[] {
  if (typeof type === 'string') return []
  const remedy =
    "Specify the driver: { type: 'postgres' }, or { type: 'sqljs' } for a database in memory."
  return [invalid('typeorm(): type', 'The type of the database is missing.', remedy)]
}

function checkName(name: unknown): Problem[] {
  if (name === undefined || (typeof name === 'string' && name !== '')) return []
  const remedy = "Pass a short string, as in { name: 'reports' }, or omit it."
  return [invalid('typeorm(): name', 'It is empty, or not a string.', remedy)]
}

function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}
