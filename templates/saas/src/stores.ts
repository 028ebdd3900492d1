import { fileURLToPath } from 'node:url'
import type { AppOptions, Plugin } from 'blazon'
import { postgres } from 'blazon/postgres'
import { redisLimits } from 'blazon/redis'

/** The environment variables that specify the stores of the application. */
export interface Places {
  readonly DATABASE_URL?: string | undefined
  readonly DATABASE_FOLDER: string
  readonly REDIS_URL?: string | undefined
}

/** The same folder for `src/` and `dist/`. */
const migrations = fileURLToPath(new URL('../migrations', import.meta.url))

/**
 * The database. The migrations of an embedded database run when the application starts. On a server,
 * `blazon db migrate` runs them, because the login of the application must not own tables.
 */
export function database({ DATABASE_URL, DATABASE_FOLDER }: Omit<Places, 'REDIS_URL'>): Plugin {
  return DATABASE_URL
    ? postgres({ url: DATABASE_URL })
    : postgres({ embedded: DATABASE_FOLDER, migrations })
}

/** Adds the stores to the options of the application. */
export function withStores(
  options: AppOptions & { readonly rateLimit: object },
  places: Places,
): AppOptions {
  const plugins = [database(places)]
  if (!places.REDIS_URL) return { ...options, plugins }
  const store = redisLimits({ url: places.REDIS_URL, prefix: 'project-name:' })
  return { ...options, plugins, rateLimit: { ...options.rateLimit, store } }
}
