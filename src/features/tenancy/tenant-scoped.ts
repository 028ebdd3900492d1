import type { Clock as ClockPort } from '../../contracts/clock.js'
import type { FactoryProvider, Token } from '../../contracts/provider.js'
import type { Duration } from '../../contracts/units.js'
import { Clock } from '../../di/clock.js'
import { toSeconds } from '../../http/units.js'
import { actingTenant } from './tenant-context.js'
import { TenantInstances } from './tenant-instances.js'

const MAX = 100
const IDLE = '10m'

/** Options of `tenantScoped`. */
export interface TenantScopedOptions<T> {
  /** Tokens whose values the factory receives after the tenant's id. Default: none. */
  readonly inject?: readonly Token[]
  /** Most tenants that have one at a time; whose was not used for longest goes first. Default 100. */
  readonly max?: number
  /** How long one is kept that nobody uses. Default `'10m'`. */
  readonly idle?: Duration
  /** Lets go of one. Awaited when the application closes. It may still be in use by a request that has got it just before. */
  readonly dispose?: (instance: T, tenantId: string) => unknown
}

/**
 * A provider of something that each tenant has its own of: a pool, a client, a memory. What is injected is a stand-in, which asks
 * for the tenant each time that something of it is called, read or written; so a class that lives as long as the application
 * holds nothing of any tenant. Made when a tenant first needs it, and bounded.
 *
 * @param token Under which it is injected.
 * @param factory Makes one, at once; runs in the tenant's scope. The result is an object.
 * @throws TypeError for options that mean nothing. Using the stand-in where there is no tenant throws HttpError 400
 * `TENANT_REQUIRED`, and where it is not authorised yet, 500 `TENANT_UNAUTHORIZED`.
 * @example
 * const Pool = new InjectionToken<pg.Pool>('Pool')
 * tenantScoped(Pool, (id) => new pg.Pool({ database: `tenant_${id}` }), { dispose: (pool) => pool.end() })
 */
export function tenantScoped<T extends object>(
  token: Token<T>,
  // biome-ignore lint/suspicious/noExplicitAny: the values of `inject`
  factory: (tenantId: string, ...dependencies: any[]) => T,
  options: TenantScopedOptions<T> = {},
): FactoryProvider<T> {
  const { max = MAX, idle = IDLE, inject = [], dispose } = options
  const seconds = toSeconds(idle)
  if (!Number.isInteger(max) || max < 1) {
    throw new TypeError(`tenantScoped(): max is ${max}. Give a whole number above 0.`)
  }
  if (!seconds) {
    throw new TypeError(`tenantScoped(): idle is ${idle}. Give seconds above 0, or '10m'.`)
  }
  return {
    token,
    inject: [Clock, ...inject],
    useFactory: (clock: ClockPort, ...dependencies: unknown[]) => {
      const make = (id: string) => factory(id, ...dependencies)
      return standInFor(
        new TenantInstances<T>({ make, dispose, max, idleMs: seconds * 1000, clock }),
      )
    },
  }
}

/** What the container asks everything that it makes, in nobody's name. */
const OF_CONTAINER: ReadonlySet<PropertyKey> = new Set(['then', 'onInit', 'onReady'])

/** Passes everything on to the instance of the tenant of now. */
function standInFor<T extends object>(instances: TenantInstances<T>): T {
  return new Proxy({} as T, {
    get(_, key) {
      if (key === 'onClose') return () => instances.close()
      if (OF_CONTAINER.has(key) || isInspection(key)) return undefined
      const value: unknown = Reflect.get(instances.get(), key)
      if (typeof value !== 'function' || key === 'constructor') return value
      // Asks again when it is called: a method that was taken in one scope may be called in another.
      return (...args: unknown[]) => {
        const instance = instances.get()
        return (Reflect.get(instance, key) as typeof value).apply(instance, args)
      }
    },
    set: (_, key, value) => Reflect.set(instances.get(), key, value),
    has: (_, key) => Reflect.has(instances.get(), key),
    getPrototypeOf: (target) =>
      Reflect.getPrototypeOf(actingTenant() === undefined ? target : instances.get()),
  })
}

/** Whoever prints or compares things, asks for symbols, and must not fail where there is no tenant. */
function isInspection(key: PropertyKey): boolean {
  return typeof key === 'symbol' && actingTenant() === undefined
}
