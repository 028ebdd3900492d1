/** How many query parameters the parsers of Express read. They silently ignore the rest. */
export const MAX_PARAMETERS = 1000

/**
 * Whether the query string of a URL has more parameters than are read. A short URL cannot have so many, so it
 * is not searched.
 */
export function hasTooManyParameters(url: string): boolean {
  if (url.length <= MAX_PARAMETERS) return false
  let at = url.indexOf('?')
  for (let count = 0; at !== -1 && count < MAX_PARAMETERS; count++) at = url.indexOf('&', at + 1)
  return at !== -1 && at < url.length - 1
}
