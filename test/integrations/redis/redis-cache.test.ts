import type { CacheEntry } from 'blazon/plugin'
import { redisCache } from 'blazon/redis'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../until.js'
import { describeWithRedis, ownPrefix, url } from './server.js'
import { entry, testContext } from './support.js'

const prefix = ownPrefix()
const MINUTE = 60_000

describeWithRedis('a cache in Redis', () => {
  const cache = redisCache({ url, prefix, timeout: '10s' })
  const redis = createClient({ url })

  beforeAll(async () => {
    await redis.connect()
    await cache.open?.(testContext().context)
  })

  afterAll(async () => {
    await cache.clear()
    await cache.close?.()
    for await (const keys of redis.scanIterator({ MATCH: `${prefix}*` })) {
      if (keys.length > 0) await redis.del(keys)
    }
    redis.destroy()
  })

  it('stores an entry without changes', async () => {
    const kept = entry('{"a":1}', {
      owner: 'acme',
      tags: [['users', 'v1']],
      headers: ['etag', '"1"'],
    })
    await cache.set('acme:users', kept, MINUTE)
    expect(await cache.get('acme:users')).toEqual(kept)
    expect(await cache.delete('acme:users')).toBe(true)
    expect(await cache.get('acme:users')).toBeUndefined()
    expect(await cache.delete('acme:users')).toBe(false)
  })

  it.each([
    ['bytes', new Uint8Array([0, 255, 13, 10])],
    ['unusual characters', 'é\u0000\u2028🦊'],
    ['half a surrogate pair', 'a\ud83e'],
    ['no characters', ''],
  ])('keeps a body of %s', async (_, body) => {
    await cache.set('body', { ...entry(''), body }, MINUTE)
    const found = await cache.get('body')
    expect(typeof body === 'string' ? found?.body : new Uint8Array(found?.body as Buffer)).toEqual(
      body,
    )
  })

  it('lets Redis delete expired entries', async () => {
    await cache.set('short', entry('1'), 1)
    await until(async () => (await redis.exists(`${prefix}cache:short`)) === 0)
    await cache.set('never', entry('1'), 0)
    await cache.set('never', entry('1'), Number.NaN)
    await cache.set('half', entry('1'), 0.5)
    expect(await redis.exists([`${prefix}cache:never`, `${prefix}cache:half`])).toBe(0)
  })

  it('clears exactly the keys with a prefix that contains special characters', async () => {
    const keys = ['a*c:1', 'abc:1', 'a?c:1', 'a[b]c:1', 'a\\*c:1', 'a^c:1', 'acme:1', 'acme-2:1']
    const clear = async (start: string) => {
      for (const key of keys) await cache.set(key, entry(key), MINUTE)
      await cache.clear(start)
      const left = await Promise.all(keys.map((key) => cache.get(key)))
      return keys.filter((_, index) => left[index] === undefined)
    }
    for (const start of ['a*', 'a?', 'a[b]', 'a\\', 'a^', 'acme:']) {
      expect(await clear(start)).toEqual(keys.filter((key) => key.startsWith(start)))
    }
    expect(await clear('')).toEqual(keys)
  })

  it('clears only its own keys if the option `prefix` contains special characters', async () => {
    const all = ['a[b]*?', 'ab12', 'a\\^', 'a^'].map((start) =>
      redisCache({ url, prefix: `${prefix}${start}:`, timeout: '10s' }),
    )
    for (const each of all) await each.open?.(testContext().context)
    for (const each of all) await each.set('key', entry('1'), MINUTE)
    for (const [index, each] of all.entries()) {
      await each.clear()
      const left = await Promise.all(all.map((other) => other.get('key')))
      expect(left.map((found) => found !== undefined)).toEqual(all.map((_, at) => at > index))
    }
    for (const each of all) await each.close?.()
  })

  it('clears more keys than one SCAN returns', async () => {
    const keys = Array.from({ length: 2500 }, (_, index) => `many:${index}`)
    await Promise.all(keys.map((key) => cache.set(key, entry('1'), MINUTE)))
    await cache.set('few:1', entry('1'), MINUTE)
    await cache.clear('many:')
    expect(await redis.keys(`${prefix}cache:many:*`)).toEqual([])
    expect(await redis.exists(`${prefix}cache:few:1`)).toBe(1)
  })

  it('never calls KEYS', async () => {
    const calls = async () => {
      const stats = await redis.info('commandstats')
      return /cmdstat_keys:calls=(\d+)/.exec(stats)?.[1]
    }
    const before = await calls()
    await cache.clear('x')
    await cache.clear()
    expect(await calls()).toBe(before)
  })

  it('limits the length of keys, but still reads and clears each key separately', async () => {
    const long = 'acme:'.padEnd(5000, 'x')
    await cache.set(`${long}1`, entry('1'), MINUTE)
    await cache.set(`${long}2`, entry('2'), MINUTE)
    expect((await cache.get(`${long}1`))?.body).toBe('1')
    expect((await cache.get(`${long}2`))?.body).toBe('2')
    expect(await cache.get(long)).toBeUndefined()
    const names = await redis.keys(`${prefix}cache:acme:x*`)
    expect(names.map((name) => name.length - prefix.length < 600)).toEqual([true, true])
    // The name of a long key in Redis is not the name of another key.
    expect(await cache.get((names[0] as string).slice(`${prefix}cache:`.length))).toBeUndefined()
    await cache.clear('acme:')
    expect(await cache.get(`${long}1`)).toBeUndefined()
  })

  it('separates keys that would have the same bytes in UTF-8', async () => {
    await cache.set('\ud800', entry('1'), MINUTE)
    expect(await cache.get('\ud801')).toBeUndefined()
  })

  it('gives each tag its own version, which no entry key overwrites', async () => {
    const [a, b] = await cache.versions(['a', 'b'])
    expect(a).not.toBe(b)
    expect(await cache.versions(['b', 'a'])).toEqual([b, a])
    await cache.set('tag:a', entry('1'), MINUTE)
    await cache.clear()
    expect(await cache.versions(['a', 'b'])).toEqual([a, b])
    await cache.invalidate(['a'])
    const [later, same] = await cache.versions(['a', 'b'])
    expect(later).not.toBe(a)
    expect(same).toBe(b)
  })

  it('creates only one version for a tag that many callers read at once', async () => {
    const other = redisCache({ url, prefix, timeout: '10s' })
    await other.open?.(testContext().context)
    const asked = Array.from({ length: 20 }, (_, i) => (i % 2 ? cache : other).versions(['new']))
    expect(new Set((await Promise.all(asked)).flat()).size).toBe(1)
    await other.close?.()
  })

  it('returns a new version of a tag after the previous version was lost', async () => {
    const [before] = await cache.versions(['lost'])
    await redis.del(`${prefix}tag:lost`)
    const [after] = await cache.versions(['lost'])
    expect(after).not.toBe(before)
    expect(await redis.pTTL(`${prefix}tag:lost`)).toBeGreaterThan(0)
  })

  it('treats an invalid entry as a miss', async () => {
    const name = `${prefix}cache:bad`
    await cache.set('old', entry('1'), MINUTE)
    const good = (await redis.withTypeMapping({ 36: Buffer }).get(`${prefix}cache:old`)) as Buffer
    const changed = (change: (bytes: Buffer) => void) => {
      const bytes = Buffer.from(good.toString('latin1').replace('old', 'bad'), 'latin1')
      change(bytes)
      return bytes
    }
    await redis.set(
      name,
      changed(() => {}),
    )
    expect((await cache.get('bad'))?.body).toBe('1')
    const values = [
      good,
      '',
      'null',
      '{"owner":null}',
      Buffer.alloc(6),
      Buffer.alloc(2_000_000, good),
      changed((bytes) => bytes.writeUInt8(9, 1)),
      changed((bytes) => bytes.writeUInt32BE(0xffffffff, 2)),
      changed((bytes) => bytes.writeUInt32BE(3, 2)),
      good.subarray(0, 20),
      frame('["bad",null,null,"value"]'),
      frame('["bad",null,7,"value","utf8",[],1,2,[]]'),
      frame('["bad",7,null,"value","utf8",[],1,2,[]]'),
      frame('["bad",null,null,"other","utf8",[],1,2,[]]'),
      frame('["bad",null,null,"value","hex",[],1,2,[]]'),
      frame('["bad",null,null,"value","utf8",["a"],1,2,[]]'),
      frame('["bad",null,null,"value","utf8",[],null,2,[]]'),
      frame('["bad",null,null,"value","utf8",[],1,2,[["a"]]]'),
      frame('{"__proto__":[]}'),
    ]
    for (const value of values) {
      await redis.set(name, value)
      expect(await cache.get('bad'), String(value).slice(0, 40)).toBeUndefined()
    }
    await redis.set(name, frame('["bad",null,null,"value","utf8",[],1,2,[]]'))
    expect((await cache.get('bad'))?.body).toBe('!')
    await redis.del(name)
    await redis.hSet(name, 'a', '1')
    expect(await cache.get('bad')).toBeUndefined()
  })

  it('returns the current entry, however often it has returned an older entry', async () => {
    const name = `${prefix}cache:again`
    const forms = [entry('1'), entry('2'), entry('2', { owner: 'acme' }), entry('10')]
    const again = async () => {
      for (let i = 0; i < 4; i++) expect(await cache.get('again')).toEqual(forms[0])
    }
    for (const form of [...forms]) {
      forms[0] = form
      await cache.set('again', form, MINUTE)
      await again()
    }
    await redis.set(name, 'no entry')
    expect(await cache.get('again')).toBeUndefined()
    await cache.set('again', forms[0] as CacheEntry, MINUTE)
    await again()
    await redis.del(name)
    expect(await cache.get('again')).toBeUndefined()
  })

  it('returns the correct entry for each of many keys, in any order of reads', async () => {
    // The keys have the same length and the same end, so that they share a slot of the entry reader.
    const keys = Array.from({ length: 30 }, (_, i) => `${String(i).padStart(6, 'x')}:product`)
    await Promise.all(keys.map((key) => cache.set(key, entry(key), MINUTE)))
    const order = [
      ...keys,
      ...keys,
      ...keys.flatMap((key) => [key, key, key]),
      ...keys.toReversed(),
    ]
    for (const key of order) expect((await cache.get(key))?.body).toBe(key)
    const tagged = await Promise.all(keys.map((key) => cache.getTagged?.(key, ['t'])))
    expect(tagged.map((found) => found?.entry?.body)).toEqual(keys)
  })

  it('does not store entries that are too long', async () => {
    const most = 1024 * 1024
    await cache.set('most', entry('x'.repeat(most)), MINUTE)
    expect((await cache.get('most'))?.body.length).toBe(most)
    await cache.set('more', entry('x'.repeat(most + 1)), MINUTE)
    await cache.set('head', entry('', { headers: ['a', 'x'.repeat(70_000)] }), MINUTE)
    expect(await redis.exists([`${prefix}cache:more`, `${prefix}cache:head`])).toBe(0)
  })
})

/** An entry with any head, and `!` as its body. */
function frame(head: string): Buffer {
  const start = Buffer.from([0xb1, 2, 0, 0, 0, Buffer.byteLength(head)])
  return Buffer.concat([start, Buffer.from(`${head}!`)])
}
