import type { Module } from '../../contracts/provider.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { type Names, unknownNames } from '../../errors/option-group.js'
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

const MODULE: Names<Module> = {
  name: true,
  imports: true,
  providers: true,
  controllers: true,
  prefix: true,
  exports: true,
}

/** Finds options that must be lists and are not. */
export function checkLists(options: AppOptions): Problem[] {
  return LISTS.flatMap((name) => {
    const list: unknown = options[name]
    if (list === undefined || Array.isArray(list)) return []
    return [invalid(name, 'It is not a list.', 'Give an array.')]
  })
}

/** Finds unknown property names in `modules`. */
export function unknownInModules({ modules }: AppOptions): Problem[] {
  if (!Array.isArray(modules)) return []
  return modules.flatMap((module, index) => unknownNames(`modules[${index}].`, module, MODULE))
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

/** Finds interceptors that have no method `intercept` and are no tokens. */
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
