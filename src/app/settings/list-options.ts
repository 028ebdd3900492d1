import type { MiddlewareList } from '../../contracts/handler.js'
import type { InterceptorEntry } from '../../contracts/interceptor.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { Class, Module, Provider } from '../../contracts/provider.js'
import type { Override } from '../../di/build-container.js'
import { invalid, type Problem } from '../../errors/config-error.js'
import {
  asyncFunctions,
  type NestedNames,
  type OptionGroup,
  type OptionNames,
  unknownNames,
} from '../../errors/option-group.js'
import { mistakeInInterceptor } from '../../model/uses.js'
import type { NamedMiddleware } from '../tenancy/check-routers.js'
import { checkPluginMiddlewares } from './named-middlewares.js'

/** The fields of all kinds of providers, except providers that are classes. */
const PROVIDER: NestedNames = {
  token: true,
  provide: true,
  useClass: true,
  useValue: true,
  useFactory: true,
  useExisting: true,
  inject: true,
  // Another check reports the members of NestJS providers.
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

/** The checks of a list, besides the check that the value is a list. */
interface EntryChecks<T> {
  /** Checks the entries. If omitted, no entry is checked. */
  readonly check?: (list: readonly T[]) => Problem[]
  /** Finds unknown names in the entries. Default: none. */
  readonly unknown?: (list: readonly T[]) => Problem[]
}

type ListGroup<T> = OptionGroup<readonly T[] | undefined, readonly T[]>

/** An option that is a list. The settings contain a frozen copy, which is empty if the option is not set. */
function listGroup<T>(name: string, { check, unknown }: EntryChecks<T> = {}): ListGroup<T> {
  const entries = (list: readonly T[] | undefined) => (Array.isArray(list) ? list : [])
  return {
    unknown: (list) => unknown?.(entries(list)) ?? [],
    check(list) {
      if (list === undefined || Array.isArray(list)) return check?.(entries(list)) ?? []
      return [invalid(name, 'It is not a list.', 'Pass an array.')]
    },
    resolve: (list = []) => Object.freeze([...list]),
  }
}

export const controllerGroup: ListGroup<Class> = listGroup<Class>('controllers', {
  check: checkControllers,
})

export const moduleGroup: ListGroup<Module> = listGroup<Module>('modules', {
  unknown: unknownInModules,
})

export const providerGroup: ListGroup<Provider> = listGroup('providers', {
  unknown: (providers) => unknownNames('providers', providers, PROVIDER),
})

export const interceptorGroup: ListGroup<InterceptorEntry> = listGroup<InterceptorEntry>(
  'interceptors',
  {
    check: checkInterceptors,
  },
)

export const pluginGroup: ListGroup<Plugin> = listGroup('plugins', {
  check: (plugins) => [...checkPluginMiddlewares(plugins), ...checkPluginFunctions(plugins)],
})

/** The middlewares of the application only. `resolveSettings` adds the middlewares of plugins. */
export const middlewareGroup: ListGroup<MiddlewareList[number]> = listGroup('middlewares')

const overrides = listGroup<Override>('testOverrides', {
  check: checkOverrides,
  unknown: (list) => unknownNames('testOverrides', list, OVERRIDE),
})

/** The `testOverrides` option. Its setting is `null` if the option is not set. */
export const overrideGroup: OptionGroup<
  readonly Override[] | undefined,
  readonly Override[] | null
> = {
  ...overrides,
  resolve: (list) => (list === undefined ? null : overrides.resolve(list)),
}

/**
 * Finds unknown names in modules and in their imported modules. A module can import itself, so each module is searched
 * only once.
 */
function unknownInModules(modules: readonly unknown[]): Problem[] {
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
  return search('modules', modules)
}

/**
 * Finds asynchronous plugin functions that must be synchronous. For functions that boot calls, the returned value is
 * checked instead.
 */
function checkPluginFunctions(plugins: readonly Plugin[]): Problem[] {
  return plugins.flatMap((plugin) =>
    asyncFunctions(`plugin '${plugin?.name}', `, Object(plugin), [
      'explain',
      'keptInProcess',
      'document',
    ]),
  )
}

/** Finds controllers that are not classes. */
function checkControllers(controllers: readonly unknown[]): Problem[] {
  return controllers.flatMap((controller, index) => {
    if (typeof controller === 'function') return []
    const cause = `It is ${String(controller)}, not a class. An undefined entry often results from a circular import.`
    return [invalid(`controllers[${index}]`, cause, 'Pass controller classes.')]
  })
}

/** Finds interceptors that have no `intercept` method and are not tokens. */
function checkInterceptors(interceptors: readonly unknown[]): Problem[] {
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
    const cause = `It is not a function: its type is ${middleware === null ? 'null' : typeof middleware}.`
    const remedy = 'Pass a middleware. An undefined entry often results from a circular import.'
    return [invalid(name, cause, remedy)]
  })
}

/** Finds overrides without a token or value. They would replace nothing, and the test would use the real provider. */
function checkOverrides(overrides: readonly Override[]): Problem[] {
  return overrides.flatMap((override, index) => {
    const name = `testOverrides[${index}]`
    const { token } = (override ?? {}) as { token?: unknown }
    if (token === undefined || token === null) {
      const cause = 'It has no token. An undefined token often results from a circular import.'
      return [invalid(name, cause, 'Pass { token, useValue }.')]
    }
    if (override.useValue !== undefined) return []
    const cause = 'It has no `useValue`, and an override can only provide a value.'
    return [invalid(name, cause, 'Pass { token, useValue }, with an instance to replace a class.')]
  })
}
