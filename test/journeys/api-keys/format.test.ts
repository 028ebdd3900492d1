import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { ConfigError } from 'blazon'
import { apiKeys, generateApiKey, hashApiKey } from 'blazon/keys'
import { describe, expect, it } from 'vitest'
import { usable } from '../../support.js'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A second way to the checksum: Node's CRC-32, and whole numbers. */
function checksumOf(text: string): string {
  let rest = BigInt(crc32(text))
  let digits = ''
  for (let n = 0; n < 6; n++) {
    digits = DIGITS[Number(rest % 62n)] + digits
    rest /= 62n
  }
  return digits
}

describe('a generated API key', () => {
  it('consists of its prefix, 32 random digits, and a CRC-32 checksum', () => {
    for (let n = 0; n < 500; n++) {
      const { key, start, hash } = generateApiKey({ prefix: 'acme_live' })
      expect(key).toMatch(/^acme_live_[0-9A-Za-z]{38}$/)
      expect(key.slice(-6)).toBe(checksumOf(key.slice(0, -6)))
      expect(start).toBe(key.slice(0, 'acme_live_'.length + 4))
      expect(hash).toBe(createHash('sha256').update(key).digest('hex'))
      expect(hashApiKey(key)).toBe(hash)
    }
  })

  it('uses all digits about equally often', () => {
    const counts = new Map([...DIGITS].map((digit) => [digit, 0]))
    const rounds = 4000
    for (let n = 0; n < rounds; n++) {
      for (const digit of generateApiKey({ prefix: 'a' }).key.slice(2, 34)) {
        counts.set(digit, (counts.get(digit) ?? 0) + 1)
      }
    }
    expect(counts.size).toBe(62)
    // 2065 of each are expected, with a standard deviation of 45. A plain remainder of bytes gives 2500 of some digits.
    const expected = (rounds * 32) / 62
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(8 * 45)
  })

  it('is different each time', () => {
    const keys = Array.from({ length: 1000 }, () => generateApiKey({ prefix: 'a' }).key)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it.each(['', '_', 'acme_', '_acme', 'a__b', 'äcme', 'a b', '7up', 'a'.repeat(33), 7, null])(
    'cannot have the prefix %j',
    (prefix) => {
      expect(() => generateApiKey({ prefix: prefix as string })).toThrow(ConfigError)
      expect(() => usable(apiKeys({ prefix: prefix as string, find: () => undefined }))).toThrow(
        ConfigError,
      )
    },
  )

  it.each(['constructor', 'toString', 'acme', 'acme_live_2', 'A1', 'a', 'a'.repeat(32)])(
    'can have the prefix %j',
    (prefix) => {
      expect(generateApiKey({ prefix }).key).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{38}$`))
    },
  )
})

describe('the options of apiKeys', () => {
  const find = () => undefined
  it.each([
    [undefined, 'apiKeys()'],
    [{ find }, 'apiKeys(): prefix'],
    [{ prefix: [], find }, 'apiKeys(): prefix'],
    [{ prefix: ['a', 'b_'], find }, 'apiKeys(): prefix'],
    [{ prefix: 'a' }, 'apiKeys(): find'],
    [{ prefix: 'a', find, user: 'x' }, 'apiKeys(): user'],
    [{ prefix: 'a', find, onUse: {} }, 'apiKeys(): onUse'],
    [{ prefix: 'a', find, header: 'x api key' }, 'apiKeys(): header'],
    [{ prefix: 'a', find, header: '' }, 'apiKeys(): header'],
    [{ prefix: 'a', find, scheme: 'Bearer:' }, 'apiKeys(): scheme'],
    [{ prefix: 'a', find, scheme: 'Bearer', header: 'x-api-key' }, 'apiKeys(): scheme'],
    [{ prefix: 'a', find, cacheFor: '30 seconds' }, 'apiKeys(): cacheFor'],
    [{ prefix: 'a', find, cacheFor: -1 }, 'apiKeys(): cacheFor'],
    [{ prefix: 'a', find, useInterval: Number.NaN }, 'apiKeys(): useInterval'],
    [{ prefix: 'a', find, tenant: 'acme' }, 'apiKeys(): tenant'],
    [{ prefix: 'a', find, scheme: 7 }, 'apiKeys(): scheme'],
    [null, 'apiKeys()'],
    [{ prefix: 'a', find, tennant: false }, 'apiKeys(): tennant'],
  ])('are refused if they are %j, with an error about "%s"', (options, subject) => {
    let error: unknown
    try {
      usable(apiKeys(options as unknown as Parameters<typeof apiKeys>[0]))
    } catch (thrown) {
      error = thrown
    }
    expect((error as ConfigError).problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject }])
  })
})
