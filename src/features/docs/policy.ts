import type { OpenApiDocument } from '../../contracts/openapi.js'

const NOTHING =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'self'"

// A host name or an IPv4 address, with an optional port. CSP can express these, and they contain no character
// that could end a directive.
const HOST = /^[a-z\d.-]+(?::\d+)?$/i

/** The Content Security Policy of the built-in page, which runs no scripts. */
export const REFERENCE_POLICY: string = `${NOTHING}; img-src 'self'`

/**
 * Returns the Content Security Policy of the swagger-ui page, which sends requests to the servers of the document. It
 * has no `upgrade-insecure-requests`, because that leaves the page blank over plain HTTP.
 */
export function interactivePolicy({ servers }: OpenApiDocument): string {
  const origins = new Set(servers.flatMap(({ url }) => originOf(url) ?? []))
  return [
    NOTHING,
    "script-src 'self'",
    // The stylesheet of swagger-ui contains icons. A response with an image or audio is shown as a blob.
    "img-src 'self' data: blob:",
    'media-src blob:',
    "font-src 'self' data:",
    ["connect-src 'self'", ...origins].join(' '),
  ].join('; ')
}

function originOf(url: string): string | undefined {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return undefined
  const { host, origin } = new URL(url)
  return HOST.test(host) ? origin : undefined
}
