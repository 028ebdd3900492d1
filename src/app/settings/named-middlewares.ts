import type { Middleware, MiddlewareList } from '../../contracts/handler.js'
import type { Plugin, PluginMiddlewares } from '../../contracts/plugin.js'
import { invalid, type Problem } from '../../errors/config-error.js'
import { type OptionNames, unknownOptions } from '../../errors/option-group.js'
import type { NamedMiddleware } from '../tenancy/check-routers.js'
import type { AppOptions } from './app-options.js'

/**
 * Lists the middlewares of an application and of its plugins in the order in which they run, with nested lists
 * flattened. The options have not been checked yet, so the entries can have any type.
 */
export function namedMiddlewares({ middlewares, plugins }: AppOptions): NamedMiddleware[] {
  const ofPlugins = pluginsIn(plugins).map(middlewaresOf)
  return [
    ...ofPlugins.flatMap(({ first }) => first),
    ...flatten(middlewares, 'middlewares'),
    ...ofPlugins.flatMap(({ last }) => last),
  ]
}

const NAMES: OptionNames<PluginMiddlewares> = { first: true, last: true }

/**
 * Finds `middlewares` of plugins that are neither a list nor an object with two lists. Their entries would never run.
 */
export function checkPluginMiddlewares(plugins: readonly (Plugin | undefined)[]): Problem[] {
  return plugins.flatMap((plugin) => {
    const given: unknown = plugin?.middlewares
    const name = nameOf(plugin)
    const isTwoLists = typeof given === 'object' && given !== null && !Array.isArray(given)
    if (!isTwoLists) return checkList(name, given)
    const { first, last } = given as PluginMiddlewares
    return [
      ...unknownOptions(`${name}.`, given, NAMES),
      ...checkList(`${name}.first`, first),
      ...checkList(`${name}.last`, last),
    ]
  })
}

function checkList(name: string, list: unknown): Problem[] {
  if (list === undefined || Array.isArray(list)) return []
  return [
    invalid(name, 'It is not a list.', 'Pass an array, or middlewares: { first: […], last: […] }.'),
  ]
}

function pluginsIn(plugins: unknown): readonly (Plugin | undefined)[] {
  return Array.isArray(plugins) ? plugins : []
}

function nameOf(plugin: Plugin | undefined): string {
  return `plugin '${plugin?.name}', middlewares`
}

/** The middlewares of a plugin that run before and after the application's middlewares. */
function middlewaresOf(plugin: Plugin | undefined): Record<'first' | 'last', NamedMiddleware[]> {
  const name = nameOf(plugin)
  const given = plugin?.middlewares
  if (isList(given)) return { first: [], last: flatten(given, name) }
  return {
    first: flatten(given?.first, `${name}.first`),
    last: flatten(given?.last, `${name}.last`),
  }
}

function isList(given: Plugin['middlewares']): given is MiddlewareList {
  return Array.isArray(given)
}

/** Flattens lists of any depth, as `app.use` does. */
function flatten(list: unknown, name: string): NamedMiddleware[] {
  if (!Array.isArray(list)) return []
  return Array.from(list, (entry: unknown, index) => {
    const place = `${name}[${index}]`
    return Array.isArray(entry)
      ? flatten(entry, place)
      : [{ middleware: entry as Middleware, name: place }]
  }).flat()
}
