import { hash, randomBytes } from 'node:crypto'
import { ConfigError } from '../../index.js'
import { type OptionNames, refuseUnknown } from '../../plugin/index.js'

/** The digits of base62, in the order of their ASCII codes. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The length of a checksum: six digits suffice, because 62^6 is greater than 2^32. */
const CHECKSUM_LENGTH = 6

/** 32 base62 digits contain 190 bits. `start` reveals four of the digits, so 166 bits remain secret. */
const RANDOM_LENGTH = 32
const SHOWN_LENGTH = 4

/** The length of a key after its prefix and the underscore. */
const REST_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH

/** Words of letters and digits, joined by single underscores, so that a key can be parsed in only one way. */
const PREFIX = /^(?=.{1,32}$)[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*$/
const REST = /^[0-9A-Za-z]+$/

/**
 * The largest multiple of 62 that fits in a byte. Bytes from this value on are not used, because they would make some
 * digits more frequent.
 */
const FAIR_BYTES = 248

/** Options of {@link generateApiKey}. */
export interface GenerateApiKeyOptions {
  /**
   * The prefix of the key, such as `'acme_live'`: 1 to 32 letters, digits and single underscores between them,
   * beginning with a letter.
   */
  readonly prefix: string
}

const NAMES: OptionNames<GenerateApiKeyOptions> = { prefix: true }

/** A new key. */
export interface GeneratedApiKey {
  /** The secret key. Show it once, and do not store it. */
  readonly key: string
  /** The beginning of the key, for lists: the prefix and four digits. */
  readonly start: string
  /** The SHA-256 of the key in hexadecimal, to be stored. */
  readonly hash: string
}

/**
 * Creates a key: the prefix, an underscore, 32 random base62 digits (190 bits), and a six-digit checksum, the CRC-32 of
 * all preceding characters.
 *
 * @throws ConfigError if the prefix is invalid.
 * @example
 * const { key, start, hash } = generateApiKey({ prefix: 'acme_live' })
 */
export function generateApiKey(options: GenerateApiKeyOptions): GeneratedApiKey {
  refuseUnknown('generateApiKey()', options, NAMES)
  const { prefix } = options
  const fault = faultOfPrefix(prefix)
  if (fault !== null) {
    const problem = { code: 'E_OPTION_INVALID', subject: 'generateApiKey(): prefix', ...fault }
    throw new ConfigError([problem as ConfigError['problems'][number]])
  }
  const body = `${prefix}_${randomDigits()}`
  const key = body + checksumOf(body)
  return { key, start: key.slice(0, prefix.length + 1 + SHOWN_LENGTH), hash: hashApiKey(key) }
}

/**
 * Returns the SHA-256 of a key in hexadecimal, which is stored instead of the key. A slow hash, as for passwords, is
 * not necessary, because a key has 190 random bits and cannot be guessed.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex')
}

/** Returns the problem with a prefix; `null` if it is valid. */
export function faultOfPrefix(prefix: unknown): { cause: string; remedy: string } | null {
  if (typeof prefix === 'string' && PREFIX.test(prefix)) return null
  return {
    cause: `${typeof prefix === 'string' ? `'${prefix}'` : String(prefix)} is not a valid key prefix.`,
    remedy:
      "Use 1 to 32 letters, digits and single underscores between words, and begin with a letter: 'acme_live'.",
  }
}

/**
 * Creates a function that checks whether a string has one of these prefixes, the form of a key and a valid checksum.
 * Any other string was never a key, so it needs no look-up.
 */
export function keyMatcher(prefixes: readonly string[]): (text: string) => boolean {
  const starts = prefixes.map((prefix) => `${prefix}_`)
  return function isKey(text) {
    for (const start of starts) {
      if (text.length !== start.length + REST_LENGTH || !text.startsWith(start)) continue
      const body = text.slice(0, -CHECKSUM_LENGTH)
      // The characters are checked first, because the checksum expects ASCII.
      return REST.test(text.slice(start.length)) && text.endsWith(checksumOf(body))
    }
    return false
  }
}

function randomDigits(): string {
  let digits = ''
  while (digits.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      if (byte < FAIR_BYTES && digits.length < RANDOM_LENGTH) digits += DIGITS[byte % 62]
    }
  }
  return digits
}

/** The CRC-32 of each byte value, with the reversed polynomial 0x04C11DB7 (ISO/IEC 3309). */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1
  return rest
})

/** Returns the CRC-32 of an ASCII string as six base62 digits. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < CHECKSUM_LENGTH) {
    digits = (DIGITS[rest % 62] as string) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

function crc32(text: string): number {
  let rest = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    rest = (TABLE[(rest ^ text.charCodeAt(index)) & 0xff] as number) ^ (rest >>> 8)
  }
  return (rest ^ 0xffffffff) >>> 0
}
