import type { Plugin, RouteMistake } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { ignoreRejection } from '../step/thenable.js'

/** Collects the mistakes that plugins find in the use of their decorators. */
export function checkPlugins(plugins: readonly Plugin[], routes: readonly RouteModel[]): Problem[] {
  const asked = plugins.filter(({ check }) => check !== undefined)
  return asked.flatMap((plugin) => routes.flatMap((route) => problemsOf(plugin, route)))
}

function problemsOf(plugin: Plugin, route: RouteModel): Problem[] {
  const found: unknown = plugin.check?.(route) ?? []
  if (Array.isArray(found) && found.every(isMistake)) {
    const subject = `${route.name}, plugin '${plugin.name}'`
    return found.map((mistake) => ({ code: 'E_PLUGIN_CHECK', subject, ...mistake }))
  }
  ignoreRejection(found)
  const subject = `plugin '${plugin.name}' check(${route.name})`
  return [invalid(subject, 'It did not return a list of mistakes.', 'Return [{ cause, remedy }].')]
}

function isMistake(value: unknown): value is RouteMistake {
  const { cause, remedy } = (value ?? {}) as Partial<Record<string, unknown>>
  return typeof cause === 'string' && typeof remedy === 'string'
}
