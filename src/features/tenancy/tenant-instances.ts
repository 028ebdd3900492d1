import { AsyncResource } from 'node:async_hooks'
import type { Timer } from '../../contracts/clock.js'
import type { Clock } from '../../di/clock.js'
import { requireTenantId, runWithTenant } from './tenant-context.js'

/** How instances are created and disposed of, and when. */
export interface InstancesConfig<T> {
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

/** The instances of all tenants, least recently used first. */
export class TenantInstances<T extends object> {
  readonly #config: InstancesConfig<T>
  readonly #kept = new Map<string, TenantInstance<T>>()
  /** A timer that is started in a request must not retain the async context of that request. */
  readonly #scope = new AsyncResource('BlazonTenantScoped')
  #timer: Timer | undefined

  constructor(config: InstancesConfig<T>) {
    this.#config = config
  }

  /** Returns the instance of the current tenant; creates it if there is none. */
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
    // A call that outlives the application may need another instance, and that one a timer.
    this.#timer = undefined
    const all = [...this.#kept]
    this.#kept.clear()
    const ends = await Promise.allSettled(
      all.map(async ([id, { instance }]) => await this.#dispose(id, instance)),
    )
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
   * Removes the least recently used instance. No caller waits for its disposal, so a failure becomes a process
   * warning.
   */
  #dropOldest(): void {
    const [oldest] = this.#kept
    if (oldest === undefined) return
    const [id, { instance }] = oldest
    this.#kept.delete(id)
    Promise.resolve(this.#dispose(id, instance)).catch((error) => {
      // `emitWarning` throws for values that are neither errors nor text, and nothing would catch that.
      process.emitWarning(error instanceof Error ? error : String(error))
    })
  }

  async #dispose(id: string, instance: T): Promise<void> {
    const { dispose } = this.#config
    if (dispose !== undefined) await runWithTenant(id, () => dispose(instance, id))
  }
}
