import { Server } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type AppDescription, setDescriber } from '../../app/announce.js'
import {
  type Evidence,
  exportsOf,
  findFactory,
  findOptions,
  isOptions,
  SelectionError,
  selectApp,
} from './select-app.js'

/** Turns of the event loop that a module gets to finish once one of its applications wants to start. */
const TURNS = 3

/**
 * Imports a module and finds its application, which starts nothing meanwhile. For a process that does nothing else:
 * it never serves again.
 */
export async function readApp(module: string): Promise<AppDescription> {
  const watch = new DeclarationWatch()
  const namespace = await watch.until(import(pathToFileURL(module).href))
  const exports = exportsOf(namespace ?? {})
  const app = selectApp({ exports, declared: watch.declared })
  return app ?? (await makeApp(exports, watch))
}

/** Makes the application out of what a module exports instead of one. */
async function makeApp(
  exports: Evidence['exports'],
  watch: DeclarationWatch,
): Promise<AppDescription> {
  const factory = findFactory(exports)
  const made = factory === undefined ? undefined : await watch.until(factory())
  const options = isOptions(made) ? (made as object) : findOptions(exports)
  if (watch.declared.size === 0 && options !== undefined) watch.make(options)
  const app = selectApp({ exports: { default: made }, declared: watch.declared })
  if (app !== undefined) return app
  throw new SelectionError('no-app', describeExports(exports))
}

function describeExports(exports: Evidence['exports']): string {
  const names = Object.keys(exports).filter((name) => name !== 'module.exports')
  return names.length === 0
    ? 'It creates no application and exports nothing.'
    : `It creates no application; it exports ${names.join(', ')}.`
}

/** Notes which applications are constructed, and when one of them, or a server, wants to start. */
class DeclarationWatch {
  readonly declared = new Map<object, AppDescription>()
  readonly #starting: Promise<void>
  #make: ((options: object) => object) | undefined

  constructor() {
    let start = () => {}
    this.#starting = new Promise((resolve) => {
      start = resolve
    })
    setDescriber({
      declared: (app, description) => this.declared.set(app, description),
      starting: start,
      loaded: (make) => {
        this.#make ??= make
      },
    })
    keepPortsClosed(start)
  }

  /** Waits for work to end, or for an application to be ready to start; then its work may never end. */
  async until<T>(work: T | Promise<T>): Promise<T | undefined> {
    const end = Promise.resolve(work)
    const first = await Promise.race([end.then(() => true), this.#starting])
    if (first === true) return await end
    return await Promise.race([end, this.#fewTurns()])
  }

  async #fewTurns(): Promise<undefined> {
    for (let turn = 0; turn < TURNS; turn++) await setImmediate()
    return undefined
  }

  /** Makes an application of the copy of this package that the module uses. */
  make(options: object): void {
    this.#make?.(options)
  }
}

/** An application may be handed to a server of the author's own, which is not to listen either. */
function keepPortsClosed(start: () => void): void {
  Server.prototype.listen = function listen() {
    start()
    return this
  }
}
