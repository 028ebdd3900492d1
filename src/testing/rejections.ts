import { operations } from './test-context.js'

/** Those that listen; Node tells all of them through one listener. */
const listening = new Map<object, Rejections>()

/**
 * Promises that were rejected, with nobody to handle them, by what ran for one application. A listener is what
 * keeps Node from ending the process, so it lives no longer than the application.
 */
export class Rejections {
  readonly #owner: object
  readonly #failures: { readonly operation: string; readonly failure: Error }[] = []

  /** @param owner Whose operations are listened to. */
  constructor(owner: object) {
    this.#owner = owner
  }

  start(): void {
    if (listening.size === 0) process.on('unhandledRejection', onUnhandledRejection)
    listening.set(this.#owner, this)
  }

  /** Stops listening; answers with an error for each that was heard of. */
  stop(): readonly Error[] {
    listening.delete(this.#owner)
    if (listening.size === 0) process.off('unhandledRejection', onUnhandledRejection)
    return this.#failures.map(({ failure }) => failure)
  }

  /**
   * An error for the first that an operation has left; it is not reported again. Those of others are theirs: requests run
   * side by side.
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
  // Not ours: without this listener Node would have thrown it, and test runners listen themselves.
  else if (process.listenerCount('unhandledRejection') === 1) throw reason
}
