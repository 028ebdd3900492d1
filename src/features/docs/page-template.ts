import { absoluteServer } from './absolute-server.js'
import { type Content, contentHash, createContent } from './content.js'
import type { DocsPage, FileLink, PageLocation } from './docs-page.js'
import { html } from './html.js'

/**
 * The number of locations whose filled page is stored, with its compressed form. Nearly all requests use one
 * location.
 */
const MOST_STORED = 4
/** A stored page may be removed after this number of requests for other pages. */
const MAX_IDLE_REQUESTS = 1_000

/** A mark has private-use characters, so that it cannot occur in a document by chance. */
const MARK = /\uE000(\d+)\uE000/

function mark(index: number): string {
  return `\uE000${index}\uE000`
}

const TYPE = 'text/html; charset=utf-8'

interface StoredPage {
  readonly content: Content
  lastRequest: number
}

/**
 * A page that is rendered once, with marks for the values that depend on the location. Clients choose the
 * `Host` of their requests, so there may be any number of locations. Rendering, hashing and compressing a
 * page of 1,000 operations takes 150 ms; filling in the marks only copies its bytes.
 */
export class PageTemplate {
  readonly #servers: readonly string[]
  /** The page as bytes and indexes of values, alternating. */
  readonly #pieces: readonly (Buffer | number)[]
  readonly #hash: string
  readonly #stored: Map<string, StoredPage> = new Map()
  #requests = 0

  /** @param link Returns the part of a file's URL after the folder. */
  constructor(page: DocsPage, link: FileLink) {
    this.#servers = page.servers()
    const place = { folder: mark(0), addresses: this.#servers.map((_, i) => mark(i + 1)) }
    const text = page.render(place, (name) => place.folder + link(name))
    this.#hash = contentHash(text)
    this.#pieces = text
      .split(MARK)
      .map((piece, i) => (i % 2 === 0 ? Buffer.from(piece) : Number(piece)))
  }

  /** Returns the page for a location. */
  at(location: PageLocation): Content {
    this.#requests++
    const values = this.#valuesAt(location)
    const key = JSON.stringify(values)
    const stored = this.#stored.get(key)
    if (stored !== undefined) {
      stored.lastRequest = this.#requests
      return stored.content
    }
    const bytes = this.#fill(values)
    const hash = contentHash(`${this.#hash} ${key}`)
    if (!this.#makeRoom()) return { type: TYPE, bytes, hash, gzipped: null }
    const content = createContent(TYPE, bytes, hash)
    this.#stored.set(key, { content, lastRequest: this.#requests })
    return content
  }

  #valuesAt({ folder, url }: PageLocation): string[] {
    // A URL appears in a shell command between single quotes, so its quotes are percent-encoded.
    const addresses = this.#servers.map((server) =>
      absoluteServer(server, url).replaceAll("'", '%27'),
    )
    return [folder, ...addresses].map((value) => html`${value}`.text)
  }

  #fill(values: readonly string[]): Buffer {
    const bytes = values.map((value) => Buffer.from(value))
    const none = Buffer.alloc(0)
    return Buffer.concat(
      this.#pieces.map((piece) => (typeof piece === 'number' ? (bytes[piece] ?? none) : piece)),
    )
  }

  /**
   * Removes a stored page that was not requested for a long time, if all places are taken. A page in use
   * stays, so a client that invents hosts cannot displace it.
   */
  #makeRoom(): boolean {
    if (this.#stored.size < MOST_STORED) return true
    for (const [key, { lastRequest }] of this.#stored) {
      if (this.#requests - lastRequest > MAX_IDLE_REQUESTS) return this.#stored.delete(key)
    }
    return false
  }
}
