/** So many parameters of a query string Express' parsers read; what stands behind them they leave out, without a word. */
export const MAX_PARAMETERS = 1000

/** Whether the query string of a URL has more parameters than are read. A short one cannot. */
export function hasTooManyParameters(url: string): boolean {
  if (url.length <= MAX_PARAMETERS) return false
  let at = url.indexOf('?')
  for (let count = 0; at !== -1 && count < MAX_PARAMETERS; count++) at = url.indexOf('&', at + 1)
  return at !== -1 && at < url.length - 1
}
