import { fileURLToPath } from 'node:url'
import type { AppOptions, Plugin } from 'blazon'
import { postgres } from 'blazon/postgres'
import { redisCache, redisLimits } from 'blazon/redis'
import { demoData } from './demo-data.js'

/** The environment variables that specify the stores. */
export interface Places {
  /** A PostgreSQL server, which several processes may share. */
  readonly DATABASE_URL?: string | undefined
  /** Without a server: the folder of an embedded PostgreSQL, or `memory`. Default: `.data`, beside this file. */
  readonly DATABASE_FOLDER?: string | undefined
  /** A Redis server for cached values and counters, which several processes may share. Default: this process. */
  readonly REDIS_URL?: string | undefined
}

/** The database. Its migrations run when the application starts. */
export function database({ DATABASE_URL, DATABASE_FOLDER }: Places): Plugin {
  const place = DATABASE_URL
    ? { url: DATABASE_URL }
    : { embedded: DATABASE_FOLDER || beside('.data') }
  return postgres({ ...place, migrations: beside('migrations') })
}

/** Adds the stores and the demo data to the options of the application. */
export function withStores(
  options: AppOptions & { readonly rateLimit: object },
  places: Places,
): AppOptions {
  const plugins = [...(options.plugins ?? []), database(places), demoData]
  if (!places.REDIS_URL) return { ...options, plugins }
  const redis = { url: places.REDIS_URL, prefix: 'orders:' }
  return {
    ...options,
    plugins,
    cache: { store: redisCache(redis) },
    rateLimit: { ...options.rateLimit, store: redisLimits(redis) },
  }
}

function beside(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
