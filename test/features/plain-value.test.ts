import { describe, expect, it } from 'vitest'
import type { Capsule } from '../../src/contracts/capsule.js'
import {
  FoundSecrets,
  fromPlain,
  isTenantInHost,
  PlainValues,
  TooLargeError,
  tenantOf,
} from '../../src/features/capsules/plain-value.js'

function plainValues({ most = 1000, secret = 'hunter2' } = {}) {
  const hidden: string[] = []
  const config = {
    hide: (text: string) => text.replaceAll(secret, '[secret]'),
    isSecret: (name: string) => name === 'token',
    onHidden: (name: string) => void hidden.push(name),
  }
  return { values: new PlainValues(config, most), hidden }
}

/** The value after its way through the JSON of a capsule. */
const copyOf = (value: unknown) =>
  fromPlain(JSON.parse(JSON.stringify(plainValues().values.of(value))))

describe('a value in a capsule', () => {
  it.each<[string, unknown]>([
    ['a date', new Date(5)],
    ['bytes', Buffer.from([0, 255])],
    ['a bigint', 2n ** 70n],
    ['NaN', Number.NaN],
    ['Infinity', Number.NEGATIVE_INFINITY],
    ['undefined', undefined],
    ['null', null],
    ['a boolean', false],
    ['an empty string', ''],
    ['a list in an object', { list: [1, [undefined, new Date(7)]], map: {} }],
    ['an object whose only field has the name of a mark', { $date: 'x' }],
    ['an object with a mark beside another field', { $bytes: 1, b: new Date(1) }],
    ['an object with the mark of objects', { $object: { $undefined: 2 } }],
    ['a field with another name after a dollar sign', { $other: 1 }],
  ])('is the same after a replay: %s', (_, value) => {
    expect(copyOf(value)).toEqual(value)
  })

  it('is restored without its methods, symbols and class', () => {
    class Order {
      readonly id = 1
      readonly run = () => {}
      readonly key = Symbol('key')
    }
    const made = { toJSON: () => ({ id: 2 }) }
    expect(copyOf([new Order(), made])).toEqual([
      { id: 1, run: undefined, key: undefined },
      { id: 2 },
    ])
    expect(copyOf(new Date(Number.NaN))).toEqual(new Date(Number.NaN))
  })

  it('contains no secret in strings, numbers, bytes, bigints and names', () => {
    const { values, hidden } = plainValues({ secret: '731902' })
    const value = {
      text: 'a 731902',
      number: 731_902,
      big: 731_902n,
      bytes: Buffer.from('731902'),
      name731902: 1,
      token: { any: 'thing' },
      deep: { token: null },
    }
    expect(values.of(value)).toEqual({
      text: 'a [secret]',
      number: '[secret]',
      big: '[secret]',
      bytes: '[secret]',
      'name[secret]': 1,
      token: '[secret]',
      deep: { token: null },
    })
    expect(hidden).toEqual(['token'])
  })

  it('has a limited depth and size', () => {
    const nested = (depth: number) => {
      let value: unknown = 'x'
      for (let level = 0; level < depth; level++) value = [value]
      return value
    }
    expect(() => plainValues().values.of(nested(20))).not.toThrow()
    expect(() => plainValues().values.of(nested(21))).toThrow(TooLargeError)
    // One for each value, and its characters; bytes count twice.
    const isTaken = (value: unknown, most: number) => {
      try {
        plainValues({ most }).values.of(value)
        return true
      } catch {
        return false
      }
    }
    expect([isTaken('abc', 4), isTaken('abc', 3)]).toEqual([true, false])
    expect([isTaken(Buffer.from('abc'), 7), isTaken(Buffer.from('abc'), 6)]).toEqual([true, false])
    expect([isTaken({ ab: null }, 4), isTaken({ ab: null }, 3)]).toEqual([true, false])
  })
})

describe('the tenant of a capsule', () => {
  const capsule = (source: string, header = 'x') =>
    ({
      record: { tenant: 'acme', decisions: [{ by: 'tenant', facts: { source } }] },
      sent: { headers: [['x-tenant-id', header]] },
    }) as unknown as Capsule

  it.each<[string, Capsule, string | null, boolean]>([
    ['the host', capsule('host'), null, true],
    ['a subdomain', capsule('subdomain'), null, true],
    ['the path', capsule('path'), null, false],
    ['a header that it contains', capsule('header', 'acme'), null, false],
    ['a header that it does not contain', capsule('header', '[secret]'), 'acme', false],
    ['a claim, even if a header has the same value', capsule('claim', 'acme'), 'acme', false],
  ])('is sent again only if the request does not name it: %s', (_, given, tenant, isInHost) => {
    expect([tenantOf(given), isTenantInHost(given)]).toEqual([tenant, isInHost])
  })
})

describe('the secrets that are found by their names', () => {
  const hidden = (value: unknown, text: string) => {
    const found = new FoundSecrets('/')
    found.search(value)
    return found.hideIn(text)
  }

  it.each<[string, unknown, string, string]>([
    ['have four characters or more', { token: 'abcd', pin: 'abc' }, 'abcd abc', '[secret] abc'],
    ['can be numbers of six digits or more', { pin: 123_456 }, 'a123456', 'a[secret]'],
    ['are no numbers of five digits', { pin: 12_345 }, 'a12345', 'a12345'],
    ['can be bigints', { pin: 123_456n }, 'a123456', 'a[secret]'],
    ['can be bytes', { secret: Buffer.from('canary') }, 'a canary', 'a [secret]'],
    ['are no bytes in other fields', { photo: Buffer.from('canary') }, 'a canary', 'a canary'],
    ['can be anywhere below their name', { token: { a: ['canary'] } }, 'a canary', 'a [secret]'],
    ['can be in a list of objects', [{ id: 1 }, { token: 'canary' }], 'canary', '[secret]'],
    ['include a token after its scheme', { authorization: 'Bearer abcd' }, 'abcd', '[secret]'],
    ['do not include a short part', { authorization: 'Bearer abc' }, 'abc', 'abc'],
    ['include credentials in a URL', {}, 'pg://ada:pw@db/a', 'pg://[secret]@db/a'],
    ['do not include an address without credentials', {}, 'pg://db/a@b', 'pg://db/a@b'],
  ])('%s', (_, value, text, expected) => {
    expect(hidden(value, text)).toBe(expected)
  })

  it('are found in a secret object that was seen before as a plain one', () => {
    const shared = { value: 'canary' }
    expect(hidden({ plain: shared, token: shared }, 'canary')).toBe('[secret]')
  })

  it('are incomplete if a value is too deep', () => {
    const found = new FoundSecrets('/')
    const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)])
    found.search(nested(20))
    expect(found.isIncomplete).toBe(false)
    found.search(nested(21))
    expect(found.isIncomplete).toBe(true)
  })
})
