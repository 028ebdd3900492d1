import { AsyncLocalStorage } from 'node:async_hooks'

/** Work outside of a request, such as a job. */
export interface Work {
  /** The id under which `Plugin.work` lists it. Default: no list has it. */
  readonly id?: string
  /** Fields of each line that the work writes with `Log`. */
  readonly facts: Readonly<Record<string, unknown>>
  /** Headers that `Outgoing` adds to calls to known hosts: the request id and the trace of the sender. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Returns the `Idempotency-Key` of the next call that may change something. Default: such calls have none, unless the
   * program gives one.
   */
  readonly idempotencyKey?: () => string
}

/**
 * The work outside of requests that code runs for. Node's async context carries it into everything that the code awaits or
 * starts. `Log` and `Outgoing` read it where there is no request.
 *
 * @example
 * WorkContext.run({ id, facts: { job: 'receipt', requestId }, headers: { 'x-request-id': requestId } }, () => work())
 */
export class WorkContext {
  static readonly #storage = new AsyncLocalStorage<Work>()

  /** Returns the current work; `undefined` outside of work. */
  static current(): Work | undefined {
    return WorkContext.#storage.getStore()
  }

  /** Runs a function as a part of work, and returns its result. */
  static run<T>(work: Work, fn: () => T): T {
    return WorkContext.#storage.run(work, fn)
  }
}
