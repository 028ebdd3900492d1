import type { CompiledRoutes } from '../app/compile-routes.js'
import { versionPlace } from '../app/version-router.js'

/** Writes the path of a request in a version, with `by: 'path'`. A route in every version keeps its path. */
export function versionPath(
  { match, model, settings }: Pick<CompiledRoutes, 'match' | 'model' | 'settings'>,
  version: string,
  { method, path }: { readonly method: string; readonly path: string },
): string {
  const versionAt = (url: string) => {
    const found = match(method, url)
    return found.kind === 'route' ? (model.routes[found.index]?.version ?? null) : undefined
  }
  const own = path.split('/').toSpliced(versionPlace(settings.prefix), 0, `v${version}`).join('/')
  return versionAt(own) !== version && versionAt(path) === null ? path : own
}
