import { types } from 'node:util'
import type { Clock } from '../contracts/clock.js'
import type { Lifecycle } from '../contracts/provider.js'
import { settlesWithin } from './closing.js'

/**
 * Lists the objects that can have hooks, in the order in which they are initialized: the stores of features, the
 * instances in order of construction, the guards of the application, the plugins. Objects that are not created yet are
 * missing.
 */
export type ListMembers = () => Iterable<unknown>

/** The time limit for each `onClose`. */
export interface CloseLimit {
  readonly clock: Clock
  readonly ms: number
}

/** The error of a start or of a request after `close` has been called. */
export function closedError(): Error {
  return new Error('The application is closed.')
}

/** Runs the lifecycle hooks of an application. */
export class LifecycleHooks {
  readonly #list: ListMembers
  readonly #begun: Set<Partial<Lifecycle>> = new Set()

  readonly #limit: CloseLimit
  readonly #leaveErrors: unknown[] = []

  constructor(list: ListMembers, limit: CloseLimit) {
    this.#list = list
    this.#limit = limit
  }

  /**
   * Calls `onInit` of all members sequentially.
   *
   * @param goOn Called before each member. Throws to end the boot.
   */
  async init(goOn: () => void): Promise<void> {
    for (const member of this.#members()) {
      goOn()
      this.#begun.add(member)
      await member.onInit?.()
    }
  }

  /** Calls `onReady` of all members, as {@link init} calls `onInit`. */
  async ready(goOn: () => void): Promise<void> {
    for (const member of this.#members()) {
      goOn()
      await member.onReady?.()
    }
  }

  /** Calls `onClosing` of all members concurrently. {@link close} throws their errors. */
  async leave(graceMs: number): Promise<void> {
    const limit = { ...this.#limit, ms: graceMs + this.#limit.ms }
    const left = this.#members().map(async (member) => {
      if (await settlesWithin(limit, member.onClosing?.(graceMs))) return
      throw new Error(`onClosing of ${nameOf(member)} did not end within ${limit.ms} ms`)
    })
    for (const each of await Promise.allSettled(left)) {
      if (each.status === 'rejected') this.#leaveErrors.push(each.reason)
    }
  }

  /**
   * Calls `onClose` in reverse order, for every member whose `onInit` has begun or that has no `onInit`. If one member
   * fails or takes too long, the others are still closed. At the end, throws an `AggregateError` with all failures.
   */
  async close(signal?: string): Promise<void> {
    const errors: unknown[] = this.#leaveErrors.splice(0)
    const begun = this.#members().filter(
      (member) => member.onInit === undefined || this.#begun.has(member),
    )
    for (const member of begun.reverse()) {
      try {
        await this.#closeMember(member, signal)
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Closing the application failed')
  }

  /** The longest time that {@link leave} and {@link close} can take together, in milliseconds. */
  longestClose(graceMs: number): number {
    const closing = this.#members().filter(({ onClose }) => onClose !== undefined)
    return graceMs + this.#limit.ms * (1 + closing.length)
  }

  async #closeMember(member: Partial<Lifecycle>, signal: string | undefined): Promise<void> {
    if (member.onClose === undefined) return
    if (await settlesWithin(this.#limit, member.onClose(signal))) return
    const name = nameOf(member)
    throw new Error(`onClose of ${name} did not end within ${this.#limit.ms} ms (timeouts.onClose)`)
  }

  /** The members that are objects. Other values cannot have hooks. */
  #members(): Partial<Lifecycle>[] {
    return [...this.#list()].filter(
      (member) => typeof member === 'object' && member !== null,
    ) as object[]
  }
}

/**
 * The name of a plugin, or of the class of a provider. Reading a property can throw if the member is a proxy or has a
 * getter.
 */
function nameOf(member: object): string {
  if (types.isProxy(member)) return 'a provider'
  try {
    const { name } = member as { readonly name?: unknown }
    return typeof name === 'string' ? `plugin '${name}'` : member.constructor?.name || 'a provider'
  } catch {
    return 'a provider'
  }
}
