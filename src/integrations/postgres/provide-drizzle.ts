import type { FactoryProvider, Token } from '../../index.js'
import { Database } from './database.js'
import { loadPeer } from './load-peer.js'

/** What of `drizzle-orm` is used. */
interface DrizzlePackage {
  drizzle(run: RunQuery, config?: object): unknown
}

type RunQuery = (
  text: string,
  values: unknown[],
  method: 'all' | 'execute',
) => Promise<{ rows: unknown[] }>

/**
 * Provides Drizzle over the application's {@link Database}: its queries belong to the transaction of the request, and are its tenant's, as all others. For
 * transactions use `Database.transaction`: Drizzle's own knows only one connection. Needs the package `drizzle-orm`.
 *
 * @param token What asks for it.
 * @param config Drizzle's own: `schema`, `casing`, `logger`.
 * @throws ConfigError at the start of the application, when the package is not installed.
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

/** Drizzle reads times itself, and rows by the place of their columns where it knows them. */
function runOn(database: Database): RunQuery {
  return (text, values, method) =>
    database.query({
      text,
      values,
      texts: 'times',
      ...(method === 'all' ? { rowMode: 'array' as const } : {}),
    })
}
