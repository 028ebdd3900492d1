import { once } from './content.js'
import type { DocsPage, DocsSource } from './docs-page.js'
import { interactivePage } from './interactive-page.js'
import { PageTemplate } from './page-template.js'
import { referencePage } from './reference-page.js'

/** What a page depends on, besides its document. */
export interface PageOptions {
  /** The folder of `swagger-ui-dist`; `null` for the built-in page. */
  readonly peer: string | null
  readonly isProduction: boolean
}

/** A page that can be sent. */
export interface OpenedPage extends Pick<DocsPage, 'files' | 'policy'> {
  /** The page as HTML, rendered at the first call. */
  readonly template: () => Promise<PageTemplate>
}

/** Creates the page of a document: that of swagger-ui if it is installed, else the built-in one. */
export function openPage(source: DocsSource, { peer, isProduction }: PageOptions): OpenedPage {
  const page =
    peer === null
      ? referencePage(source)
      : interactivePage(source, { directory: peer, isProduction })
  return {
    files: page.files,
    policy: page.policy,
    template: once(async () => {
      const hashes = await hashFiles(page)
      return new PageTemplate(page, (name) => `${name}?v=${hashes.get(name)}`)
    }),
  }
}

async function hashFiles({ files }: DocsPage): Promise<Map<string, string>> {
  const loaded = Object.entries(files).map(
    async ([name, load]) => [name, (await load()).hash] as const,
  )
  return new Map(await Promise.all(loaded))
}
