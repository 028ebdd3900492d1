// [magic] [version] [length of the head, 4 bytes] [head, JSON] [body]
import type { CacheEntry } from '../../plugin/index.js'

const MAGIC = 0xb1
const VERSION = 2
const START = 6
/** The maximum size of a stored body, in bytes. */
const MAX_BODY = 1024 * 1024
const MAX_HEAD = 64 * 1024
/** The maximum size of an entry, in bytes. */
export const MAX_ENTRY: number = START + MAX_HEAD + MAX_BODY

/**
 * The encoding of a body: bytes, or a string as UTF-8. UTF-16 is used if the string contains a lone surrogate, which
 * UTF-8 would lose.
 */
type Encoding = 'bytes' | 'utf8' | 'utf16le'

type Head = readonly [
  key: string,
  owner: string | null,
  user: string | null,
  kind: CacheEntry['kind'],
  encoding: Encoding,
  headers: readonly string[],
  createdAt: number,
  freshUntil: number,
  tags: readonly (readonly [tag: string, version: string])[],
]

/** Encodes an entry with its whole key; `undefined` if the entry is too large to be stored. */
export function encodeEntry(key: string, entry: CacheEntry): Buffer | undefined {
  const { owner, user, kind, body, headers, createdAt, freshUntil, tags } = entry
  const encoding = encodingOf(body)
  const written: Head = [key, owner, user, kind, encoding, headers, createdAt, freshUntil, tags]
  const head = Buffer.from(JSON.stringify(written))
  const bytes = typeof body === 'string' ? Buffer.from(body, encoding as 'utf8') : body
  if (head.length > MAX_HEAD || bytes.length > MAX_BODY) return undefined
  const start = Buffer.alloc(START)
  start[0] = MAGIC
  start[1] = VERSION
  start.writeUInt32BE(head.length, 2)
  return Buffer.concat([start, head, bytes])
}

/** Decodes an entry; `undefined` if the bytes are not an entry with this key. Never throws. */
export function decodeEntry(key: string, bytes: unknown): CacheEntry | undefined {
  if (!Buffer.isBuffer(bytes) || bytes.length < START || bytes.length > MAX_ENTRY) return undefined
  if (bytes[0] !== MAGIC || bytes[1] !== VERSION) return undefined
  const end = START + bytes.readUInt32BE(2)
  if (end > bytes.length || end > START + MAX_HEAD) return undefined
  const head = parseHead(bytes.toString('utf8', START, end))
  if (head === undefined || head[0] !== key) return undefined
  const [, owner, user, kind, encoding, headers, createdAt, freshUntil, tags] = head
  const rest = bytes.subarray(end)
  const body = encoding === 'bytes' ? rest : rest.toString(encoding)
  return { owner, user, kind, body, headers, createdAt, freshUntil, tags }
}

function encodingOf(body: string | Uint8Array): Encoding {
  if (typeof body !== 'string') return 'bytes'
  return /\p{Surrogate}/u.test(body) ? 'utf16le' : 'utf8'
}

function parseHead(text: string): Head | undefined {
  try {
    const head: unknown = JSON.parse(text)
    return isHead(head) ? head : undefined
  } catch {
    return undefined
  }
}

function isHead(head: unknown): head is Head {
  if (!Array.isArray(head) || head.length !== 9) return false
  const [key, owner, user, kind, encoding, headers, createdAt, freshUntil, tags] = head
  return (
    isString(key) &&
    (owner === null || isString(owner)) &&
    (user === null || isString(user)) &&
    (kind === 'value' || kind === 'response') &&
    ['bytes', 'utf8', 'utf16le'].includes(encoding) &&
    isListOf(headers, isString) &&
    headers.length % 2 === 0 &&
    Number.isFinite(createdAt) &&
    Number.isFinite(freshUntil) &&
    isListOf(tags, (tag) => isListOf(tag, isString) && tag.length === 2)
  )
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[]
function isListOf(value: unknown, is: (item: unknown) => boolean): value is unknown[]
function isListOf(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is)
}

/** The number of slots, which limits the number of entries in memory. Must be a power of two. */
const SLOTS = 512
/**
 * The maximum size of an entry that is kept in memory, in bytes. With all slots in use, the bytes take at most 4 MiB,
 * plus the decoded entries.
 */
const LONGEST = 8 * 1024
/** The number of trailing characters of a key that select its slot. */
const TAIL = 8

interface Known {
  readonly key: string
  readonly bytes: Buffer
  readonly entry: CacheEntry
}

/**
 * Decodes entries, and keeps repeatedly read entries in memory: as long as Redis returns the same bytes for a key, the
 * decoded entry is reused. Comparing 250 bytes takes 1,000 instructions; decoding them takes 11,000. An entry is kept
 * only after its second consecutive read, because keeping every entry took 13,000 more instructions when 30,000 keys
 * were read in turn.
 */
export class EntryReader {
  readonly #known: (Known | undefined)[] = new Array(SLOTS)
  /** The last key that was read, by slot. */
  readonly #last: (string | undefined)[] = new Array(SLOTS)

  /** Returns the entry; `undefined` if the bytes are not an entry with this key. Never throws. */
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
    // The bytes are copied, because the client's buffer is part of a larger buffer that would otherwise stay in memory.
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

/** Returns the slot of a key. Two keys with the same slot only replace each other in memory. */
function slotOf(key: string): number {
  let hash = key.length
  for (let i = Math.max(0, key.length - TAIL); i < key.length; i++) {
    hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0
  }
  return hash & (SLOTS - 1)
}
