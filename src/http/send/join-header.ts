import type { Response } from '../../contracts/handler.js'

/**
 * Sets a header of a response. `Vary`, `Set-Cookie` and `Link` are lists to which several parts of a program add: without the
 * names of `cors`, a cache would send the response to other origins. All other headers are replaced.
 */
export function joinHeader(res: Response, name: string, value: string | string[]): void {
  const key = name.toLowerCase()
  if (key === 'vary') res.vary(String(value))
  else if (key === 'set-cookie' || key === 'link') res.appendHeader(name, value)
  else res.setHeader(name, value)
}
