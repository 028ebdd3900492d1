import type { OpenApiDocument } from '../../contracts/openapi.js'

/** A Content Security Policy. Each of the two pages has its own, with only what it needs. */
export type Policy = Readonly<Record<string, readonly string[]>>

const NOTHING: Policy = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
}

// A host name or an IPv4 address, with an optional port. CSP can express these, and they contain no character
// that could end a directive.
const HOST = /^[a-z\d.-]+(?::\d+)?$/i

/** The policy of the built-in page, which runs no scripts. */
export const REFERENCE_POLICY: Policy = {
  ...NOTHING,
  'style-src': ["'self'"],
  'img-src': ["'self'"],
}

/** Returns the policy of the swagger-ui page, which sends requests to the servers of the document. */
export function interactivePolicy({ servers }: OpenApiDocument): Policy {
  const origins = new Set(servers.flatMap(({ url }) => originOf(url) ?? []))
  return {
    ...NOTHING,
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    // The stylesheet of swagger-ui contains icons. A response with an image or audio is shown as a blob.
    'img-src': ["'self'", 'data:', 'blob:'],
    'media-src': ['blob:'],
    'font-src': ["'self'", 'data:'],
    'connect-src': ["'self'", ...origins],
  }
}

/**
 * Formats a policy as a header value. It has no `upgrade-insecure-requests`, because that leaves the page
 * blank over plain HTTP.
 */
export function serializePolicy(policy: Policy): string {
  return Object.entries(policy)
    .map(([directive, sources]) => [directive, ...sources].join(' '))
    .join('; ')
}

function originOf(url: string): string | undefined {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return undefined
  const { host, origin } = new URL(url)
  return HOST.test(host) ? origin : undefined
}
