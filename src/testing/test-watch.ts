import { createHook } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import type { Request } from '../contracts/handler.js'
import { watchDirectCalls } from '../features/outgoing/direct-calls.js'
import type { FinishedRequest } from './finish-test.js'
import { settle } from './settle.js'
import { operations } from './test-context.js'
import type { TestLog } from './test-log.js'
import { userPlaceIn } from './user-place.js'

/**
 * Finds rejected promises and open handles that an application in a test has left behind, and handlers that call
 * `fetch`.
 */
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
    // The application turns the message into an instance of its own request class, now or later.
    const request = req as Request
    operations.run({ owner: this, name: nameOf(req), connection: req.socket, request }, run)
  }

  /** Returns the application's request for which the current code runs. */
  readonly currentRequest = (): Request | undefined => {
    const operation = operations.getStore()
    return operation?.owner === this ? operation.request : undefined
  }

  /** Removes and returns the error of the first rejected promise that a request has left without a handler. */
  takeRejection(request: FinishedRequest): Error | undefined {
    return this.#rejections.take(nameOf(request))
  }

  /**
   * Closes the application, and reports the rejected promises and open handles that remain.
   *
   * @throws The error of `close`, or an error for a rejected promise without a handler; an `AggregateError` if there
   * are several.
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
      const message = `After close(), a resource is still open and keeps the process alive: ${handle}`
      try {
        log.alert(message)
      } catch (error) {
        // The logger of the test can throw, but its error must not hide the other failures.
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

/** The instances that collect rejections. They share one process listener. */
const listening = new Map<object, Rejections>()

/**
 * Collects the unhandled rejections of one application. The listener prevents Node from ending the process, so it is
 * removed when the application closes.
 */
class Rejections {
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

  /** Stops collecting, and returns an error for each rejection that has not been taken. */
  stop(): readonly Error[] {
    listening.delete(this.#owner)
    if (listening.size === 0) process.off('unhandledRejection', onUnhandledRejection)
    return this.#failures.map(({ failure }) => failure)
  }

  /**
   * Removes and returns the error of the first rejection that this operation has left. Rejections of other operations
   * are kept, because requests run concurrently.
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
  // The rejection belongs to no application under test. Without our listener, Node would have thrown it; test runners
  // have their own listener.
  else if (process.listenerCount('unhandledRejection') === 1) throw reason
}

/** A handle of Node. `_destroyed` shows that a timer was cleared; its `hasRef()` does not change in this case. */
interface Handle {
  hasRef(): boolean
  readonly _destroyed?: boolean
}

/** A resource that the application opened while it was starting. */
interface Opened {
  readonly type: string
  readonly resource: WeakRef<Handle>
  /** An error with the stack trace of the creation. The text is built when it is first read. */
  readonly trace: Error
}

/**
 * Timers, servers, sockets and watchers that the application opens while it is starting. Only the start is watched: an
 * async hook also runs for every promise, which would make each request slower.
 */
class OpenHandles {
  readonly #opened: Opened[] = []

  /** Runs the start of an application and records the resources that it opens. */
  async watch<T>(owner: object, start: () => Promise<T>): Promise<T> {
    const init = (_id: number, type: string, _trigger: number, resource: object) => {
      if (operations.getStore()?.owner === owner) this.#note(type, resource, init)
    }
    const hook = createHook({ init })
    hook.enable()
    try {
      return await start()
    } finally {
      hook.disable()
    }
  }

  /**
   * Lists the resources that are still open and keep the process alive, with their types and where they were opened.
   */
  list(): string[] {
    return this.#opened
      .filter(({ resource }) => isOpen(resource.deref()))
      .map(({ type, trace }) => `${type}, opened\n${placeOf(trace)}`)
  }

  /** @param hook The stack trace begins after this function, at the code that opened the resource. */
  #note(type: string, resource: object, hook: (...args: never[]) => void): void {
    // Every resource that can keep a process alive has `hasRef`.
    if (!('hasRef' in resource) || typeof resource.hasRef !== 'function') return
    const trace = new Error('opened')
    Error.captureStackTrace(trace, hook)
    this.#opened.push({ type, resource: new WeakRef(resource as Handle), trace })
  }
}

function isOpen(handle: Handle | undefined): boolean {
  return handle !== undefined && handle._destroyed !== true && handle.hasRef()
}

function placeOf({ stack = '' }: Error): string {
  const lines = stack.split('\n').slice(1)
  return lines.filter((line) => !line.includes('node:')).join('\n')
}
