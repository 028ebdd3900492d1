import type { OpenApiDocument } from '../../contracts/openapi.js'

/** What a page may load. The two pages need different things, and neither needs more than this. */
export type Policy = Readonly<Record<string, readonly string[]>>

const NOTHING: Policy = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
}

// A name or an IPv4 address, then perhaps a port: what CSP can express, and nothing that could end a directive.
const HOST = /^[a-z\d.-]+(?::\d+)?$/i

/** The policy of the built-in page, on which nothing runs. */
export const REFERENCE_POLICY: Policy = {
  ...NOTHING,
  'style-src': ["'self'"],
  'img-src': ["'self'"],
}

/** The policy of swagger-ui's page, which sends requests to the servers that the document names. */
export function interactivePolicy({ servers }: OpenApiDocument): Policy {
  const origins = new Set(servers.flatMap(({ url }) => originOf(url) ?? []))
  return {
    ...NOTHING,
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    // Icons are in swagger-ui's stylesheet; an answer that is an image or a recording is shown as a blob.
    'img-src': ["'self'", 'data:', 'blob:'],
    'media-src': ['blob:'],
    'font-src': ["'self'", 'data:'],
    'connect-src': ["'self'", ...origins],
  }
}

/** A policy as a header has it. There is no `upgrade-insecure-requests`: it leaves a blank page on plain http. */
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
