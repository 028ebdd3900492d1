import type { OpenApiDocument } from '../../contracts/openapi.js'
import { type Content, createContent, type DocsSource } from './docs-page.js'

/** Markup that can be inserted into a page without escaping. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | null | readonly Part[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Builds markup from a template with values. Every value that is not {@link Html} is escaped, so a document cannot
 * inject markup. Lists are joined, and `null` is omitted.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] as string
  for (const [i, part] of parts.entries()) text += render(part) + (strings[i + 1] as string)
  return new Html(text)
}

function render(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(render).join('')
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}

/** The icon of both pages: a shield with a diagonal division. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<path d="M4 3h24v12c0 7-5 12-12 15C9 27 4 22 4 15z" fill="#3457d5"/>
<path d="M4 3h24L6 21a13 13 0 0 1-2-6z" fill="#8aa2f5"/>
</svg>
`

export function iconContent(): Content {
  return createContent('image/svg+xml', SVG)
}

/** The path of a page, and the pages for all versions. */
export type VersionPlace = Partial<Pick<DocsSource, 'path' | 'versions'>>

/** Renders links to the pages for other versions. Renders nothing for an API without versions. */
export function versionLinks({ path = '/', versions = [] }: VersionPlace): Html {
  // The links are relative, so that they are valid under any prefix and behind any proxy.
  const root = '../'.repeat(path.split('/').length - 2)
  const links = versions.map(({ name, path: other }) =>
    other === path
      ? html` <strong aria-current="page">${name}</strong>`
      : html` <a href="${root}${other.slice(1)}">${name}</a>`,
  )
  return html`${versions.length === 0 ? null : html`<p role="navigation" aria-label="Versions">Version${links}</p>\n`}`
}

const NOTHING =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'self'"

// A host name or an IPv4 address, with an optional port. CSP supports both, and neither contains a character that could
// end a directive.
const HOST = /^[a-z\d.-]+(?::\d+)?$/i

/** The Content Security Policy of the built-in page, which runs no scripts. */
export const REFERENCE_POLICY: string = `${NOTHING}; img-src 'self'`

/**
 * Returns the Content Security Policy of the Swagger UI page, which sends requests to the servers in the document. The
 * policy has no `upgrade-insecure-requests`, because that directive leaves the page blank over plain HTTP.
 */
export function interactivePolicy({ servers }: OpenApiDocument): string {
  const origins = new Set(servers.flatMap(({ url }) => originOf(url) ?? []))
  return [
    NOTHING,
    "script-src 'self'",
    // The Swagger UI stylesheet contains icons. Image and audio responses are shown as blobs.
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
