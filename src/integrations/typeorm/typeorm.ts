import type { DataSource } from 'typeorm'
import { orStandIn, type Plugin, Statements } from '../../index.js'
import { dataSourceOf } from './data-source-of.js'
import { explainRefusal } from './explain-refusal.js'
import { observeStatements } from './observe-statements.js'
import { openDataSource } from './open-data-source.js'
import { checkTypeOrmOptions, type TypeOrmOptions } from './typeorm-options.js'

/**
 * A plugin that opens a TypeORM data source. The data source is initialised before the providers that inject
 * it are created, and destroyed after the last response. Every application has its own data source, even when
 * several applications share one plugin object.
 *
 * Provides TypeORM's class `DataSource` (with a `name`: {@link dataSourceOf}) and every {@link repositoryOf}.
 *
 * @param options The options of TypeORM's `DataSource`, and `name`. Needs the peer dependency `typeorm` and
 * the package of the driver.
 * @throws ConfigError at boot, when an option is wrong, `typeorm` is not installed, or the data source cannot be initialised.
 * @example
 * const app = new App({
 *   controllers: [UsersController],
 *   plugins: [typeorm({ type: 'postgres', url: process.env.DATABASE_URL, entities: [User] })],
 * })
 */
export function typeorm(options: TypeOrmOptions): Plugin {
  return orStandIn(
    () => {
      checkTypeOrmOptions(options)
      return dataSourcePlugin(options)
    },
    () => dataSourcePlugin({ type: 'postgres' }),
  )
}

function dataSourcePlugin(options: TypeOrmOptions): Plugin {
  const token = dataSourceOf(options.name)
  const name = options.name === undefined ? 'typeorm' : `typeorm ${options.name}`
  return {
    name,
    providers: [{ token, useFactory: () => openDataSource(options) }],
    setup({ get, usesTenants, logger }) {
      observeStatements(get(token), get(Statements))
      if (usesTenants) logger.warn({ plugin: name }, NOT_BOUND)
    },
    explain: explainRefusal,
    health: (app) => queryHealth(app.get(token)),
  }
}

const NOT_BOUND =
  'This application has tenants, and the database does not limit the queries of TypeORM to one tenant. Name the tenant in every query, ' +
  'or use blazon/postgres. See "Tenants" in docs/typeorm.md.'

/** The shortest query of the health check, for databases that do not accept `select 1`. */
const HEALTH_QUERIES: Readonly<Record<string, string>> = {
  oracle: 'select 1 from dual',
  sap: 'select 1 from dummy',
}

async function queryHealth(dataSource: DataSource): Promise<void> {
  if (!dataSource.isInitialized) throw new Error('The data source is closed.')
  const { type } = dataSource.options
  // MongoDB has no SQL, and its driver checks the connection itself.
  if (type !== 'mongodb') await dataSource.query(HEALTH_QUERIES[type] ?? 'select 1')
}
