import type { CacheEntry } from '../../plugin/index.js'
import { decodeEntry } from './entry-codec.js'

/** The number of slots, and so of entries in memory: a power of two. */
const SLOTS = 512
/**
 * The longest entry that is held in memory, in bytes. The bytes of all slots then take 4 MiB at most, plus
 * the decoded entries.
 */
const LONGEST = 8 * 1024
/** The number of characters at the end of a key that choose its slot. */
const TAIL = 8

interface Known {
  readonly key: string
  readonly bytes: Buffer
  readonly entry: CacheEntry
}

/**
 * Decodes entries, and keeps repeatedly read entries in memory: while Redis returns the same bytes for a key, the
 * decoded entry is reused. Comparing 250 bytes takes 1 thousand instructions, decoding them 11 thousand. An entry is
 * only held from its second read in a row on: holding every entry cost 13 thousand more when 30,000 keys were read in
 * turn.
 */
export class EntryReader {
  readonly #known: (Known | undefined)[] = new Array(SLOTS)
  /** The key that was read last, by slot. */
  readonly #last: (string | undefined)[] = new Array(SLOTS)

  /** The entry; `undefined` when the bytes are not an entry with this key. Never throws. */
  read(key: string, bytes: unknown): CacheEntry | undefined {
    if (!Buffer.isBuffer(bytes) || bytes.length > LONGEST) return decodeEntry(key, bytes)
    const slot = slotOf(key)
    const known = this.#known[slot]
    if (known?.key === key && known.bytes.equals(bytes)) return known.entry
    const isAgain = this.#last[slot] === key
    this.#last[slot] = key
    return isAgain ? this.#remember(slot, key, bytes) : decodeEntry(key, bytes)
  }

  #remember(slot: number, key: string, bytes: Buffer): CacheEntry | undefined {
    // Copy the bytes: the client's buffer is part of a larger one, which would otherwise stay in memory, too.
    const copy = Buffer.from(bytes)
    const entry = decodeEntry(key, copy)
    this.#known[slot] = entry && { key, bytes: copy, entry: Object.freeze(entry) }
    return entry
  }

  forgetAll(): void {
    this.#known.fill(undefined)
    this.#last.fill(undefined)
  }
}

/** The slot of a key. Two keys with the same slot replace each other, with no other effect. */
function slotOf(key: string): number {
  let hash = key.length
  for (let i = Math.max(0, key.length - TAIL); i < key.length; i++) {
    hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0
  }
  return hash & (SLOTS - 1)
}
