import type { OpenApiDocument } from '../../contracts/openapi.js'
import type { Content } from './content.js'

/** The document of a page, and its path. */
export interface DocsSource {
  /** The path of the page, with a leading slash. The document is at `<path>.json` and `<path>.yaml`. */
  readonly path: string
  /** The version of OpenAPI. Default `'3.0'`. */
  readonly openapi?: '3.0' | '3.1' | '3.2'
  /** Called once, at the first request that needs the document. */
  readonly document: () => OpenApiDocument
}

/**
 * The URL of a request for the page. All links are relative to it, so they work under any prefix and behind any
 * proxy.
 */
export interface PageLocation {
  /** The relative path from the page to the folder of its files: `./` or `./api-docs/`. */
  readonly folder: string
  /** The absolute URL of the document, without extension. */
  readonly url: string
}

/** The values on a page that depend on the URL of the request. */
export interface PagePlace {
  /** Like {@link PageLocation.folder}. */
  readonly folder: string
  /** The base URL of each server on the page, without a slash at the end. */
  readonly addresses: readonly string[]
}

/** A page and the files that it loads. */
export interface DocsPage {
  readonly files: Readonly<Record<string, () => Content | Promise<Content>>>
  readonly policy: () => string
  /** The servers of the document whose URLs appear on the page. They may be relative. */
  readonly servers: () => readonly string[]
  /**
   * Renders the page as HTML. Called once: for values that depend on the request it receives marks, which
   * {@link PageTemplate} replaces later.
   */
  readonly render: (place: PagePlace, link: FileLink) => string
}

/** Returns the URL of a file of the page. */
export type FileLink = (name: string) => string
