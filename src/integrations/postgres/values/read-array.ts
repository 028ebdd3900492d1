/** Converts the text of a value to the value. */
export type Reader = (text: string) => unknown

/**
 * Creates a reader for arrays in PostgreSQL's text format: `{1,"a b",NULL,{2}}`, or with bounds as
 * in `[0:1]={1,2}`.
 *
 * @param read Reads one element.
 * @param delimiter The character between elements. Of all types of PostgreSQL, only `box` has another one.
 */
export function arrayOf(read: Reader, delimiter = ','): Reader {
  // `undefined` is the end of the text.
  const breaks = new Set([delimiter, '}', undefined])
  return (text) => new ArrayReader(text, read, breaks).readAll()
}

class ArrayReader {
  readonly #text: string
  readonly #read: Reader
  /** The characters that end an unquoted element. */
  readonly #breaks: ReadonlySet<string | undefined>
  #at: number

  constructor(text: string, read: Reader, breaks: ReadonlySet<string | undefined>) {
    this.#text = text
    this.#read = read
    this.#breaks = breaks
    this.#at = text.indexOf('{')
  }

  readAll(): unknown[] {
    const list: unknown[] = []
    // Each round begins after a brace or a comma. The loop ends at the closing brace.
    while (this.#at < this.#text.length && this.#text[this.#at++] !== '}') {
      if (this.#text[this.#at] !== '}') list.push(this.#readElement())
    }
    return list
  }

  #readElement(): unknown {
    const first = this.#text[this.#at]
    if (first === '{') return this.readAll()
    if (first === '"') return this.#read(this.#readQuoted())
    const text = this.#readBare()
    return text === 'NULL' ? null : this.#read(text)
  }

  #readBare(): string {
    const start = this.#at
    while (!this.#breaks.has(this.#text[this.#at])) this.#at++
    return this.#text.slice(start, this.#at)
  }

  #readQuoted(): string {
    const start = this.#at + 1
    let end = start
    while (end < this.#text.length && this.#text[end] !== '"')
      end += this.#text[end] === '\\' ? 2 : 1
    this.#at = end + 1
    return this.#text.slice(start, end).replace(/\\(.)/gs, '$1')
  }
}
