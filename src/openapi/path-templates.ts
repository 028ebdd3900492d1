import type { RouteModel } from '../contracts/route-model.js'
import { writePath } from '../model/paths.js'

/** `/users/:id/*rest` → `/users/{id}/{rest}`. Literals are percent-encoded as in URLs. */
export function pathTemplate(path: string): string {
  return writePath(path, (name) => `{${name}}`)
}

/**
 * Maps each route path to the path that the document uses for it. OpenAPI treats two templates as identical
 * when they differ only in parameter names (3.0.3, 4.7.8.1), so all of them use the names of the first.
 */
export function canonicalPaths(routes: readonly RouteModel[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>()
  const canonical = new Map<string, string>()
  for (const { path } of routes) {
    const shape = writePath(path, () => '{}')
    if (!first.has(shape)) first.set(shape, path)
    canonical.set(path, first.get(shape) as string)
  }
  return canonical
}
