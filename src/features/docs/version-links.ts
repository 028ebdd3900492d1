import type { DocsSource } from './docs-page.js'
import { type Html, html } from './html.js'

/** The path of a page, and the pages of all versions. */
export type VersionPlace = Partial<Pick<DocsSource, 'path' | 'versions'>>

/** Renders links to the pages of the other versions; nothing for an API without versions. */
export function versionLinks({ path = '/', versions = [] }: VersionPlace): Html {
  // Relative, so that the links are right under any prefix and behind any proxy.
  const root = '../'.repeat(path.split('/').length - 2)
  const links = versions.map(({ name, path: other }) =>
    other === path
      ? html` <strong aria-current="page">${name}</strong>`
      : html` <a href="${root}${other.slice(1)}">${name}</a>`,
  )
  return html`${versions.length === 0 ? null : html`<p role="navigation" aria-label="Versions">Version${links}</p>\n`}`
}
