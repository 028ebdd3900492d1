import type { Lifecycle } from '../contracts/provider.js'

/** The lifecycle hooks of an application, in order of construction. */
export class LifecycleHooks {
  readonly #members: readonly Partial<Lifecycle>[]
  readonly #started: Partial<Lifecycle>[] = []

  /** @param members Providers and plugins; what is not an object has no hooks. */
  constructor(members: readonly unknown[]) {
    this.#members = members.filter((member) => typeof member === 'object' && member !== null)
  }

  /** Calls `onInit` of each, one after the other. */
  async init(): Promise<void> {
    for (const member of this.#members) {
      this.#started.push(member)
      await member.onInit?.()
    }
  }

  /** Calls `onReady` of each, one after the other. */
  async ready(): Promise<void> {
    for (const member of this.#started) await member.onReady?.()
  }

  /**
   * Calls `onClose` in reverse order, of those that were started: the failure of one keeps no other
   * from closing. Throws an `AggregateError` of all failures at the end.
   */
  async close(signal?: string): Promise<void> {
    const errors: unknown[] = []
    for (const member of this.#started.splice(0).reverse()) {
      try {
        await member.onClose?.(signal)
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Closing the application failed')
  }
}
