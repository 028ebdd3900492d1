import type { RouteModel } from '../contracts/route-model.js'

/** `/users/:id/*rest` → `/users/{id}/{rest}`. */
export function pathTemplate(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}')
}

/**
 * The path that stands for each path in the document. OpenAPI takes two templates that differ only in the names of
 * their parameters for one (3.0.3, 4.7.8.1): the first one's names stand for all of them.
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
