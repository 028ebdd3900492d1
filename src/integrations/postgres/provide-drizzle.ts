import type { FactoryProvider, Token } from '../../index.js'
import { Database } from './database.js'
import { loadPeer } from './load-peer.js'

/** The part of `drizzle-orm` that is used. */
interface DrizzlePackage {
  drizzle(run: RunQuery, config?: object): unknown
}

type RunQuery = (
  text: string,
  values: unknown[],
  method: 'all' | 'execute',
) => Promise<{ rows: unknown[] }>

/**
 * Provides Drizzle on the {@link Database} of the application. Its queries run in the transaction of
 * the request and for its tenant, like all others. Begin transactions with `Database.transaction`:
 * Drizzle's own `transaction` throws, because the driver used here does not support it. Needs the
 * package `drizzle-orm`.
 *
 * @param token The injection token of the Drizzle object.
 * @param config The configuration of Drizzle: `schema`, `casing`, `logger`.
 * @throws ConfigError at the start of the application when the package is not installed.
 * @example
 * const Orm = new InjectionToken<PgRemoteDatabase<typeof schema>>('Orm')
 * new App({ plugins: [postgres({ url })], providers: [provideDrizzle(Orm, { schema })] })
 */
export function provideDrizzle<T>(token: Token<T>, config: object = {}): FactoryProvider<T> {
  return {
    token,
    inject: [Database],
    useFactory: async (database: Database) => {
      const { drizzle } = await loadDrizzle()
      return drizzle(runOn(database), config) as T
    },
  }
}

function loadDrizzle(): Promise<DrizzlePackage> {
  const load = () => import('drizzle-orm/pg-proxy') as Promise<unknown>
  return loadPeer(load as () => Promise<DrizzlePackage>, 'drizzle-orm@0.45')
}

/**
 * Runs the queries of Drizzle. Drizzle parses times itself. For `all` it expects each row as a list
 * of values.
 */
function runOn(database: Database): RunQuery {
  return (text, values, method) =>
    database.query({
      text,
      values,
      texts: 'times',
      ...(method === 'all' ? { rowMode: 'array' as const } : {}),
    })
}
