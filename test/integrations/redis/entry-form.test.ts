import type { CacheEntry } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'
import {
  decodeEntry,
  EntryReader,
  encodeEntry,
} from '../../../src/integrations/redis/entry-codec.js'
import { Keys } from '../../../src/integrations/redis/keys.js'
import { Pending } from '../../../src/integrations/redis/pending.js'

const entryOf = (more: Partial<CacheEntry> = {}): CacheEntry => ({
  owner: null,
  user: null,
  kind: 'response',
  body: '{}',
  headers: ['Content-Type', 'application/json'],
  createdAt: 1,
  freshUntil: 2,
  tags: [['a', '1']],
  ...more,
})

describe('an encoded entry', () => {
  it.each<[string, Partial<CacheEntry>]>([
    ['text', { body: 'größer ✓ 😀' }],
    ['half a character', { body: 'a\ud800b' }],
    ['bytes that are not text', { body: Buffer.from([0xff, 0x00, 0xb1]) }],
    ['an empty body', { body: '' }],
    ['an owner and a user', { owner: 'acme', user: 'user.id=n1' }],
    ['a value', { kind: 'value', headers: [], tags: [] }],
  ])('is read unchanged: %s', (_, more) => {
    const entry = entryOf(more)
    const bytes = encodeEntry('key', entry) as Buffer
    const read = decodeEntry('key', bytes)
    expect(read).toEqual(entry)
    expect(decodeEntry('other', bytes)).toBeUndefined()
  })

  it('is read unchanged: 1 MiB', () => {
    const body = Buffer.alloc(1024 * 1024, 1)
    const read = decodeEntry('key', encodeEntry('key', entryOf({ body })) as Buffer)
    // Faster than a comparison of a million numbers.
    expect(body.equals(read?.body as Buffer)).toBe(true)
  })

  it('is not created if the body or the rest of the entry is too large', () => {
    const mebibyte = 1024 * 1024
    expect(encodeEntry('key', entryOf({ body: Buffer.alloc(mebibyte + 1) }))).toBeUndefined()
    expect(encodeEntry('key', entryOf({ body: 'é'.repeat(mebibyte / 2 + 1) }))).toBeUndefined()
    const head = (length: number) => entryOf({ user: 'x'.repeat(length), body: '' })
    const rest = (encodeEntry('key', head(0)) as Buffer).length - 6
    expect(encodeEntry('key', head(64 * 1024 - rest))).toHaveLength(6 + 64 * 1024)
    expect(encodeEntry('key', head(64 * 1024 - rest + 1))).toBeUndefined()
  })

  it.each<[string, (bytes: Buffer) => unknown]>([
    ['no bytes', () => null],
    ['text', (bytes) => String(bytes)],
    ['only its first five bytes', (bytes) => bytes.subarray(0, 5)],
    ['only half of its head', (bytes) => bytes.subarray(0, 20)],
    ['another format', (bytes) => bytes.fill(0x7b, 0, 1)],
    ['another version', (bytes) => bytes.fill(1, 1, 2)],
    ['a head that is shorter than its length field', (bytes) => bytes.fill(0xff, 2, 6)],
    ['a head that is not JSON', (bytes) => bytes.fill(0x20, 6, 7)],
    ['more than the largest entry', (bytes) => Buffer.concat([bytes, Buffer.alloc(1_200_000)])],
  ])('is rejected in a changed form: %s', (_, change) => {
    const bytes = encodeEntry('key', entryOf()) as Buffer
    expect(decodeEntry('key', change(bytes))).toBeUndefined()
  })

  it('is read again when it has changed, however often it was read before', () => {
    const reader = new EntryReader()
    const [first, second] = ['one', 'two'].map((body) => encodeEntry('key', entryOf({ body })))
    for (let round = 0; round < 4; round++) expect(reader.read('key', first)?.body).toBe('one')
    for (let round = 0; round < 4; round++) expect(reader.read('key', second)?.body).toBe('two')
    expect(reader.read('key', first)?.body).toBe('one')
    expect(reader.read('key', null)).toBeUndefined()
    expect(reader.read('other', first)).toBeUndefined()
    reader.forgetAll()
    expect(reader.read('key', second)?.body).toBe('two')
  })

  it('is read again when the client has reused its buffer for another entry', () => {
    const reader = new EntryReader()
    const [first, second] = ['one', 'two'].map((body) => encodeEntry('key', entryOf({ body })))
    const buffer = Buffer.from(first as Buffer)
    for (let round = 0; round < 3; round++) expect(reader.read('key', buffer)?.body).toBe('one')
    buffer.set(second as Buffer)
    expect(reader.read('key', buffer)?.body).toBe('two')
  })

  it('cannot be changed by a reader if it is kept in memory', () => {
    const reader = new EntryReader()
    const bytes = encodeEntry('key', entryOf())
    for (let round = 0; round < 2; round++) reader.read('key', bytes)
    expect(Object.isFrozen(reader.read('key', bytes))).toBe(true)
    expect(reader.read('key', bytes)).toBe(reader.read('key', bytes))
  })

  it.each<[string, (head: unknown[]) => void]>([
    ['an expiry that is null', (head) => head.splice(7, 1, null)],
    ['a creation time as text', (head) => head.splice(6, 1, '1')],
    ['a user that is a number', (head) => head.splice(2, 1, 7)],
    ['a tag with three parts', (head) => head.splice(8, 1, [['a', '1', 'b']])],
    ['a tag whose version is a number', (head) => head.splice(8, 1, [['a', 1]])],
    ['a header that is a number', (head) => head.splice(5, 1, ['a', 1])],
    ['no tags', (head) => head.pop()],
    ['one part too many', (head) => head.push(1)],
  ])('is rejected with %s', (_, change) => {
    const bytes = encodeEntry('key', entryOf()) as Buffer
    const end = 6 + bytes.readUInt32BE(2)
    const rewritten = (edit: (head: unknown[]) => void) => {
      const list = JSON.parse(bytes.toString('utf8', 6, end))
      edit(list)
      const head = Buffer.from(JSON.stringify(list))
      const start = Buffer.from(bytes.subarray(0, 6))
      start.writeUInt32BE(head.length, 2)
      return Buffer.concat([start, head, bytes.subarray(end)])
    }
    expect(
      decodeEntry(
        'key',
        rewritten(() => {}),
      ),
    ).toEqual(entryOf())
    expect(decodeEntry('key', rewritten(change))).toBeUndefined()
  })
})

