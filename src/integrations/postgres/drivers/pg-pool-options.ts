import type { PostgresOptions } from '../options/postgres-options.js'
import type { PgPackage } from './pg-package.js'

type Bag = Readonly<Record<string, unknown>>

/** What a user's own options may say otherwise. */
const DEFAULTS = {
  // An `application_name` of the URL, of the environment or of the user's own goes before it.
  fallback_application_name: 'blazon',
  keepAlive: true,
  idleTimeoutMillis: 30_000,
}

/** What the pool of `pg` is made with. */
export function poolOptions(
  options: PostgresOptions,
  limits: { readonly max: number; readonly connectionTimeoutMillis: number },
): Bag {
  const { url: connectionString, poolOptions: own = {} } = options
  const fixed = { connectionString, ...limits, pipeline: true, binary: false }
  return { ...DEFAULTS, ...own, ...copySsl(own), ...fixed }
}

// pg hides the key in it from whoever prints it, which a frozen object does not let it do.
function copySsl({ ssl }: Bag): object {
  return typeof ssl === 'object' && ssl !== null ? { ssl: { ...ssl } } : {}
}

/** Clients that ask for their password each time, where it is a function: pg would prefer that of the URL, even when it has none. */
export function clientOf({ Client }: PgPackage, { password }: Bag): PgPackage['Client'] {
  if (typeof password !== 'function') return Client
  return class extends Client {
    constructor(options: object) {
      super(options)
      this.password = password
    }
  }
}
