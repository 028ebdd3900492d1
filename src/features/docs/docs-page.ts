import type { OpenApiDocument } from '../../contracts/openapi.js'
import type { Content } from './content.js'

/** What a page is about. */
export interface DocsSource {
  /** Where the page is, with a leading slash; the document is at `<path>.json` and `<path>.yaml`. */
  readonly path: string
  /** Called with the first request that needs it, and once. */
  readonly document: () => OpenApiDocument
}

/** Where a browser asked for the page, so that every link can be relative: a prefix or a proxy then changes nothing. */
export interface PageLocation {
  /** From the page to the folder of its files: `./` or `./api-docs/`. */
  readonly folder: string
  /** From that folder to the document, without extension: `../api-docs`. */
  readonly document: string
  /** Absolute URL of the document, without extension. */
  readonly url: string
}

/** A page and the files that it loads. */
export interface DocsPage {
  readonly files: Readonly<Record<string, () => Content | Promise<Content>>>
  readonly policy: () => string
  /** The page as HTML; `version` gives the part of a file's URL that changes with the file. */
  readonly render: (location: PageLocation, link: FileLink) => string
}

/** The URL of a file of the page. */
export type FileLink = (name: string) => string
