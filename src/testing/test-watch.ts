import type { IncomingMessage } from 'node:http'
import type { Request } from '../contracts/handler.js'
import { watchDirectCalls } from '../features/outgoing/direct-calls.js'
import type { FinishedRequest } from './finish-test.js'
import { OpenHandles } from './open-handles.js'
import { Rejections } from './rejections.js'
import { settle } from './settle.js'
import { operations } from './test-context.js'
import type { TestLog } from './test-log.js'
import { userPlaceIn } from './user-place.js'

/** Finds rejected promises and open handles of an application under test that are left after its end, and handlers that call `fetch`. */
export class TestWatch {
  readonly #rejections = new Rejections(this)
  readonly #handles = new OpenHandles()
  #ignoreFetch = () => {}

  /** Runs the start of the application. */
  readonly boot = async <T>(run: () => Promise<T>, log: TestLog): Promise<T> => {
    this.#rejections.start()
    this.#ignoreFetch = watchDirectCalls({
      isInRequest: () => this.currentRequest() !== undefined,
      placeIn: userPlaceIn,
      warn: (message) => log.alert(message),
    })
    try {
      const operation = { owner: this, name: 'The start' }
      return await operations.run(operation, () => this.#handles.watch(this, run))
    } catch (error) {
      this.#rejections.stop()
      this.#ignoreFetch()
      throw error
    }
  }

  /** Runs a request. */
  readonly enter = (req: IncomingMessage, run: () => void): void => {
    // The application turns it into an instance of its own class, or has done so.
    const request = req as Request
    operations.run({ owner: this, name: nameOf(req), connection: req.socket, request }, run)
  }

  /** Returns the request of the application that the current code runs for. */
  readonly currentRequest = (): Request | undefined => {
    const operation = operations.getStore()
    return operation?.owner === this ? operation.request : undefined
  }

  /** Removes and returns the error of the first rejected promise that a request has left without a handler. */
  takeRejection(request: FinishedRequest): Error | undefined {
    return this.#rejections.take(nameOf(request))
  }

  /**
   * Closes the application, and reports rejected promises and open handles that are left.
   *
   * @throws The error of `close`, or an error for a rejected promise without a handler; an `AggregateError`
   * when there are several.
   */
  async end(close: () => Promise<void>, log: TestLog): Promise<void> {
    const failures: unknown[] = []
    await close().catch((error: unknown) => failures.push(error))
    // Node reports an unhandled rejection after all other work of the turn, and sockets close one turn after
    // `destroy`.
    await settle()
    this.#ignoreFetch()
    failures.push(...this.#rejections.stop())
    for (const handle of this.#handles.list()) {
      const message = `After close(), something is still open and keeps the process alive: ${handle}`
      try {
        log.alert(message)
      } catch (error) {
        // The logger of the test may throw. Its error must not hide the other failures.
        failures.push(error)
      }
    }
    if (failures.length > 1) throw new AggregateError(failures, failures.map(messageOf).join('\n'))
    if (failures.length === 1) throw failures[0]
  }
}

function nameOf({ method, url }: Pick<IncomingMessage, 'method' | 'url'>): string {
  return `${method} ${url}`
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure)
}
