/**
 * Joins the prefix of a controller with the path of a route: one slash between segments, one at the start, none at
 * the end. `''` and `'/'` both add nothing.
 */
export function joinPaths(prefix: string, path: string): string {
  const segments = `${prefix}/${path}`.split('/').filter((segment) => segment !== '')
  return `/${segments.join('/')}`
}

/** The problem of a prefix, which stands before other paths; `null` when there is none. */
export function prefixProblem(prefix: unknown): string | null {
  if (typeof prefix !== 'string') return `${String(prefix)} is not a path`
  const hasWildcard = prefix.includes('*')
  return pathProblem(prefix) ?? (hasWildcard ? 'paths follow it, so it has no wildcard' : null)
}

/** Names of the parameters in a path, in order; `*rest` counts as `rest`. */
export function pathParameters(path: string): string[] {
  if (!path.includes(':') && !path.includes('*')) return []
  return path.match(/[:*]\w+/g)?.map((parameter) => parameter.slice(1)) ?? []
}

/** The problem in the syntax of a path; `null` when there is none. */
export function pathProblem(path: string): string | null {
  const unsupported = /[?+(){}[\]\\#%\s]|\*(?!\w)|:(?!\w)/.exec(path)?.[0]
  if (unsupported !== undefined) return `'${unsupported}' has no meaning in a path`
  if (path.includes('*')) {
    if (/\*\w+\W/.test(path)) return 'a wildcard must be the last thing in a path'
    if (/[^/]\*/.test(path)) return 'a wildcard must be a segment of its own'
  }
  const names = pathParameters(path)
  if (names.length < 2) return null
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  return repeated === undefined ? null : `the parameter '${repeated}' appears in it twice`
}

/**
 * The form in which the router compares paths: without case and parameter names. Of two routes with the same method
 * and the same shape, only one can be reached.
 */
export function pathShape(path: string): string {
  const shape = path.includes(':') ? path.replace(/:\w+/g, ':') : path
  return (path.includes('*') ? shape.replace(/\*\w+/g, '*') : shape).toLowerCase()
}
