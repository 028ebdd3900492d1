/**
 * Whether an argument to `next` is an error. As in Express, falsy values and the two words `'route'` and `'router'`
 * mean that the request goes on.
 */
export function isNextError(argument: unknown): boolean {
  return Boolean(argument) && argument !== 'route' && argument !== 'router'
}
