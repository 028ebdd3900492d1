import { AsyncResource } from 'node:async_hooks'
import type { Timer } from '../../contracts/clock.js'
import type { Duration } from '../../contracts/limits.js'
import type { FactoryProvider, Token } from '../../contracts/provider.js'
import { Clock } from '../../di/token.js'
import { type OptionNames, refuseUnknown } from '../../errors/option-group.js'
import { toSeconds } from '../../http/units.js'
import { isThenable } from '../../step/step.js'
import { actingTenant, requireTenantId, runWithTenant } from './tenant-context.js'

const NAMES: OptionNames<TenantScopedOptions<object> & { factory: () => object }> = {
  factory: 'sync',
  inject: true,
  max: true,
  idle: true,
  dispose: true,
}
const NOT_AT_ONCE =
  'tenantScoped(): its factory is asynchronous, but the instance is used synchronously. Return the instance itself instead of a promise, and make its methods asynchronous.'
const MAX = 100
const IDLE = '10m'

/** Options of `tenantScoped`. */
export interface TenantScopedOptions<T> {
  /** Tokens whose values the factory receives after the tenant ID. Default: none. */
  readonly inject?: readonly Token[]
  /**
   * The maximum number of instances at the same time. If there are more, the least recently used instance is disposed
   * of. Default: 100.
   */
  readonly max?: number
  /** How long an unused instance is kept: seconds, or a string with a unit. Default: `'10m'`. */
  readonly idle?: Duration
  /**
   * Disposes of an instance. When the application closes, it waits for the result. If an instance is disposed of
   * earlier, a request that has just obtained the instance may still be using it.
   */
  readonly dispose?: (instance: T, tenantId: string) => unknown
}

/**
 * Creates a provider whose value differs for each tenant, such as a pool, a client or an in-memory cache. The injected
 * object is a proxy that selects the current tenant's instance at each access. A class can therefore store the proxy as
 * long as the application runs. An instance is created when its tenant first needs it. `max` and `idle` limit the
 * number of instances.
 *
 * @param token The token under which the proxy is injected.
 * @param factory Creates an instance synchronously, in the scope of the tenant. The result must be an object.
 * @param options See `TenantScopedOptions`.
 * @throws TypeError for an invalid `max` or `idle`; ConfigError for an unknown option. Using the proxy throws HttpError
 * 400 `TENANT_REQUIRED` if there is no tenant, and 500 `TENANT_UNAUTHORIZED` if `tenant.authorize` has not allowed the
 * tenant yet.
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
  refuseUnknown('tenantScoped()', { ...options, factory }, NAMES)
  const { max = MAX, idle = IDLE, inject = [], dispose } = options
  const seconds = toSeconds(idle)
  if (!Number.isInteger(max) || max < 1) {
    throw new TypeError(`tenantScoped(): max is ${max}. Pass a whole number above 0.`)
  }
  if (!seconds) {
    throw new TypeError(
      `tenantScoped(): idle is ${idle}. Pass a number of seconds greater than 0, or a string such as '10m'.`,
    )
  }
  return {
    token,
    inject: [Clock, ...inject],
    useFactory: (clock: Clock, ...dependencies: unknown[]) => {
      const make = (id: string) => {
        const made = factory(id, ...dependencies)
        if (!isThenable(made)) return made
        Promise.resolve(made).catch(() => {})
        throw new TypeError(NOT_AT_ONCE)
      }
      return standInFor(
        new TenantInstances<T>({ make, dispose, max, idleMs: seconds * 1000, clock }),
      )
    },
  }
}

/** Properties that the container reads from every object that it creates, outside any tenant. */
const OF_CONTAINER: ReadonlySet<PropertyKey> = new Set(['then', 'onInit', 'onReady', 'onClosing'])

