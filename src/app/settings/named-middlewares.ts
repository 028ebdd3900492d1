import type { Middleware } from '../../contracts/handler.js'
import type { NamedMiddleware } from '../../features/tenancy/check-routers.js'
import type { AppOptions } from './app-options.js'

/**
 * Lists the middlewares of an application and of its plugins in the order in which they run, with nested lists
 * flattened. The options are not checked yet, so the entries may have any type.
 */
export function namedMiddlewares({ middlewares, plugins }: AppOptions): NamedMiddleware[] {
  const ofPlugins = Array.isArray(plugins) ? plugins : []
  return [
    ...flatten(middlewares, 'middlewares'),
    ...ofPlugins.flatMap((plugin: NonNullable<AppOptions['plugins']>[number]) =>
      flatten(plugin?.middlewares, `plugin '${plugin?.name}', middlewares`),
    ),
  ]
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
