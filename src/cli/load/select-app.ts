import type { AppDescription } from '../../app/announce.js'

/** What a module that was imported left behind. */
export interface Evidence {
  /** What it exports; empty while it waits for something. */
  readonly exports: Readonly<Record<string, unknown>>
  /** The applications that were constructed meanwhile, in order. */
  readonly declared: ReadonlyMap<object, AppDescription>
}

/** Nothing to describe, or too much. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError'
  readonly reason: 'no-app' | 'several-apps'

  constructor(reason: SelectionError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** What a module exports; of a CommonJS module also what stands beside its `default`. */
export function exportsOf(namespace: object): Record<string, unknown> {
  const own = { ...namespace } as Record<string, unknown>
  const { default: inner } = own
  const isCommonJs = isObject(inner) && ('__esModule' in inner || 'module.exports' in own)
  // What `import()` takes for the default of a CommonJS module is all of its exports.
  return isCommonJs
    ? { ...own, ...inner, default: 'default' in inner ? inner['default'] : inner }
    : own
}

/**
 * The application that is meant: the only one, else the one that is exported as `app` or `default`.
 *
 * @throws SelectionError when there are several, none of them exported so.
 */
export function selectApp({ exports, declared }: Evidence): AppDescription | undefined {
  for (const name of ['app', 'default']) {
    const exported = declared.get(exports[name] as object)
    if (exported !== undefined) return exported
  }
  if (declared.size > 1)
    throw new SelectionError('several-apps', describeApps({ exports, declared }))
  return [...declared.values()][0]
}

function describeApps({ exports, declared }: Evidence): string {
  const names = [...declared].map(([app, description], index) => {
    const exported = Object.keys(exports).find((name) => exports[name] === app)
    const controllers = [...new Set(description.routes().map(({ controller }) => controller))]
    const what = controllers.slice(0, 3).join(', ') || 'no routes'
    return `${exported ?? `number ${index + 1}, not exported`} (${what})`
  })
  return `It creates ${declared.size} applications: ${names.join('; ')}.`
}

/** The function that makes the application, where a module exports one. */
export function findFactory(exports: Evidence['exports']): (() => unknown) | undefined {
  const candidates = [exports['createApp'], exports['default']]
  return candidates.find((value) => typeof value === 'function' && !isClass(value)) as
    | (() => unknown)
    | undefined
}

function isClass(value: object): boolean {
  return Function.prototype.toString.call(value).startsWith('class')
}

/** The options of an application, where a module exports nothing but them. */
export function findOptions(exports: Evidence['exports']): object | undefined {
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