describe('key names in Redis', () => {
  const keys = new Keys('p:')
  const name = (key: string) => keys.entry(key)

  it('contain the prefix and the kind', () => {
    expect([name('k'), keys.tag('k'), keys.limit('k'), keys.origin]).toEqual([
      'p:cache:k',
      'p:tag:k',
      'p:limit:k',
      'p:origin',
    ])
    expect([keys.session('k'), keys.sessionsOf('k'), keys.idempotency('k')]).toEqual([
      'p:session:k',
      'p:sessions:k',
      'p:idempotency:k',
    ])
  })

  it.each(['tag', 'limit', 'sessionsOf'] as const)('are shortened for each kind: %s', (kind) => {
    const long = 'x'.repeat(600)
    expect(keys[kind](long)).toMatch(/^p:\w+:x{512}#[\w-]{43}$/)
    expect(keys[kind]('\ud800')).not.toBe(keys[kind]('\ud801'))
  })

  it('are shortened from 513 bytes on, and stay different', () => {
    const long = 'x'.repeat(512)
    expect(name(long)).toBe(`p:cache:${long}`)
    expect(name(`${long}a`)).toMatch(/^p:cache:x{512}#[\w-]{43}$/)
    expect(name(`${long}a`)).not.toBe(name(`${long}b`))
    const wide = 'é'.repeat(256)
    expect(name(wide)).toBe(`p:cache:${wide}`)
    expect(name(`${wide}é`)).toMatch(/^p:cache:é{257}#[\w-]{43}$/)
    expect(name(`${wide}é`)).not.toBe(name(`${wide}è`))
  })

  it('are different for lone surrogates, which UTF-8 cannot represent', () => {
    const halves = ['a\ud800', 'a\udc00', 'a\ufffd', 'a\ufffdd800;', 'a']
    const names = halves.map((each) => Buffer.from(name(each)).toString())
    expect(new Set(names).size).toBe(halves.length)
  })

  it.each(['*', '?', '[', ']', '\\', '^'])('match only themselves in a pattern: %s', (special) => {
    expect(keys.pattern(`a${special}b${special}`)).toBe(`p:cache:a\\${special}b\\${special}*`)
  })

  it('start with their pattern, however long they are', () => {
    const long = 'y'.repeat(600)
    const pattern = keys.pattern(long)
    expect(pattern).toBe(`p:cache:${'y'.repeat(512)}*`)
    expect(name(`${long} more`).startsWith(pattern.slice(0, -1))).toBe(true)
    expect(name('\ud800 more').startsWith(keys.pattern('\ud800').slice(0, -1))).toBe(true)
  })
})

describe('pending deletions for Redis', () => {
  const everything = 'p:cache:*'

  it('are taken once, without duplicates', () => {
    const pending = new Pending(everything)
    pending.add({ keys: ['a', 'b', 'a'], patterns: ['x*'] })
    expect(pending.isEmpty).toBe(false)
    expect(pending.take()).toEqual({ keys: ['a', 'b'], patterns: ['x*'] })
    expect(pending.isEmpty).toBe(true)
    expect(pending.take()).toEqual({ keys: [], patterns: [] })
    pending.add({ patterns: ['y*'] })
    expect(pending.isEmpty).toBe(false)
  })

  it('cause the deletion of all entries if there are too many', () => {
    const some = (count: number, end = '') => Array.from({ length: count }, (_, i) => `${i}${end}`)
    const pending = new Pending(everything)
    pending.add({ keys: some(10_000), patterns: some(100, '*') })
    expect(pending.take()).toMatchObject({ keys: { length: 10_000 }, patterns: { length: 100 } })
    for (const batch of [{ keys: some(10_001) }, { patterns: some(101, '*') }]) {
      pending.add(batch)
      pending.add({ keys: ['later'], patterns: ['later*'] })
      expect(pending.take()).toEqual({ keys: [], patterns: [everything] })
    }
    pending.add({ keys: ['after'] })
    expect(pending.take()).toEqual({ keys: ['after'], patterns: [] })
  })
})
