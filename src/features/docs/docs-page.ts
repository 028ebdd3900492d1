import type { OpenApiDocument } from '../../contracts/openapi.js'
import type { Content } from './content.js'

/** The document of a page, and its path. */
export interface DocsSource {
  /** The path of the page, with a leading slash. The document is at `<path>.json` and `<path>.yaml`. */
  readonly path: string
  /** The version of OpenAPI. Default `'3.0'`. */
  readonly openapi?: '3.0' | '3.1' | '3.2'
  /** The versions of the API, with the paths of their pages. Default: none. */
  readonly versions?: readonly { readonly name: string; readonly path: string }[]
  /** Called once, at the first request that needs the document. */
  readonly document: () => OpenApiDocument
}

/** A page and the files that it loads. */
export interface DocsPage {
  /**
   * The page as HTML. The links to its files, and to the document, have only a query (`?icon.svg`): a browser resolves
   * them against the path of the page, so the same bytes are right under any prefix and behind any proxy.
   */
  readonly page: Content
  /** The files, by the name in the query. */
  readonly files: ReadonlyMap<string, () => Content | Promise<Content>>
  /** The Content Security Policy. */
  readonly policy: string
}
