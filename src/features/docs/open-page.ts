import type { DocsPage, DocsSource } from './docs-page.js'
import { interactivePage } from './interactive-page.js'
import { referencePage } from './reference-page.js'

/** Settings of a page, besides its document. */
export interface PageOptions {
  /** The folder of `swagger-ui-dist`; `null` for the built-in page. */
  readonly peer: string | null
  /** In production, swagger-ui's page stores no credentials, and "Try it out" needs a click. */
  readonly isProduction: boolean
}

/** Creates the page of a document: the page of swagger-ui if it is installed, else the built-in page. */
export function openPage(source: DocsSource, { peer, isProduction }: PageOptions): DocsPage {
  return peer === null
    ? referencePage(source.document(), source)
    : interactivePage(source, { directory: peer, isProduction })
}
