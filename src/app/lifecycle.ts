import type { Lifecycle } from '../contracts/provider.js'

/** Lists what has hooks, in order of construction, as far as it is made. */
export type ListMembers = () => Iterable<unknown>

/** The lifecycle hooks of an application. */
export class LifecycleHooks {
  readonly #list: ListMembers
  readonly #begun: Set<Partial<Lifecycle>> = new Set()

  constructor(list: ListMembers) {
    this.#list = list
  }

  /** Calls `onInit` of each, one after the other. */
  async init(): Promise<void> {
    for (const member of this.#members()) {
      this.#begun.add(member)
      await member.onInit?.()
    }
  }

  /** Calls `onReady` of each, one after the other. */
  async ready(): Promise<void> {
    for (const member of this.#members()) await member.onReady?.()
  }

  /**
   * Calls `onClose` in reverse order, of those that have begun: being made is beginning for what has no
   * `onInit`. The failure of one keeps no other from closing. Throws an `AggregateError` of all
   * failures at the end.
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

  /** What is not an object has no hooks. */
  #members(): Partial<Lifecycle>[] {
    return [...this.#list()].filter(
      (member) => typeof member === 'object' && member !== null,
    ) as object[]
  }
}