/** Creates the proxy, which forwards each access to the instance of the current tenant. */
function standInFor<T extends object>(instances: TenantInstances<T>): T {
  return new Proxy({} as T, {
    get(_, key) {
      if (key === 'onClose') return () => instances.close()
      if (OF_CONTAINER.has(key) || isInspection(key)) return undefined
      const value: unknown = Reflect.get(instances.get(), key)
      if (typeof value !== 'function' || key === 'constructor') return value
      // The instance is selected again when the method is called, because a method may be read in one scope and called
      // in another.
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

/**
 * Whether an access only inspects the object while there is no tenant. Printing or comparing objects reads symbols, and
 * searching for decorators reads the class. Such accesses must not fail.
 */
function isInspection(key: PropertyKey): boolean {
  return (typeof key === 'symbol' || key === 'constructor') && actingTenant() === undefined
}

interface InstancesConfig<T> {
  readonly make: (tenantId: string) => T
  readonly dispose: ((instance: T, tenantId: string) => unknown) | undefined
  readonly max: number
  readonly idleMs: number
  readonly clock: Clock
}

interface TenantInstance<T> {
  readonly instance: T
  usedAt: number
}

/** The instances of all tenants, the least recently used first. */
export class TenantInstances<T extends object> {
  readonly #config: InstancesConfig<T>
  readonly #kept = new Map<string, TenantInstance<T>>()
  /** The running disposals of instances that were removed before the application closes. */
  readonly #disposing = new Set<Promise<void>>()
  /** A timer that is started during a request must not retain the request's async context. */
  readonly #scope = new AsyncResource('BlazonTenantScoped')
  #timer: Timer | undefined

  constructor(config: InstancesConfig<T>) {
    this.#config = config
  }

  /** Returns the instance of the current tenant. Creates it if necessary. */
  get(): T {
    const id = requireTenantId()
    const usedAt = this.#config.clock.monotonic()
    const kept = this.#kept.get(id) ?? { instance: this.#config.make(id), usedAt }
    kept.usedAt = usedAt
    this.#kept.delete(id)
    this.#kept.set(id, kept)
    if (this.#kept.size > this.#config.max) this.#dropOldest()
    this.#timer ??= this.#wait(this.#config.idleMs)
    return kept.instance
  }

  async close(): Promise<void> {
    this.#timer?.cancel()
    // A call that is still running after the application has closed may create an instance, which needs a new timer.
    this.#timer = undefined
    const all = [...this.#kept]
    this.#kept.clear()
    const ends = await Promise.allSettled([
      ...all.map(async ([id, { instance }]) => await this.#dispose(id, instance)),
      ...this.#disposing,
    ])
    const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    if (errors.length > 0)
      throw new AggregateError(errors, 'The instances of some tenants could not be disposed of')
  }

  #wait(ms: number): Timer {
    const { clock } = this.#config
    return this.#scope.runInAsyncScope(() => clock.setTimeout(() => this.#dropIdle(), ms))
  }

  #dropIdle(): void {
    const { clock, idleMs } = this.#config
    const now = clock.monotonic()
    this.#timer = undefined
    for (const { usedAt } of this.#kept.values()) {
      if (usedAt + idleMs > now) {
        this.#timer = this.#wait(usedAt + idleMs - now)
        return
      }
      this.#dropOldest()
    }
  }

  /**
   * Removes the least recently used instance. No caller waits until the instance is disposed of, so a failure is
   * reported as a process warning.
   */
  #dropOldest(): void {
    const [oldest] = this.#kept
    if (oldest === undefined) return
    const [id, { instance }] = oldest
    this.#kept.delete(id)
    const disposing = this.#dispose(id, instance)
      .catch((error) => {
        // `emitWarning` throws for values that are neither errors nor strings, and this error would not be caught.
        process.emitWarning(error instanceof Error ? error : String(error))
      })
      .finally(() => this.#disposing.delete(disposing))
    this.#disposing.add(disposing)
  }

  async #dispose(id: string, instance: T): Promise<void> {
    const { dispose } = this.#config
    if (dispose !== undefined) await runWithTenant(id, () => dispose(instance, id))
  }
}
