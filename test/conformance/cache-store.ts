import type { CacheEntry, CacheStore } from 'blazon'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** A store that was opened, empty. */
export interface StoreUnderTest {
  readonly store: CacheStore
  /** Lets so many milliseconds pass for the store, or more. */
  pass(ms: number): Promise<void>
  /** Closes it, and forgets what it kept. */
  end(): Promise<void>
}

const HOUR = 3_600_000

/** Strings that separate, glob, hash, escape or inherit in some medium. */
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

/** An entry of now, with what is said. */
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

/** An entry in a form that says nothing of the class of its bytes. */
function plain(entry: CacheEntry | undefined) {
  if (entry === undefined) return undefined
  const body = typeof entry.body === 'string' ? entry.body : [...entry.body]
  return { ...entry, body, tags: entry.tags.map(([tag, version]) => [tag, version]) }
}

/** What every store does, wherever it keeps things. */
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
      it('give back the whole entry', async () => {
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

      it('know nothing of what was never set', async () => {
        for (const key of HOSTILE) expect(await store.get(key)).toBeUndefined()
      })

      it('tell hostile keys apart', async () => {
        await fill(HOSTILE)
        for (const key of HOSTILE) expect(await bodyOf(key)).toBe(JSON.stringify(key))
      })

      it('replace everything that was there', async () => {
        const tags = [['a', '1']] as const
        await store.set('key', entryOf({ owner: 'a', headers: ['A', 'b'], tags }), HOUR)
        await store.set('key', entryOf({ owner: null, body: '2' }), HOUR)
        expect(plain(await store.get('key'))).toEqual(plain(entryOf({ body: '2' })))
      })

      it.each([
        ['nothing', []],
        ['every byte', Array.from({ length: 256 }, (_, byte) => byte)],
        ['what is no UTF-8', [0xc3, 0x28, 0xff, 0xfe, 0x00]],
        ['what looks like text', [...Buffer.from('"text"')]],
      ])('keep bytes: %s', async (_, bytes) => {
        await store.set('key', entryOf({ kind: 'response', body: Uint8Array.from(bytes) }), HOUR)
        const body = await bodyOf('key')
        expect(body).toBeInstanceOf(Uint8Array)
        expect([...(body as Uint8Array)]).toEqual(bytes)
      })

      it('keep text as text, an empty one and a megabyte of it', async () => {
        for (const body of ['', '"', 'ü'.repeat(512 * 1024)]) {
          await store.set('key', entryOf({ body }), HOUR)
          expect(await bodyOf('key')).toBe(body)
        }
      })

      it('do not see what the writer does to the entry later', async () => {
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

      it('can be used by many at once', async () => {
        const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`)
        await Promise.all(keys.map((key) => store.set(key, entryOf({ body: key }), HOUR)))
        expect(await Promise.all(keys.map(bodyOf))).toEqual(keys)
        const writes = keys.map((body) => store.set('one', entryOf({ body }), HOUR))
        await Promise.all(writes)
        expect(keys).toContain(await bodyOf('one'))
      })
    })

    describe('time', () => {
      it('ends what was kept for less', async () => {
        await store.set('short', entryOf({ body: 'short' }), 50)
        await store.set('long', entryOf({ body: 'long' }), HOUR)
        await made.pass(51)
        expect(await bodyOf('short')).toBeUndefined()
        expect(await bodyOf('long')).toBe('long')
        expect(await store.delete('short')).toBe(false)
      })

      it('begins anew with each write', async () => {
        await store.set('a', entryOf({ body: '1' }), 50)
        await store.set('a', entryOf({ body: '2' }), HOUR)
        await store.set('b', entryOf({ body: '1' }), HOUR)
        await store.set('b', entryOf({ body: '2' }), 50)
        await made.pass(51)
        expect(await bodyOf('a')).toBe('2')
        expect(await bodyOf('b')).toBeUndefined()
      })

      it('may be a part of a millisecond', async () => {
        await store.set('a', entryOf(), 0.4)
        await made.pass(2)
        expect(await store.get('a')).toBeUndefined()
      })

      it('is the store’s: an entry that is stale is still given', async () => {
        await store.set('a', entryOf({ freshUntil: 1_700_000_000_000 }), HOUR)
        expect(await store.get('a')).toBeDefined()
      })
    })

    describe('delete', () => {
      it('forgets one key, and says whether there was something', async () => {
        await fill(HOSTILE)
        for (const [i, key] of HOSTILE.entries()) {
          expect(await store.delete(key)).toBe(true)
          expect(await store.delete(key)).toBe(false)
          expect(await kept(HOSTILE)).toEqual(HOSTILE.slice(i + 1))
        }
      })
    })

    describe('clear', () => {
      it('forgets everything', async () => {
        await fill(HOSTILE)
        await store.clear()
        expect(await kept(HOSTILE)).toEqual([])
        await fill(['after'])
        expect(await kept(['after'])).toEqual(['after'])
      })

      it('forgets what begins with a prefix, letter by letter', async () => {
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

      it.each(HOSTILE)('takes a prefix for what it is: %j', async (prefix) => {
        const own = [prefix, `${prefix}a`, `${prefix}*`]
        const others = ['other', 'xa', 'ba', 'aa', '-', `x${prefix}`].filter(
          (key) => !key.startsWith(prefix),
        )
        await fill([...own, ...others])
        await store.clear(prefix)
        expect(await kept([...own, ...others])).toEqual(others)
      })

      it('reaches many keys', async () => {
        const keys = Array.from({ length: 1500 }, (_, i) => `many:${i}`)
        await Promise.all(keys.map((key) => store.set(key, entryOf(), HOUR)))
        await fill(['manyone'])
        await store.clear('many:')
        expect(await kept([...keys, 'manyone'])).toEqual(['manyone'])
      })
    })

    describe('versions and invalidate', () => {
      it('give each tag a worth, in order, that stays', async () => {
        const tags = [...HOSTILE, '']
        const first = await store.versions(tags)
        expect(first).toHaveLength(tags.length)
        for (const version of first) expect(version).toEqual(expect.any(String))
        expect(await store.versions(tags)).toEqual(first)
        expect(await store.versions([...tags].reverse())).toEqual([...first].reverse())
        expect(await store.versions([])).toEqual([])
      })

      it('come with an entry where they are asked for together', async () => {
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

      it('change those that are named, and no other', async () => {
        for (const tag of HOSTILE) {
          const before = await store.versions(HOSTILE)
          await store.invalidate([tag])
          const after = await store.versions(HOSTILE)
          const changed = HOSTILE.filter((_, i) => before[i] !== after[i])
          expect(changed).toEqual([tag])
        }
      })

      it('never give an old worth again', async () => {
        const seen = new Set<string>()
        for (let round = 0; round < 50; round++) {
          const [version] = await store.versions(['tag'])
          expect(seen).not.toContain(version)
          seen.add(version as string)
          await store.invalidate(['tag', 'other', 'tag'])
        }
      })

      it('give a tag a new worth that was invalidated before it was seen', async () => {
        await store.invalidate(['tag'])
        const [version] = await store.versions(['tag'])
        await store.invalidate(['tag'])
        expect(await store.versions(['tag'])).not.toEqual([version])
      })

      it('give one worth to all who ask at once', async () => {
        const answers = await Promise.all(Array.from({ length: 50 }, () => store.versions(['new'])))
        expect(new Set(answers.flat()).size).toBe(1)
        await store.invalidate([])
        expect(await store.versions(['new'])).toEqual(answers[0])
      })

      it('do not touch keys, nor keys tags', async () => {
        await fill(['tag'])
        const [before] = await store.versions(['tag'])
        await store.invalidate(['tag'])
        expect(await kept(['tag'])).toEqual(['tag'])
        const [after] = await store.versions(['tag'])
        await store.delete('tag')
        expect(await store.versions(['tag'])).toEqual([after])
        expect(after).not.toBe(before)
      })

      it('outdate everything that was made under a tag, also once all is cleared', async () => {
        const [before] = await store.versions(['tag'])
        await store.invalidate(['tag'])
        await store.clear()
        expect(await store.versions(['tag'])).not.toContain(before)
      })
    })
  })
}
