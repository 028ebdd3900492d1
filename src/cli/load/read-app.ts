import { createRequire } from 'node:module'
import { Server } from 'node:net'
import { extname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type AppDescription, setDescriber } from '../../app/describer.js'

/** The number of event loop turns for which a module can continue after one of its applications tries to start. */
const TURNS = 3

/**
 * Imports a module and returns the description of its application, without starting the application. Must run in a
 * separate process, because servers can no longer listen afterwards.
 *
 * @param onLoaded Called with a stack whenever an instance of this package is loaded. Default: none.
 */
export async function readApp(
  module: string,
  onLoaded: (stack: string) => void = () => {},
): Promise<AppDescription> {
  const watch = new DeclarationWatch(onLoaded)
  const namespace = await watch.until(importModule(module))
  const exports = exportsOf(namespace ?? {})
  const selected = selectApp({ exports, declared: watch.declared })
  const app = selected ?? (await makeApp(exports, watch))
  await app.load()
  return app
}

/** Creates the application from a factory or from options, if the module exports these instead of an application. */
async function makeApp(
  exports: ImportResult['exports'],
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

function describeExports(exports: ImportResult['exports']): string {
  const names = Object.keys(exports).filter((name) => name !== 'module.exports')
  return names.length === 0
    ? 'It creates no application and exports nothing.'
    : `It creates no application; it exports ${names.join(', ')}.`
}

/** Records the applications that are constructed, and detects when one of them, or a server, tries to start. */
class DeclarationWatch {
  readonly declared = new Map<object, AppDescription>()
  readonly #starting: Promise<void>
  #make: ((options: object) => object) | undefined

  constructor(onLoaded: (stack: string) => void) {
    let start = () => {}
    this.#starting = new Promise((resolve) => {
      start = resolve
    })
    setDescriber({
      declared: (app, description) => this.declared.set(app, description),
      starting: start,
      loaded: (copy) => {
        this.#make ??= copy.make
        onLoaded(String(new Error().stack))
      },
    })
    keepPortsClosed(start)
  }

  /**
   * Waits until the work ends. If an application tries to start before that, waits only a few more turns, because the
   * work may never end.
   */
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

  /** Creates an application with the copy of this package that the module uses. */
  make(options: object): void {
    this.#make?.(options)
  }
}

/**
 * Replaces `listen` for all servers, because an application can be passed to a custom server, which must not listen
 * either.
 */
function keepPortsClosed(start: () => void): void {
  Server.prototype.listen = function listen() {
    start()
    return this
  }
}

async function importModule(path: string): Promise<object> {
  // If Node 20 imports CommonJS that tsx compiles, the module cannot require ES modules, such as parts of this package.
  const isRequired = extname(path) === '.cts' && Number.parseInt(process.versions.node, 10) < 22
  if (!isRequired) return await import(pathToFileURL(path).href)
  const exports: unknown = createRequire(path)(path)
  // The namespace has the same form that Node creates when it imports CommonJS.
  return { default: exports, 'module.exports': exports }
}

interface ImportResult {
  /** The exports of the module; empty while the module is waiting in a top-level `await`. */
  readonly exports: Readonly<Record<string, unknown>>
  /** The applications that were constructed during the import, in order. */
  readonly declared: ReadonlyMap<object, AppDescription>
}

/** The error for a module that has no application or several. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError'
  readonly reason: 'no-app' | 'several-apps'

  constructor(reason: SelectionError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Returns the exports of a module. For a CommonJS module, the result includes the properties of `module.exports`.
 */
export function exportsOf(namespace: object): Record<string, unknown> {
  const own = { ...namespace } as Record<string, unknown>
  const { default: inner } = own
  const isCommonJs = isObject(inner) && ('__esModule' in inner || 'module.exports' in own)
  // For a CommonJS module, the `default` of `import()` is the whole `module.exports`.
  return isCommonJs
    ? { ...own, ...inner, default: 'default' in inner ? inner['default'] : inner }
    : own
}

/**
 * Selects the application: the only one, otherwise the export `app` or `default`.
 *
 * @throws SelectionError if there are several, and neither the export `app` nor `default` is an application.
 */
function selectApp({ exports, declared }: ImportResult): AppDescription | undefined {
  for (const name of ['app', 'default']) {
    const exported = declared.get(exports[name] as object)
    if (exported !== undefined) return exported
  }
  if (declared.size > 1)
    throw new SelectionError('several-apps', describeApps({ exports, declared }))
  return [...declared.values()][0]
}

function describeApps({ exports, declared }: ImportResult): string {
  const names = [...declared].map(([app, description], index) => {
    const exported = Object.keys(exports).find((name) => exports[name] === app)
    const controllers = [...new Set(description.routes().map(({ controller }) => controller))]
    const what = controllers.slice(0, 3).join(', ') || 'no routes'
    return `${exported ?? `number ${index + 1}, not exported`} (${what})`
  })
  return `It creates ${declared.size} applications: ${names.join('; ')}.`
}

/** Returns the exported function that creates the application, if there is one. */
function findFactory(exports: ImportResult['exports']): (() => unknown) | undefined {
  const candidates = [exports['createApp'], exports['default']]
  return candidates.find((value) => typeof value === 'function' && !isClass(value)) as
    | (() => unknown)
    | undefined
}

function isClass(value: object): boolean {
  return Function.prototype.toString.call(value).startsWith('class')
}

/** Returns the exported options of an application: the export `options` or `default`, otherwise any other export. */
function findOptions(exports: ImportResult['exports']): object | undefined {
  const candidates = [exports['options'], exports['default'], ...Object.values(exports)]
  return candidates.find(isOptions) as object | undefined
}

/** Whether a value looks like the options of an application. */
function isOptions(value: unknown): boolean {
  return isObject(value) && (Array.isArray(value['controllers']) || Array.isArray(value['modules']))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
