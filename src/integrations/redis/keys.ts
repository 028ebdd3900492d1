import { createHash } from 'node:crypto'

/** Bytes that a key has at most before what follows is replaced by a hash. */
const LONGEST = 512
/** Every character is a byte, and stands for itself. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a key may hold them
const ASCII = /^[\x00-\x7f]*$/

/** The names of everything that is kept: entries, tags, counts, and where the data comes from. */
export class Keys {
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** Of an entry: `blazon:cache:acme:users`. */
  entry(key: string): string {
    return `${this.#prefix}cache:${bounded(key)}`
  }

  /** Of a tag's version. */
  tag(tag: string): string {
    return `${this.#prefix}tag:${bounded(tag)}`
  }

  /** Of a count of requests. */
  limit(key: string): string {
    return `${this.#prefix}limit:${bounded(key)}`
  }

  /** Of the note on which server the entries were written. */
  get origin(): string {
    return `${this.#prefix}origin`
  }

  /** What `SCAN` finds the entries by whose keys begin with `start`. It may find more where `start` is very long. */
  pattern(start: string): string {
    return `${escapeGlob(`${this.#prefix}cache:${wellFormed(start).slice(0, LONGEST)}`)}*`
  }
}

/**
 * A key of bounded length. The beginning stays, so that keys are still found by it; a hashed key is longer than any
 * that is not, so none is taken for another. Who reads compares the whole key, which stands in the entry.
 */
function bounded(text: string): string {
  if (text.length <= LONGEST && ASCII.test(text)) return text
  const key = wellFormed(text)
  if (key.length <= LONGEST && Buffer.byteLength(key) <= LONGEST) return key
  const hash = createHash('sha256').update(key).digest('base64url')
  return `${key.slice(0, LONGEST)}#${hash}`
}

/** Half a character has no bytes: all of them would be sent as the same replacement. */
function wellFormed(text: string): string {
  return text.replace(
    /\ufffd|\p{Surrogate}/gu,
    (unit) => `\ufffd${unit.charCodeAt(0).toString(16)};`,
  )
}

function escapeGlob(text: string): string {
  return text.replace(/[*?[\]\\^]/g, '\\$&')
}
