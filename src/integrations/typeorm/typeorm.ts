import type { DataSource } from 'typeorm'
import type { Plugin } from '../../index.js'
import { dataSourceOf } from './data-source-of.js'
import { explainRefusal } from './explain-refusal.js'
import { openDataSource } from './open-data-source.js'
import { checkTypeOrmOptions, type TypeOrmOptions } from './typeorm-options.js'

/**
 * TypeORM in an application: a data source that is initialised before anything that asks for it is made, and destroyed after the last answer.
 * Every application has its own, also where several use one plugin object.
 *
 * Provides TypeORM's class `DataSource` (with a `name`: {@link dataSourceOf}) and every {@link repositoryOf}.
 *
 * @param options As for TypeORM's `DataSource`, and `name`. Needs the package `typeorm` and that of the driver.
 * @throws ConfigError when the options are none, or `typeorm` is not installed. At boot, when the data source cannot be initialised.
 * @example
 * const app = new App({
 *   controllers: [UsersController],
 *   plugins: [typeorm({ type: 'postgres', url: process.env.DATABASE_URL, entities: [User] })],
 * })
 */
export function typeorm(options: TypeOrmOptions): Plugin {
  checkTypeOrmOptions(options)
  const token = dataSourceOf(options.name)
  const name = options.name === undefined ? 'typeorm' : `typeorm ${options.name}`
  return {
    name,
    providers: [{ token, useFactory: () => openDataSource(options) }],
    setup({ usesTenants, logger }) {
      if (usesTenants) logger.warn({ plugin: name }, NOT_BOUND)
    },
    explain: explainRefusal,
    health: (app) => ask(app.get(token)),
  }
}

const NOT_BOUND =
  'This application has tenants, and the database does not limit the queries of TypeORM to one tenant. Name the tenant in every query, ' +
  'or use blazon/postgres. See "Tenants" in docs/typeorm.md.'

/** The shortest question, where a database wants more than `select 1`. */
const QUESTIONS: Readonly<Record<string, string>> = {
  oracle: 'select 1 from dual',
  sap: 'select 1 from dummy',
}

async function ask(dataSource: DataSource): Promise<void> {
  if (!dataSource.isInitialized) throw new Error('The data source is closed.')
  const { type } = dataSource.options
  // MongoDB is asked no SQL; its driver watches the connection by itself.
  if (type !== 'mongodb') await dataSource.query(QUESTIONS[type] ?? 'select 1')
}
