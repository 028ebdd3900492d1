import type { Module } from '../../contracts/provider.js'
import type { Override } from '../../di/build-container.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import {
  asyncFunctions,
  type NestedNames,
  type OptionNames,
  unknownNames,
} from '../../errors/option-group.js'
import { mistakeInInterceptor } from '../../model/check-uses.js'
import type { NamedMiddleware } from '../tenancy/check-routers.js'
import type { AppOptions } from './app-options.js'

const LISTS = [
  'controllers',
  'modules',
  'providers',
  'middlewares',
  'interceptors',
  'plugins',
  'testOverrides',
] as const

/** The names of all kinds of providers that are not classes. */
const PROVIDER: NestedNames = {
  token: true,
  provide: true,
  useClass: true,
  useValue: true,
  useFactory: true,
  useExisting: true,
  inject: true,
  // Of NestJS: other checks read them.
  scope: true,
  durable: true,
}
const MODULE: OptionNames<Module> = {
  name: true,
  imports: true,
  providers: PROVIDER,
  controllers: true,
  prefix: true,
  exports: true,
}

const OVERRIDE: OptionNames<Override> = { token: true, useValue: true }

/** Finds options that must be lists and are not. */
export function checkLists(options: AppOptions): Problem[] {
  return LISTS.flatMap((name) => {
    const list: unknown = options[name]
    if (list === undefined || Array.isArray(list)) return []
    return [invalid(name, 'It is not a list.', 'Give an array.')]
  })
}

/** Finds unknown names in lists of objects, and in the modules that modules import. A module may import itself. */
export function unknownInLists({ modules, providers, testOverrides }: AppOptions): Problem[] {
  const seen = new Set<unknown>()
  const search = (path: string, list: unknown): Problem[] => {
    if (!Array.isArray(list)) return []
    return list.flatMap((module: unknown, index) => {
      if (typeof module !== 'object' || module === null || seen.has(module)) return []
      seen.add(module)
      const place = `${path}[${index}].`
      const inside = search(`${place}imports`, (module as Module).imports)
      return [...unknownNames(place, module, MODULE), ...inside]
    })
  }
  return [
    ...search('modules', modules),
    ...unknownNames('providers', providers, PROVIDER),
    ...unknownNames('testOverrides', testOverrides, OVERRIDE),
  ]
}

/**
 * Finds asynchronous functions of plugins whose results are used at once. Functions of the boot are checked when they
 * return.
 */
export function checkPluginFunctions({ plugins }: AppOptions): Problem[] {
  if (!Array.isArray(plugins)) return []
  return plugins.flatMap((plugin) =>
    asyncFunctions(`plugin '${plugin?.name}', `, Object(plugin), ['explain', 'keptInProcess']),
  )
}

/** Finds controllers that are not classes. */
export function checkControllers({ controllers }: AppOptions): Problem[] {
  if (!Array.isArray(controllers)) return []
  return controllers.flatMap((controller, index) => {
    if (typeof controller === 'function') return []
    const cause = `It is ${String(controller)}, not a class. An undefined entry is often a circular import.`
    return [invalid(`controllers[${index}]`, cause, 'Give controller classes.')]
  })
}

/** Finds interceptors that have no method `intercept` and are not tokens. */
export function checkInterceptors({ interceptors }: AppOptions): Problem[] {
  if (!Array.isArray(interceptors)) return []
  return interceptors.flatMap((entry, index) => {
    const mistake = mistakeInInterceptor(entry)
    return mistake === null
      ? []
      : [invalid(`interceptors[${index}]`, mistake.cause, mistake.remedy)]
  })
}

/** Finds middlewares that are not functions. */
export function checkMiddlewareTypes(middlewares: readonly NamedMiddleware[]): Problem[] {
  return middlewares.flatMap(({ middleware, name }) => {
    if (typeof middleware === 'function') return []
    const cause = `It is ${middleware === null ? 'null' : typeof middleware}, not a function.`
    const remedy = 'Give a middleware. An undefined entry is often a circular import.'
    return [invalid(name, cause, remedy)]
  })
}

/**
 * Finds overrides without token or value. They would replace nothing, and the test would use the real provider.
 */
export function checkOverrides({ testOverrides: overrides }: AppOptions): Problem[] {
  if (!Array.isArray(overrides)) return []
  return overrides.flatMap((override, index) => {
    const name = `testOverrides[${index}]`
    const { token } = (override ?? {}) as { token?: unknown }
    if (token === undefined || token === null) {
      const cause = 'It has no token. An undefined token is often a circular import.'
      return [invalid(name, cause, 'Give { token, useValue }.')]
    }
    if (override.useValue !== undefined) return []
    const cause = 'It has no `useValue`, and overrides are values.'
    return [
      invalid(name, cause, 'Give { token, useValue }: an instance, where a class is replaced.'),
    ]
  })
}
