import { tenantKey } from 'blazon'
import { describe, expect, it } from 'vitest'

/** Numbers that look random and are the same in every run (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) % below
  }
}

describe('tenantKey', () => {
  it.each([
    ['acme', 'products', 'acme:products'],
    ['Acme-2.eu_west', 'a:b', 'Acme-2.eu_west:a:b'],
    ['a:b', 'c', 'a%3Ab:c'],
    ['a', 'b:c', 'a:b:c'],
    ['50%', 'x', '50%25:x'],
    ['{a}*?[b]\\', 'x', '%7Ba%7D%2A%3F%5Bb%5D%5C:x'],
    [' \t\n\u0000', 'x', '%20%09%0A%00:x'],
    ['ü\u{1f600}', 'x', '%C3%BC%F0%9F%98%80:x'],
    ['\ud800', 'x', '%uD800:x'],
    ['\ufffd', 'x', '%EF%BF%BD:x'],
    ['__proto__', '__proto__', '__proto__:__proto__'],
    ['', 'x', ':x'],
  ])('returns a key for the tenant %j and the key %j: %s', (tenant, key, expected) => {
    expect(tenantKey(tenant, key)).toBe(expected)
  })

  it('returns a different key for each of 10,000 hostile pairs', () => {
    const random = randomFrom(1)
    const letters = [
      'a',
      'b',
      ':',
      '%',
      '3',
      'A',
      '*',
      '{',
      '\\',
      ' ',
      'ü',
      '\ud800',
      'u',
      '\u0000',
    ]
    const word = () =>
      Array.from({ length: random(5) }, () => letters[random(letters.length)]).join('')
    const pairs = new Map<string, string>()
    for (let i = 0; i < 10_000; i++) {
      const [tenant, key] = [word(), word()]
      const full = tenantKey(tenant, key)
      const pair = JSON.stringify([tenant, key])
      expect(pairs.get(full) ?? pair).toBe(pair)
      pairs.set(full, pair)
      // The first colon is the boundary. The text before it has no character that is special to a store.
      expect(full.slice(full.indexOf(':') + 1)).toBe(key)
      expect(full.slice(0, full.indexOf(':'))).toMatch(/^[\w%]*$/)
    }
    expect(pairs.size).toBeGreaterThan(5000)
  })
})
