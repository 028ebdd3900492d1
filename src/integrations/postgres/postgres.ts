import type { BlazonRequest } from '../../http/request.js'
import { InjectionToken, type Interceptor, type Plugin } from '../../index.js'
import { Database } from './database.js'
import { createDriver } from './drivers/create-driver.js'
import { Engine } from './engine.js'
import { checkPostgresOptions } from './options/check-postgres-options.js'
import type { PostgresOptions } from './options/postgres-options.js'
import { explainRefusal } from './refused-statement.js'
import type { Sessions } from './sessions/sessions.js'
import { isTransactional } from './transactional.js'

/** What stands behind `Database`. Its name is what an application with two of these plugins is told of. */
const OwnEngine = new InjectionToken<Engine>('postgres(): an application can have only one')

/**
 * PostgreSQL for an application, with the rows of tenants kept apart by the database itself. Provides {@link Database}. Needs the package `pg`, or
 * `@electric-sql/pglite` for one that runs in the process. Several applications may be given the same plugin: each has a database of its own to close, and with
 * `embedded: 'memory'` also of its own contents.
 *
 * @throws ConfigError when an option is wrong; at the start of the application, when the package is not installed or the database cannot be reached.
 * @example
 * new App({ plugins: [postgres({ url: process.env.DATABASE_URL })], tenant: {} })
 */
export function postgres(options: PostgresOptions): Plugin {
  checkPostgresOptions('postgres()', options)
  return {
    name: 'postgres',
    providers: [
      { token: OwnEngine, useFactory: () => new Engine(options, createDriver(options)) },
      {
        token: Database,
        inject: [OwnEngine],
        useFactory: ({ sessions, logger }: Engine) => new Database({ sessions, logger }),
      },
    ],
    async setup({ get, logger, usesTenants }) {
      // One that a test has put in its place needs no other behind it.
      if (get(Database) instanceof Database) await get(OwnEngine).start({ logger, usesTenants })
    },
    intercept(route, { get, usesTenants }) {
      if (!(get(Database) instanceof Database)) return null
      const isExplicit = isTransactional(route)
      if (!usesTenants && !isExplicit) return null
      return interceptor(get(OwnEngine).sessions, isExplicit)
    },
    explain: explainRefusal,
    health: async ({ get }) => {
      if (get(Database) instanceof Database) await get(OwnEngine).checkReady()
    },
  }
}

function interceptor(sessions: Sessions, isTransactional: boolean): Interceptor {
  return (req, res, next, fail) => {
    // What is nobody's has no transaction unless it asks for one.
    if (!isTransactional && sessions.owner?.kind !== 'tenant') return next()
    return sessions.intercept(req as BlazonRequest, res, { next, fail, isTransactional })
  }
}
