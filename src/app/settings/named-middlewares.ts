import type { Middleware } from '../../contracts/handler.js'
import type { NamedMiddleware } from '../../features/tenancy/check-routers.js'
import type { AppOptions } from './app-options.js'

/**
 * The middlewares of an application and of its plugins, in the order in which they run, out of whatever lists they stand in. Options
 * that were not checked yet may hold anything.
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

/** As `app.use` does, to any depth. */
function flatten(list: unknown, name: string): NamedMiddleware[] {
  if (!Array.isArray(list)) return []
  return Array.from(list, (entry: unknown, index) => {
    const place = `${name}[${index}]`
    return Array.isArray(entry)
      ? flatten(entry, place)
      : [{ middleware: entry as Middleware, name: place }]
  }).flat()
}
