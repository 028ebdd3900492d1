import type { Lifecycle } from '../contracts/provider.js'

/**
 * Lists the instances that may have hooks, in order of construction. Instances that are not created yet are
 * missing.
 */
export type ListMembers = () => Iterable<unknown>

/** Runs the lifecycle hooks of an application. */
export class LifecycleHooks {
  readonly #list: ListMembers
  readonly #begun: Set<Partial<Lifecycle>> = new Set()

  constructor(list: ListMembers) {
    this.#list = list
  }

  /** Calls `onInit` of each member, one after the other. */
  async init(): Promise<void> {
    for (const member of this.#members()) {
      this.#begun.add(member)
      await member.onInit?.()
    }
  }

  /** Calls `onReady` of each member, one after the other. */
  async ready(): Promise<void> {
    for (const member of this.#members()) await member.onReady?.()
  }

  /**
   * Calls `onClose` in reverse order, for every member whose `onInit` has begun or that has no `onInit`. If one
   * fails, the others are still closed. Throws an `AggregateError` of all failures at the end.
   */
  async close(signal?: string): Promise<void> {
    const errors: unknown[] = []
    const begun = this.#members().filter(
      (member) => member.onInit === undefined || this.#begun.has(member),
    )
    for (const member of begun.reverse()) {
      try {
        await member.onClose?.(signal)
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Closing the application failed')
  }

  /** The members that are objects. Other values have no hooks. */
  #members(): Partial<Lifecycle>[] {
    return [...this.#list()].filter(
      (member) => typeof member === 'object' && member !== null,
    ) as object[]
  }
}
