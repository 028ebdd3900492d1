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
  /** Absolute URL of the document, without extension. */
  readonly url: string
}

/** What stands on a page for where it is asked for. */
export interface PagePlace {
  /** As {@link PageLocation.folder}. */
  readonly folder: string
  /** Of each of the page's servers: where its paths begin, without a slash at the end. */
  readonly addresses: readonly string[]
}

/** A page and the files that it loads. */
export interface DocsPage {
  readonly files: Readonly<Record<string, () => Content | Promise<Content>>>
  readonly policy: () => string
  /** Servers of the document whose addresses stand on the page, relative ones among them. */
  readonly servers: () => readonly string[]
  /** The page as HTML. Called once: what a request knows, it gets as marks, to be filled in by {@link PageTemplate}. */
  readonly render: (place: PagePlace, link: FileLink) => string
}

/** The URL of a file of the page. */
export type FileLink = (name: string) => string
