import { createHash } from 'node:crypto'

/**
 * The maximum length of a key without a hash, in bytes. A longer key is cut to this number of characters, and its hash
 * is appended.
 */
const LONGEST = 512
/** In ASCII text, every character is one byte. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a key may hold them
const ASCII = /^[\x00-\x7f]*$/

/**
 * The names of all keys in Redis: entries, tags, rate limit counts, sessions, records of idempotent writes, and the
 * origin.
 */
export class Keys {
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** The key of an entry, such as `blazon:cache:acme:users`. */
  entry(key: string): string {
    return `${this.#prefix}cache:${bounded(key)}`
  }

  /** The key of a tag's version. */
  tag(tag: string): string {
    return `${this.#prefix}tag:${bounded(tag)}`
  }

  /** The key of a rate limit count. */
  limit(key: string): string {
    return `${this.#prefix}limit:${bounded(key)}`
  }

  /** The key of a session, by the digest of its ID. */
  session(digest: string): string {
    return `${this.#prefix}session:${digest}`
  }

  /** The key of the list of a user's sessions. */
  sessionsOf(userKey: string): string {
    return `${this.#prefix}sessions:${bounded(userKey)}`
  }

  /** The key of a record of `@Idempotent()`, by its digest. */
  idempotency(digest: string): string {
    return `${this.#prefix}idempotency:${digest}`
  }

  /** The key under which the servers are recorded to which the entries were written. */
  get origin(): string {
    return `${this.#prefix}origin`
  }

  /**
   * A `SCAN` pattern for the entries whose keys begin with `start`. It can match additional keys if `start` is very
   * long.
   */
  pattern(start: string): string {
    return `${escapeGlob(`${this.#prefix}cache:${wellFormed(start).slice(0, LONGEST)}`)}*`
  }
}

/**
 * Limits the length of a key. The beginning is kept, so that patterns still match the key. A hashed key is longer than
 * any key without a hash, so they cannot be equal. A stored entry contains its whole key, which the reader compares.
 */
function bounded(text: string): string {
  if (text.length <= LONGEST && ASCII.test(text)) return text
  const key = wellFormed(text)
  if (key.length <= LONGEST && Buffer.byteLength(key) <= LONGEST) return key
  const hash = createHash('sha256').update(key).digest('base64url')
  return `${key.slice(0, LONGEST)}#${hash}`
}

/**
 * Replaces each lone surrogate, and the character U+FFFD, with a unique string. UTF-8 would encode every lone surrogate
 * as U+FFFD, so different keys would become equal.
 */
function wellFormed(text: string): string {
  return text.replace(
    /\ufffd|\p{Surrogate}/gu,
    (unit) => `\ufffd${unit.charCodeAt(0).toString(16)};`,
  )
}

function escapeGlob(text: string): string {
  return text.replace(/[*?[\]\\^]/g, '\\$&')
}
