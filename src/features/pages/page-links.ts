import type { Request } from '../../contracts/handler.js'

/** The values of a query parameter, by the relation of their page; `null` where there is no such page. */
export type Links = Readonly<
  Partial<Record<'first' | 'prev' | 'next' | 'last', string | number | null>>
>

/**
 * Writes the header of links to other pages (RFC 8288). Each URL is a reference relative to the URL of the request (RFC
 * 3986, section 4.2): it has the query only, so it is right behind every proxy.
 */
export function linkHeader({ originalUrl }: Request, parameter: string, links: Links): string {
  const start = originalUrl.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : originalUrl.slice(start))
  return Object.entries(links)
    .filter(([, value]) => value !== null)
    .map(([relation, value]) => {
      query.set(parameter, String(value))
      return `<?${query}>; rel="${relation}"`
    })
    .join(', ')
}
