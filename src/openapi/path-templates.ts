import type { RouteModel } from '../contracts/route-model.js'

/** `/users/:id/*rest` → `/users/{id}/{rest}`. */
export function pathTemplate(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}')
}

/**
 * Maps each route path to the path that the document uses for it. OpenAPI treats two templates as identical
 * when they differ only in parameter names (3.0.3, 4.7.8.1), so all of them use the names of the first.
 */
export function canonicalPaths(routes: readonly RouteModel[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>()
  const canonical = new Map<string, string>()
  for (const { path } of routes) {
    const shape = path.replace(/[:*]\w+/g, ':')
    if (!first.has(shape)) first.set(shape, path)
    canonical.set(path, first.get(shape) as string)
  }
  return canonical
}
