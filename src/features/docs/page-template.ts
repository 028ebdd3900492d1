import { absoluteServer } from './absolute-server.js'
import { type Content, contentHash, createContent } from './content.js'
import type { DocsPage, FileLink, PageLocation } from './docs-page.js'
import { html } from './html.js'

/** How many places keep a page of their own, with its compressed form. A page is nearly always asked for at one. */
const MOST_KEPT = 4
/** Pages that are sent to others until such a place has been forgotten. */
const FORGOTTEN_AFTER = 1_000

/** Private characters, so that nothing else means it. */
const MARK = /\uE000(\d+)\uE000/

function mark(index: number): string {
  return `\uE000${index}\uE000`
}

const TYPE = 'text/html; charset=utf-8'

interface Kept {
  readonly content: Content
  lastAsked: number
}

/**
 * A page that is rendered once. What depends on where it is asked for stands in it as marks, because clients choose the `Host` of
 * their requests: to render, hash and compress a page of 1,000 operations takes 150 ms, to fill it in a copy of its bytes.
 */
export class PageTemplate {
  readonly #servers: readonly string[]
  /** Bytes and indexes of values, alternating. */
  readonly #pieces: readonly (Buffer | number)[]
  readonly #hash: string
  readonly #kept: Map<string, Kept> = new Map()
  #asked = 0

  /** @param link Of a file's name, what follows the folder in its URL. */
  constructor(page: DocsPage, link: FileLink) {
    this.#servers = page.servers()
    const place = { folder: mark(0), addresses: this.#servers.map((_, i) => mark(i + 1)) }
    const text = page.render(place, (name) => place.folder + link(name))
    this.#hash = contentHash(text)
    this.#pieces = text
      .split(MARK)
      .map((piece, i) => (i % 2 === 0 ? Buffer.from(piece) : Number(piece)))
  }

  /** The page for those who ask for it at a place. */
  at(location: PageLocation): Content {
    this.#asked++
    const values = this.#valuesAt(location)
    const key = JSON.stringify(values)
    const kept = this.#kept.get(key)
    if (kept !== undefined) {
      kept.lastAsked = this.#asked
      return kept.content
    }
    const bytes = this.#fill(values)
    const hash = contentHash(`${this.#hash} ${key}`)
    if (!this.#makeRoom()) return { type: TYPE, bytes, hash, gzipped: null }
    const content = createContent(TYPE, bytes, hash)
    this.#kept.set(key, { content, lastAsked: this.#asked })
    return content
  }

  #valuesAt({ folder, url }: PageLocation): string[] {
    // A quote would end the word of a shell in which an address stands; in a URL it has another spelling.
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

  /** Forgets one that nobody has asked for in a long time, so that whoever makes up places cannot take those of others. */
  #makeRoom(): boolean {
    if (this.#kept.size < MOST_KEPT) return true
    for (const [key, { lastAsked }] of this.#kept) {
      if (this.#asked - lastAsked > FORGOTTEN_AFTER) return this.#kept.delete(key)
    }
    return false
  }
}
