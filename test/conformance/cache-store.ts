import type { CacheStore } from 'blazon'
import type { CacheEntry } from 'blazon/plugin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** An open store without entries. */
export interface StoreUnderTest {
  readonly store: CacheStore
  /** Lets at least this number of milliseconds pass for the store. */
  pass(ms: number): Promise<void>
  /** Closes the store and removes its entries. */
  end(): Promise<void>
}

const HOUR = 3_600_000

/** Strings with a special meaning in Redis, URLs, SQL, file paths or JavaScript objects. */
const HOSTILE = [
  'plain',
  'a:b:c',
  ':',
  '::',
  'a:',
  ':a',
  '*',
  '?',
  'a*',
  '[a-z]',
  '[^a]',
  '{a}:b',
  '{a}',
  '}{',
  '\\*',
  '\\',
  '%',
  '%3A',
  ' ',
  'a b',
  '\r\nDEL x\r\n',
  '\u0000',
  'a\u0000b',
  'ü',
  'u\u0308',
  '\u{1f600}',
  '\ud800',
  '\udc00',
  '\ufffd',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '0',
  '-1',
  'null',
  'undefined',
  '"quoted"',
  "'; DROP TABLE entries; --",
  '../../etc/passwd',
  `long:${'x'.repeat(10_000)}`,
  `long:${'x'.repeat(9_999)}y`,
]

/** An entry with these fields, and defaults for all others. */
export function entryOf(fields: Partial<CacheEntry> = {}): CacheEntry {
  const createdAt = 1_700_000_000_000
  return {
    owner: null,
    user: null,
    kind: 'value',
    body: '"body"',
    headers: [],
    createdAt,
    freshUntil: createdAt + HOUR,
    tags: [],
    ...fields,
  }
}

/** An entry whose bytes are a list of numbers, so that `Buffer` and `Uint8Array` are equal. */
function plain(entry: CacheEntry | undefined) {
  if (entry === undefined) return undefined
  const body = typeof entry.body === 'string' ? entry.body : [...entry.body]
  return { ...entry, body, tags: entry.tags.map(([tag, version]) => [tag, version]) }
}

