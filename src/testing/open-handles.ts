import { createHook } from 'node:async_hooks'
import { operations } from './test-context.js'

/** A handle of Node's. `_destroyed` is what tells a timer that was cleared: `hasRef` stays what it was. */
interface Handle {
  hasRef(): boolean
  readonly _destroyed?: boolean
}

/** Something that the start of an application has opened. */
interface Opened {
  readonly type: string
  readonly resource: WeakRef<Handle>
  /** Holds the stack; written out only when somebody wants to read it. */
  readonly trace: Error
}

/**
 * Timers, servers, sockets and watchers that the start of an application opens. Only the start is watched: Node
 * tells of every promise, too, which would make each request slower.
 */
export class OpenHandles {
  readonly #opened: Opened[] = []

  /** Runs a start, and notes what it opens. */
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

  /** What is still open and keeps the process alive: its kind, and where it was opened. */
  list(): string[] {
    return this.#opened
      .filter(({ resource }) => isOpen(resource.deref()))
      .map(({ type, trace }) => `${type}, opened\n${placeOf(trace)}`)
  }

  /** @param hook The first function on the stack that is not of whoever opens the resource. */
  #note(type: string, resource: object, hook: (...args: never[]) => void): void {
    // Whatever can keep a process alive can be asked whether it does.
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
