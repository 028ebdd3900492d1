import { operations } from './test-context.js'

/** The instances that collect rejections. They share one process listener. */
const listening = new Map<object, Rejections>()

/**
 * Collects the unhandled rejections of one application. The listener keeps Node from ending the process, so
 * it is removed when the application closes.
 */
export class Rejections {
  readonly #owner: object
  readonly #failures: { readonly operation: string; readonly failure: Error }[] = []

  /** @param owner The owner in `Operation`: only rejections of its operations are collected. */
  constructor(owner: object) {
    this.#owner = owner
  }

  start(): void {
    if (listening.size === 0) process.on('unhandledRejection', onUnhandledRejection)
    listening.set(this.#owner, this)
  }

  /** Stops collecting and returns an error for each rejection not yet taken. */
  stop(): readonly Error[] {
    listening.delete(this.#owner)
    if (listening.size === 0) process.off('unhandledRejection', onUnhandledRejection)
    return this.#failures.map(({ failure }) => failure)
  }

  /**
   * Removes and returns the error of the first rejection that this operation has left. Rejections of other
   * operations stay: requests run concurrently.
   */
  take(operation: string): Error | undefined {
    const index = this.#failures.findIndex((each) => each.operation === operation)
    return index < 0 ? undefined : this.#failures.splice(index, 1)[0]?.failure
  }

  add(operation: string, cause: unknown): void {
    const text = cause instanceof Error ? cause.message : String(cause)
    const message = `${operation} left a rejected promise without a handler: ${text}`
    this.#failures.push({ operation, failure: new Error(message, { cause }) })
  }
}

function onUnhandledRejection(reason: unknown): void {
  const operation = operations.getStore()
  const rejections = operation === undefined ? undefined : listening.get(operation.owner)
  if (operation !== undefined && rejections !== undefined) rejections.add(operation.name, reason)
  // The rejection belongs to no application under test. Without our listener Node would have thrown it; test
  // runners have a listener of their own.
  else if (process.listenerCount('unhandledRejection') === 1) throw reason
}
