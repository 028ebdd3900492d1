import type { CompiledRoutes } from '../app/compile-routes.js'
import { versionPlace } from '../app/version-router.js'
import type { CallerLink } from './test-caller.js'

/**
 * Creates the function that writes the path of a request in a version, with `by: 'path'`. A route in every version keeps
 * its path.
 */
export function versionPaths(routes: () => CompiledRoutes): CallerLink['pathIn'] {
  return (version, { method, path }) => {
    const { match, model, settings } = routes()
    const versionAt = (url: string) => {
      const found = match(method, url)
      return found.kind === 'route' ? (model.routes[found.index]?.version ?? null) : undefined
    }
    const place = versionPlace(settings.prefix)
    const own = path.split('/').toSpliced(place, 0, `v${version}`).join('/')
    return versionAt(own) !== version && versionAt(path) === null ? path : own
  }
}
