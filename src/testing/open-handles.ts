import { createHook } from 'node:async_hooks'
import { operations } from './test-context.js'

/** A handle of Node. `_destroyed` shows that a timer was cleared; its `hasRef()` does not change then. */
interface Handle {
  hasRef(): boolean
  readonly _destroyed?: boolean
}

/** A resource that the application has opened during its start. */
interface Opened {
  readonly type: string
  readonly resource: WeakRef<Handle>
  /** Holds the stack of the place that opened it. The text is built only when it is read. */
  readonly trace: Error
}

/**
 * Timers, servers, sockets and watchers that the application opens during its start. Only the start is
 * watched: an async hook also runs for every promise, which would make each request slower.
 */
export class OpenHandles {
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
   * Lists the resources that are still open and keep the process alive: their type and where they were
   * opened.
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
