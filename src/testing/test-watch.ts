import type { IncomingMessage } from 'node:http'
import type { FinishedRequest } from './finish-test.js'
import { OpenHandles } from './open-handles.js'
import { Rejections } from './rejections.js'
import { settle } from './settle.js'
import { operations } from './test-context.js'
import type { TestLog } from './test-log.js'

/** Watches what an application under test leaves behind: rejected promises, and what it does not close. */
export class TestWatch {
  readonly #rejections = new Rejections(this)
  readonly #handles = new OpenHandles()

  /** Runs the start of the application. */
  readonly boot = async <T>(run: () => Promise<T>): Promise<T> => {
    this.#rejections.start()
    try {
      const operation = { owner: this, name: 'The start' }
      return await operations.run(operation, () => this.#handles.watch(this, run))
    } catch (error) {
      this.#rejections.stop()
      throw error
    }
  }

  /** Runs a request. */
  readonly enter = (req: IncomingMessage, run: () => void): void => {
    operations.run({ owner: this, name: nameOf(req), connection: req.socket }, run)
  }

  /** The first rejected promise that a request has left, that nobody handles and that nobody was told of. */
  takeRejection(request: FinishedRequest): Error | undefined {
    return this.#rejections.take(nameOf(request))
  }

  /**
   * Runs the end of the application, and then says what it has left behind.
   *
   * @throws what `close` throws, or an error for a promise that nobody handles; an `AggregateError` of several.
   */
  async end(close: () => Promise<void>, log: TestLog): Promise<void> {
    const failures: unknown[] = []
    await close().catch((error: unknown) => failures.push(error))
    // A rejection is called unhandled when all else has run, and sockets close a turn after they are told to.
    await settle()
    failures.push(...this.#rejections.stop())
    for (const handle of this.#handles.list()) {
      const message = `After close(), something is still open and keeps the process alive: ${handle}`
      try {
        log.alert(message)
      } catch (error) {
        // A logger that fails tests; it must not hide what else there is.
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
