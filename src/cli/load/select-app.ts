import type { AppDescription } from '../../app/announce.js'

/** The result of importing a module. */
export interface ImportResult {
  /** The exports of the module; empty while it waits at the top level. */
  readonly exports: Readonly<Record<string, unknown>>
  /** The applications that were constructed during the import, in order. */
  readonly declared: ReadonlyMap<object, AppDescription>
}

/** The module has no application, or several. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError'
  readonly reason: 'no-app' | 'several-apps'

  constructor(reason: SelectionError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** The exports of a module. For a CommonJS module, they include the exports beside `default`. */
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
 * Selects the application: the only one, else the export `app` or `default`.
 *
 * @throws SelectionError when there are several, and no export `app` or `default` is an application.
 */
export function selectApp({ exports, declared }: ImportResult): AppDescription | undefined {
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

/** The exported function that creates the application, if there is one. */
export function findFactory(exports: ImportResult['exports']): (() => unknown) | undefined {
  const candidates = [exports['createApp'], exports['default']]
  return candidates.find((value) => typeof value === 'function' && !isClass(value)) as
    | (() => unknown)
    | undefined
}

function isClass(value: object): boolean {
  return Function.prototype.toString.call(value).startsWith('class')
}

/** The exported options of an application, if the module exports only options. */
export function findOptions(exports: ImportResult['exports']): object | undefined {
  const candidates = [exports['options'], exports['default'], ...Object.values(exports)]
  return candidates.find(isOptions) as object | undefined
}

/** Whether a value looks like the options of an application. */
export function isOptions(value: unknown): boolean {
  return isObject(value) && (Array.isArray(value['controllers']) || Array.isArray(value['modules']))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
