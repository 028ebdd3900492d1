import { ConflictError, ServiceUnavailableError } from 'blazon'
import { type ApiKeyRecord, apiKeys, generateApiKey } from 'blazon/keys'
import type { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { rounds } from '../../rounds.js'
import { turns } from '../turns.js'
import {
  Keys,
  Lines,
  listening,
  OrdersController,
  startWith,
  statusOfLines,
  statusWith,
} from './support.js'

const ROUNDS = rounds(1_000_000, 10_000)

/** A generator of numbers with a seed (xorshift32). */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

/** The guard of an application, called without one: a million requests through sockets would take minutes. */
async function guardOf(keys: Keys) {
  const guard = apiKeys({ prefix: ['acme_live', 'acme'], find: keys.find })
  const app = await startWith({ find: keys.find }, { auth: { guard } })
  const own = await guard.forApplication({ get: (token) => app.get(token), logger: new Lines() })
  return (key: string) => own.canActivate({ headers: { 'x-api-key': key }, rawHeaders: [] })
}

describe('a string that is not a valid key', () => {
  it(`causes no lookup in the store: ${ROUNDS} random strings`, async () => {
    const keys = new Keys()
    const check = await guardOf(keys)
    const next = numbers(7)
    const letters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('')
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const text = (from: string, length: number) => {
      let made = ''
      while (made.length < length) made += from[next(from.length)]
      return made
    }
    const kinds = [
      () => text(letters, next(100)),
      () => `acme_live_${text(letters, 38)}`,
      () => `acme_live_${text(digits, 38)}`,
      () => `acme_${text(digits, 38)}`,
    ]
    const accepted: unknown[] = []
    for (let n = 0; n < ROUNDS; n++) {
      const verdict = check((kinds[n % kinds.length] as () => string)())
      if (verdict !== false) accepted.push(verdict)
    }
    expect(accepted).toEqual([])
    expect(keys.lookedUp).toEqual([])
    expect(await check(keys.add())).toBe(true)
    expect(keys.lookedUp).toHaveLength(1)
  })

  it('is refused without a lookup if it is a valid key with a single typing error', async () => {
    const keys = new Keys()
    const check = await guardOf(keys)
    const key = keys.add()
    for (let at = 0; at < key.length; at++) {
      const [before, after] = [key.slice(0, at), key.slice(at + 1)]
      const changed = [...'09AZaz_- é\u0000'].map((other) => before + other + after)
      const swapped = before + after.slice(0, 1) + key[at] + after.slice(1)
      for (const typo of [...changed, before + after, `${before}0${key.slice(at)}`, swapped]) {
        if (typo !== key) expect([typo, check(typo)]).toEqual([typo, false])
      }
    }
    expect(keys.lookedUp).toEqual([])
  })

  it('is refused without a lookup if it is very long, empty, not ASCII, or the name of a built-in property', async () => {
    const keys = new Keys()
    const check = await guardOf(keys)
    const key = keys.add()
    const texts = [
      '',
      ' ',
      'a'.repeat(1_000_000),
      key.repeat(10_000),
      `${key}\n`,
      `${key}\u0000`,
      key.replace(/\d/, '٣'),
      `acme_live_${'Ａ'.repeat(38)}`,
      `acme_live_${'😀'.repeat(19)}`,
      '__proto__',
      'constructor',
      `acme_live_${'__proto__'.repeat(5).slice(0, 38)}`,
      key.toUpperCase(),
      key.slice('acme_live_'.length),
    ]
    expect(texts.map(check)).toEqual(texts.map(() => false))
    expect(keys.lookedUp).toEqual([])
  })

  it('is refused without a lookup when it is sent through a socket', async () => {
    const keys = new Keys()
    const guard = apiKeys({ prefix: 'acme_live', find: keys.find })
    const port = await listening({ controllers: [OrdersController], auth: { guard } })
    const key = keys.add()
    const bad = [`${key}x`, key.slice(1), `\u00e9${key}`, `"${key}"`, `${key};`, 'x'.repeat(8000)]
    for (const value of bad) expect(await statusOfLines(port, [`x-api-key: ${value}`])).toBe(401)
    expect(keys.lookedUp).toEqual([])
  })
})

describe('the store of API keys', () => {
  const other = generateApiKey({ prefix: 'acme_live' })
  const { key, hash } = generateApiKey({ prefix: 'acme_live' })
  const good = { id: 'one', hash }

  it.each<[string, unknown]>([
    ['the record of another key', { id: 'other', hash: other.hash }],
    ['a record without a hash', { id: 'one' }],
    ['the hash in capitals', { id: 'one', hash: hash.toUpperCase() }],
    ['a hash of the same length that is not ASCII', { id: 'one', hash: 'é'.repeat(64) }],
    ['a hash in bytes', { id: 'one', hash: Buffer.from(hash, 'hex') }],
    ['a record without an id', { hash }],
    ['a record with an empty id', { id: '', hash }],
    ['true', true],
    ['the key itself', key],
    ['a list', [good]],
    ['permissions in one text', { ...good, permissions: 'orders:write' }],
    ['roles with something else', { ...good, roles: ['admin', 7] }],
    ['a tenant that is not text', { ...good, tenant: 7 }],
    ['an empty tenant', { ...good, tenant: '' }],
    ['an invalid date', { ...good, expiresAt: new Date('never') }],
    ['a date as text', { ...good, expiresAt: '2999-01-01' }],
  ])('causes a refusal and a logged error if it returns %s', async (_, record) => {
    const app = await startWith({ find: () => record as ApiKeyRecord })
    expect(await statusWith(app, key)).toBe(401)
    expect(await statusWith(app, key)).toBe(401)
    const logged = app.logs.filter(({ level }) => level === 'error')
    expect(logged.length).toBe(2)
    expect(String(logged[0]?.facts['err'])).toContain('apiKeys(): `find`')
  })

  it.each([undefined, null])(
    'causes a refusal without a log line if it returns %j',
    async (record) => {
      const app = await startWith({ find: () => record })
      expect(await statusWith(app, key)).toBe(401)
      expect(app.logs).toEqual([])
    },
  )

  it.each<[string, () => never | Promise<never>, number]>([
    ['throws', () => fail(new Error('the store is down')), 503],
    ['throws a TypeError, as fetch does', () => fail(new TypeError('fetch failed')), 503],
    ['rejects', async () => fail(new Error('the store is down')), 503],
    ['rejects with nothing', async () => fail(undefined), 503],
    ['rejects with 503', async () => fail(new ServiceUnavailableError('busy')), 503],
    ['rejects with an HTTP error', async () => fail(new ConflictError('no')), 409],
  ])(
    'causes an error response if it %s, and the next request succeeds',
    async (_, find, status) => {
      let isBroken = true
      const app = await startWith({ find: () => (isBroken ? find() : good) })
      expect(await statusWith(app, key)).toBe(status)
      if (status >= 500) expect(app.logs.some(({ level }) => level === 'error')).toBe(true)
      isBroken = false
      expect(await statusWith(app, key)).toBe(200)
    },
  )

  it('causes a refusal and a logged error if its record results in an invalid `user`', async () => {
    for (const user of [null, undefined, 'one', Promise.resolve({ id: 1 })]) {
      const app = await startWith({ find: () => good, user: () => user as unknown as object })
      expect(await statusWith(app, key)).toBe(401)
      expect(String(app.logs[0]?.facts['err'])).toContain('`user` must return an object')
    }
  })

  it('cannot change a cached key, and neither can a handler', async () => {
    const record = { ...good, permissions: ['orders:read'] }
    const app = await startWith({ find: () => record, cacheFor: '1d' })
    const write = () => app.request().get('/orders/write').set('x-api-key', key)
    expect((await write()).status).toBe(403)
    record.permissions.push('orders:write')
    expect((await write()).status).toBe(403)
  })
})

function fail(error: unknown): never {
  throw error
}

describe('the secret of an API key', () => {
  it('appears in no log line after a failure', async () => {
    const keys = new Keys()
    const secrets: string[] = []
    const logger = new Lines()
    const outcomes = [
      () => undefined,
      () => fail(new Error('the store is down')),
      () => fail(new TypeError('fetch failed')),
      (hash: string) => ({ id: 'x', hash: hash.toUpperCase() }),
      (hash: string) => ({ id: 'x', hash, permissions: 'all' as unknown as string[] }),
      (hash: string) => ({ id: 'x', hash }),
    ]
    for (const find of outcomes) {
      const onUse = () => fail(new Error('the table is gone'))
      const app = await startWith({ find, onUse }, { logger, logs: true })
      const key = keys.add()
      secrets.push(key)
      await statusWith(app, key)
      await statusWith(app, `${key}x`)
      await app.close()
    }
    const text = logger.lines.join('\n')
    expect(text).toContain('the store is down')
    expect(text).toContain('the table is gone')
    for (const key of secrets) {
      expect(text).not.toContain(key)
      expect(text).not.toContain(key.slice(12, 24))
    }
  })

  it('is passed neither to the store nor to the client', async () => {
    const given: unknown[] = []
    const { key, hash } = generateApiKey({ prefix: 'acme_live' })
    const app = await startWith({
      find: (...all) => {
        given.push(all[0])
        return { id: 'one', hash }
      },
    })
    const { text } = await app.request().get('/orders').set('x-api-key', key)
    expect(given).toEqual([hash])
    expect(text).not.toContain(key)
    expect(text).not.toContain(hash)
  })
})

describe('the `onUse` callback of API keys', () => {
  async function used(app: TestApp, key: string, times: number) {
    for (let n = 0; n < times; n++) expect(await statusWith(app, key)).toBe(200)
  }

  it('is called at most once per interval for each accepted key', async () => {
    const keys = new Keys()
    const uses: string[] = []
    const app = await startWith({
      find: keys.find,
      cacheFor: '1s',
      onUse: ({ id }, req) => uses.push(`${id} ${req.path}`),
    })
    await app.clock.advance(0)
    const [one, other] = [keys.add(), keys.add()]
    const revoked = keys.add({ revokedAt: 1 })
    await used(app, one, 3)
    await used(app, other, 2)
    expect(await statusWith(app, revoked)).toBe(401)
    expect(uses).toEqual(['key-1 /orders', 'key-2 /orders'])
    await app.clock.advance('59.999s')
    await used(app, one, 2)
    expect(uses).toHaveLength(2)
    await app.clock.advance('1ms')
    await used(app, one, 2)
    await used(app, other, 1)
    expect(uses.slice(2)).toEqual(['key-1 /orders', 'key-2 /orders'])
  })

  it('is called for each use if the interval is 0', async () => {
    const keys = new Keys()
    const uses: string[] = []
    const app = await startWith({
      find: keys.find,
      useInterval: 0,
      onUse: ({ id }) => uses.push(id),
    })
    await app.clock.advance(0)
    await used(app, keys.add(), 3)
    expect(uses).toHaveLength(3)
  })

  it('delays no request, and completes before the application closes', async () => {
    const keys = new Keys()
    let release = () => {}
    let isDone = false
    const onUse = async () => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      isDone = true
    }
    const app = await startWith({ find: keys.find, onUse })
    await used(app, keys.add(), 1)
    expect(isDone).toBe(false)
    const closed = app.close()
    release()
    await closed
    expect(isDone).toBe(true)
  })

  it('is awaited on close even if a later call has already completed', async () => {
    const keys = new Keys()
    const ends: string[] = []
    let release = () => {}
    const onUse = async ({ id }: { readonly id: string }) => {
      if (id === 'key-1') {
        await new Promise<void>((resolve) => {
          release = resolve
        })
      }
      ends.push(id)
    }
    const app = await startWith({ find: keys.find, onUse })
    await used(app, keys.add(), 1)
    await used(app, keys.add(), 1)
    await expect.poll(() => ends).toEqual(['key-2'])
    const closed = app.close().then(() => ends.push('closed'))
    await turns()
    release()
    await closed
    expect(ends).toEqual(['key-2', 'key-1', 'closed'])
  })

  it.each([
    ['throws', () => fail(new Error('no table'))],
    ['rejects', async () => fail(new Error('no table'))],
    ['rejects with nothing', async () => fail(undefined)],
  ])('does not cause a refusal when it %s', async (_, onUse) => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find, onUse })
    await used(app, keys.add(), 2)
    await expect
      .poll(() => app.logs.map(({ facts, message }) => [facts['apiKey'], message]))
      .toEqual([['key-1', 'apiKeys(): `onUse` failed']])
  })
})