/** The conformance suite of `CacheStore`. */
export function describeCacheStore(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name} as a CacheStore`, () => {
    let store: CacheStore
    let made: StoreUnderTest
    beforeEach(async () => {
      made = await makeStore()
      store = made.store
    })
    afterEach(() => made.end())

    const bodyOf = async (key: string) => (await store.get(key))?.body
    const fill = async (keys: readonly string[]) => {
      for (const key of keys) await store.set(key, entryOf({ body: JSON.stringify(key) }), HOUR)
    }
    const kept = async (keys: readonly string[]) => {
      const bodies = await Promise.all(keys.map(bodyOf))
      return keys.filter((_, i) => bodies[i] !== undefined)
    }

    describe('get and set', () => {
      it('return the complete stored entry', async () => {
        const entry = entryOf({
          owner: 'acme:2 ü',
          kind: 'response',
          body: '{"a":"ü\\u0000\u{1f600}"}',
          headers: ['Content-Type', 'text/plain', 'X-Odd', '', 'X-Odd', 'a: b, "c"'],
          freshUntil: 1_700_000_000_123,
          tags: [
            ['a:b', '7'],
            ['', '8'],
          ],
        })
        await store.set('key', entry, HOUR)
        expect(plain(await store.get('key'))).toEqual(plain(entry))
      })

      it('return undefined for a key that was never set', async () => {
        for (const key of HOSTILE) expect(await store.get(key)).toBeUndefined()
      })

      it('distinguish keys with special characters', async () => {
        await fill(HOSTILE)
        for (const key of HOSTILE) expect(await bodyOf(key)).toBe(JSON.stringify(key))
      })

      it('replace every field of the previous entry', async () => {
        const tags = [['a', '1']] as const
        await store.set('key', entryOf({ owner: 'a', headers: ['A', 'b'], tags }), HOUR)
        await store.set('key', entryOf({ owner: null, body: '2' }), HOUR)
        expect(plain(await store.get('key'))).toEqual(plain(entryOf({ body: '2' })))
      })

      it.each([
        ['no bytes', []],
        ['every byte', Array.from({ length: 256 }, (_, byte) => byte)],
        ['bytes that are not UTF-8', [0xc3, 0x28, 0xff, 0xfe, 0x00]],
        ['bytes that look like text', [...Buffer.from('"text"')]],
      ])('return a body of bytes unchanged: %s', async (_, bytes) => {
        await store.set('key', entryOf({ kind: 'response', body: Uint8Array.from(bytes) }), HOUR)
        const body = await bodyOf('key')
        expect(body).toBeInstanceOf(Uint8Array)
        expect([...(body as Uint8Array)]).toEqual(bytes)
      })

      it('return a string body as a string, whether it is empty or a megabyte long', async () => {
        for (const body of ['', '"', 'ü'.repeat(512 * 1024)]) {
          await store.set('key', entryOf({ body }), HOUR)
          expect(await bodyOf('key')).toBe(body)
        }
      })

      it('return the stored entry even if the caller changes its object after set()', async () => {
        const body = Uint8Array.from([1, 2, 3])
        const headers = ['A', 'b']
        const tags: [string, string][] = [['t', '1']]
        const user = 'user.id=sada;iss=sx'
        const entry = { ...entryOf({ kind: 'response' }), user, body, headers, tags }
        await store.set('key', entry, HOUR)
        body.fill(9)
        headers.push('C', 'd')
        tags.push(['u', '2'])
        Object.assign(entry, { owner: 'somebody', user: null })
        expect(plain(await store.get('key'))).toEqual({
          ...entryOf({ kind: 'response' }),
          user: 'user.id=sada;iss=sx',
          body: [1, 2, 3],
          headers: ['A', 'b'],
          tags: [['t', '1']],
        })
      })

      it('store and return 200 entries concurrently', async () => {
        const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`)
        await Promise.all(keys.map((key) => store.set(key, entryOf({ body: key }), HOUR)))
        expect(await Promise.all(keys.map(bodyOf))).toEqual(keys)
        const writes = keys.map((body) => store.set('one', entryOf({ body }), HOUR))
        await Promise.all(writes)
        expect(keys).toContain(await bodyOf('one'))
      })
    })

    describe('the time to live', () => {
      it('removes only its own entry when it ends', async () => {
        await store.set('short', entryOf({ body: 'short' }), 50)
        await store.set('long', entryOf({ body: 'long' }), HOUR)
        await made.pass(51)
        expect(await bodyOf('short')).toBeUndefined()
        expect(await bodyOf('long')).toBe('long')
        expect(await store.delete('short')).toBe(false)
      })

      it('starts again with each write', async () => {
        await store.set('a', entryOf({ body: '1' }), 50)
        await store.set('a', entryOf({ body: '2' }), HOUR)
        await store.set('b', entryOf({ body: '1' }), HOUR)
        await store.set('b', entryOf({ body: '2' }), 50)
        await made.pass(51)
        expect(await bodyOf('a')).toBe('2')
        expect(await bodyOf('b')).toBeUndefined()
      })

      it('may be shorter than a millisecond', async () => {
        await store.set('a', entryOf(), 0.4)
        await made.pass(2)
        expect(await store.get('a')).toBeUndefined()
      })

      it('does not depend on freshUntil: a stale entry is still returned', async () => {
        await store.set('a', entryOf({ freshUntil: 1_700_000_000_000 }), HOUR)
        expect(await store.get('a')).toBeDefined()
      })
    })

    describe('delete', () => {
      it('removes one key and returns whether it had an entry', async () => {
        await fill(HOSTILE)
        for (const [i, key] of HOSTILE.entries()) {
          expect(await store.delete(key)).toBe(true)
          expect(await store.delete(key)).toBe(false)
          expect(await kept(HOSTILE)).toEqual(HOSTILE.slice(i + 1))
        }
      })
    })

    describe('clear', () => {
      it('removes every entry', async () => {
        await fill(HOSTILE)
        await store.clear()
        expect(await kept(HOSTILE)).toEqual([])
        await fill(['after'])
        expect(await kept(['after'])).toEqual(['after'])
      })

      it('removes only the keys that begin with the given prefix', async () => {
        const keys = [
          'acme:a',
          'acme:b:c',
          'acme:',
          'acme',
          'acme-2:a',
          'Acme:a',
          'x:acme:a',
          'acm',
        ]
        await fill(keys)
        await store.clear('acme:')
        expect(await kept(keys)).toEqual(['acme', 'acme-2:a', 'Acme:a', 'x:acme:a', 'acm'])
        await store.clear('nobody:')
        expect(await kept(keys)).toHaveLength(5)
      })

      it.each(HOSTILE)('treats the prefix as plain text: %j', async (prefix) => {
        const own = [prefix, `${prefix}a`, `${prefix}*`]
        const others = ['other', 'xa', 'ba', 'aa', '-', `x${prefix}`].filter(
          (key) => !key.startsWith(prefix),
        )
        await fill([...own, ...others])
        await store.clear(prefix)
        expect(await kept([...own, ...others])).toEqual(others)
      })

      it('removes 1500 keys with one prefix', async () => {
        const keys = Array.from({ length: 1500 }, (_, i) => `many:${i}`)
        await Promise.all(keys.map((key) => store.set(key, entryOf(), HOUR)))
        await fill(['manyone'])
        await store.clear('many:')
        expect(await kept([...keys, 'manyone'])).toEqual(['manyone'])
      })
    })

    describe('versions and invalidate', () => {
      it('return a stable version for each tag, in the order of the tags', async () => {
        const tags = [...HOSTILE, '']
        const first = await store.versions(tags)
        expect(first).toHaveLength(tags.length)
        for (const version of first) expect(version).toEqual(expect.any(String))
        expect(await store.versions(tags)).toEqual(first)
        expect(await store.versions([...tags].reverse())).toEqual([...first].reverse())
        expect(await store.versions([])).toEqual([])
      })

      it('return the same versions as getTagged() returns with an entry', async () => {
        const read = async (key: string, tags: readonly string[]) =>
          store.getTagged === undefined
            ? { entry: await store.get(key), versions: await store.versions(tags) }
            : store.getTagged(key, tags)
        await fill(HOSTILE)
        for (const key of HOSTILE) {
          const { entry, versions } = await read(key, HOSTILE)
          expect(entry?.body).toBe(JSON.stringify(key))
          expect(versions).toEqual(await store.versions(HOSTILE))
        }
        const { entry, versions } = await read('none', ['new', 'newer'])
        expect(entry).toBeUndefined()
        expect(versions).toEqual(await store.versions(['new', 'newer']))
        await store.invalidate(['new'])
        const later = await read('plain', ['newer', 'new'])
        expect(later.versions[0]).toBe(versions[1])
        expect(later.versions[1]).not.toBe(versions[0])
        expect(await read('plain', [])).toMatchObject({ entry: expect.anything(), versions: [] })
      })

      it('change only the version of the named tag', async () => {
        for (const tag of HOSTILE) {
          const before = await store.versions(HOSTILE)
          await store.invalidate([tag])
          const after = await store.versions(HOSTILE)
          const changed = HOSTILE.filter((_, i) => before[i] !== after[i])
          expect(changed).toEqual([tag])
        }
      })

      it('never return an earlier version again', async () => {
        const seen = new Set<string>()
        for (let round = 0; round < 50; round++) {
          const [version] = await store.versions(['tag'])
          expect(seen).not.toContain(version)
          seen.add(version as string)
          await store.invalidate(['tag', 'other', 'tag'])
        }
      })

      it('change the version of a tag that was invalidated before its first read', async () => {
        await store.invalidate(['tag'])
        const [version] = await store.versions(['tag'])
        await store.invalidate(['tag'])
        expect(await store.versions(['tag'])).not.toEqual([version])
      })

      it('return the same version to 50 concurrent first reads of a tag', async () => {
        const answers = await Promise.all(Array.from({ length: 50 }, () => store.versions(['new'])))
        expect(new Set(answers.flat()).size).toBe(1)
        await store.invalidate([])
        expect(await store.versions(['new'])).toEqual(answers[0])
      })

      it('distinguish a tag from a key with the same name', async () => {
        await fill(['tag'])
        const [before] = await store.versions(['tag'])
        await store.invalidate(['tag'])
        expect(await kept(['tag'])).toEqual(['tag'])
        const [after] = await store.versions(['tag'])
        await store.delete('tag')
        expect(await store.versions(['tag'])).toEqual([after])
        expect(after).not.toBe(before)
      })

      it('never return the version from before an invalidation, even after clear()', async () => {
        const [before] = await store.versions(['tag'])
        await store.invalidate(['tag'])
        await store.clear()
        expect(await store.versions(['tag'])).not.toContain(before)
      })
    })
  })
}
