/**
 * Whether the argument of `next` is an error. As in Express, falsy values and the strings `'route'` and
 * `'router'` let the request continue.
 */
export function isNextError(argument: unknown): boolean {
  return Boolean(argument) && argument !== 'route' && argument !== 'router'
}
