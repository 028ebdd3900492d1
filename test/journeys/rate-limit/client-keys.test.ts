import {
  type AppOptions,
  Controller,
  Get,
  RateLimit,
  type RateLimitBy,
  type RateLimitStore,
  type Request,
} from 'blazon'
import type { RateLimitCount } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

/** A store that notes the keys of its counts. */
function notingStore(more: object = {}) {
  const keys: string[] = []
  const store: RateLimitStore = {
    consume({ key }: RateLimitCount) {
      keys.push(key)
      return { isAllowed: true, remaining: 1, resetMs: 1000, ...more }
    },
  }
  return { keys, store }
}

@Controller('items')
class ItemsController {
  @Get()
  list() {
    return []
  }
}

const apps = appsOfTest()
const controllers = [ItemsController]

/** The key of a request, without the name of the limit. */
async function keyOf(
  by: RateLimitBy,
  { headers = {}, ...options }: AppOptions & { headers?: Record<string, string> } = {},
): Promise<string | undefined> {
  const { keys, store } = notingStore()
  const rateLimit = { by, store, limit: 1 }
  const app = await apps.inProcess({ controllers, logger: false, ...options, rateLimit })
  await app.request().get('/items').set(headers)
  expect(keys).toHaveLength(1)
  return keys[0]?.replace(/^default:/, '')
}

describe('the client address in a rate limit key', () => {
  const forwarded = (address: string) =>
    keyOf('ip', { trustProxy: 1, headers: { 'x-forwarded-for': address } })

  it.each([
    ['1.2.3.4', 'i:1.2.3.4'],
    ['1.2.3.4:5678', 'i:1.2.3.4'],
    ['::ffff:1.2.3.4', 'i:1.2.3.4'],
    ['::ffff:102:304', 'i:1.2.3.4'],
    ['::FFFF:c0a8:fe01', 'i:192.168.254.1'],
    ['2001:db8:1:2::1', 'i:2001:db8:1:0::/56'],
    ['2001:db8:1:ff::1', 'i:2001:db8:1:0::/56'],
    ['2001:db8:1:100::1', 'i:2001:db8:1:100::/56'],
    ['2001:db8:1:1ff:a:b:c:d', 'i:2001:db8:1:100::/56'],
    ['[2001:db8:1:2::1]:443', 'i:2001:db8:1:0::/56'],
    ['[2001:db8:1:2::1]', 'i:2001:db8:1:0::/56'],
    ['2001:DB8::', 'i:2001:db8:0:0::/56'],
    ['::1', 'i:0:0:0:0::/56'],
    ['fe80::1%eth0', 'i:fe80:0:0:0::/56'],
    ['64:ff9b::1.2.3.4', 'i:64:ff9b:0:0::/56'],
  ])('is normalized from %s to %s', async (address, key) => {
    expect(await forwarded(address)).toBe(key)
  })

  it.each(['unknown', '_hidden', '', '1.2.3', 'x'.repeat(500)])(
    'is the socket address if the proxy sends the invalid entry %j',
    async (address) => {
      expect(await forwarded(address)).toBe('i:127.0.0.1')
    },
  )
})

describe('the user in a rate limit key', () => {
  const named = (user: unknown) =>
    keyOf('user', {
      middlewares: [
        (req, _res, next) => {
          req.user = user as never
          next()
        },
      ],
    })

  it.each<[unknown, string]>([
    [{ id: 7 }, 'u:7'],
    [{ id: 7n }, 'u:7'],
    [{ id: 'a', sub: 'b' }, 'u:a'],
    [{ id: null, sub: 'b' }, 'u:b'],
    [{ id: 0, sub: 'b' }, 'u:0'],
    [{ sub: 'b' }, 'u:b'],
    [{ id: '' }, 'i:127.0.0.1'],
    [{ id: true }, 'i:127.0.0.1'],
    [{ id: {} }, 'i:127.0.0.1'],
    [null, 'i:127.0.0.1'],
    [undefined, 'i:127.0.0.1'],
  ])('if it is %o, results in the key %s', async (user, key) => {
    expect(await named(user)).toBe(key)
  })

  it('is shortened if the ID has more than 64 characters, but stays distinct', async () => {
    const long = 'x'.repeat(64)
    expect(await named({ id: long })).toBe(`u:${long}`)
    const [one, other] = [await named({ id: `${long}a` }), await named({ id: `${long}b` })]
    expect(one).toMatch(/^u#[\w-]{43}$/)
    expect(other).toMatch(/^u#[\w-]{43}$/)
    expect(one).not.toBe(other)
  })
})

describe('the key from a function', () => {
  it.each<[() => unknown, string]>([
    [() => 'gold', 'k:gold'],
    [() => '', 'i:127.0.0.1'],
    [() => 7, 'i:127.0.0.1'],
    [() => undefined, 'i:127.0.0.1'],
    [() => Promise.resolve('gold'), 'i:127.0.0.1'],
    [() => Promise.reject(new Error('late')), 'i:127.0.0.1'],
  ])('for the function %s is %s', async (by, key) => {
    expect(await keyOf(by as () => string)).toBe(key)
  })

  it('is replaced by the address if the function throws, which is logged once', async () => {
    const warned: unknown[] = []
    const logger = { info() {}, warn: (facts: object) => warned.push(facts), error() {} }
    const { keys, store } = notingStore()
    const by = (req: Request) => {
      if (req.get('x-key') === undefined) throw new Error('no key')
      return req.get('x-key') as string
    }
    const app = await apps.inProcess({ controllers, logger, rateLimit: { by, store, limit: 1 } })
    for (const key of [undefined, 'a', undefined]) {
      await app
        .request()
        .get('/items')
        .set(key === undefined ? {} : { 'x-key': key })
    }
    expect(keys).toEqual(['default:i:127.0.0.1', 'default:k:a', 'default:i:127.0.0.1'])
    expect(warned).toMatchObject([{ err: { message: 'no key' } }])
  })

  it('is replaced by the address if it is not a string, which is logged once', async () => {
    const warned: unknown[] = []
    const logger = { info() {}, warn: (facts: object) => warned.push(facts), error() {} }
    const by = (() => 7) as never
    const { store } = notingStore()
    const app = await apps.inProcess({ controllers, logger, rateLimit: { by, store, limit: 1 } })
    for (let i = 0; i < 2; i++) await app.request().get('/items')
    expect(warned).toEqual([{ got: 'number' }])
  })
})

describe('the result of a store', () => {
  it.each([
    [{ remaining: 1, resetMs: 1000 }, '"default";r=1;t=1'],
    [{ remaining: 0, resetMs: 1001 }, '"default";r=0;t=2'],
    [{ remaining: -3, resetMs: -5 }, '"default";r=0;t=0'],
    [{ remaining: 1, resetMs: 0 }, '"default";r=1;t=0'],
  ])('%j is sent as the header %s', async (result, header) => {
    const { store } = notingStore(result)
    const app = await apps.inProcess({ controllers, rateLimit: { store, limit: 5 } })
    const { headers } = await app.request().get('/items')
    expect(headers['ratelimit']).toBe(header)
    expect(headers['ratelimit-policy']).toBe('"default";q=5;w=60')
  })

  it('is replaced by a count in memory if the store fails, which is logged once a minute', async () => {
    const errors: unknown[] = []
    const logger = { info() {}, warn() {}, error: (facts: object) => errors.push(facts) }
    const results: (() => unknown)[] = [
      () => {
        throw new Error('down')
      },
      () => Promise.reject(new Error('down')),
      () => undefined,
      () => ({ isAllowed: true, remaining: 1, resetMs: Number.NaN }),
      () => Promise.resolve({ isAllowed: 'yes', remaining: 1, resetMs: 1 }),
    ]
    let calls = 0
    const store = { consume: () => results[calls++ % results.length]?.() } as RateLimitStore
    const app = await apps.inProcess({ controllers, logger, rateLimit: { store, limit: 4 } })
    const status = async () => (await app.request().get('/items')).status
    const found: number[] = []
    for (let n = 0; n < 5; n++) found.push(await status())
    expect(found).toEqual([200, 200, 200, 200, 429])
    expect(errors).toHaveLength(1)
    await app.clock.advance('59s')
    await status()
    expect(errors).toHaveLength(1)
    await app.clock.advance('1s')
    expect(await status()).toBe(200)
    expect(errors).toHaveLength(2)
  })
})

describe('the names of unnamed limits', () => {
  it('consist of class and method, with a number if needed, and have at most 60 characters', async () => {
    const policies = [
      { limit: 9, window: 60 },
      { limit: 8, window: 60 },
      { limit: 7, window: 60 },
    ] as const
    @Controller('named')
    class NamedController {
      @RateLimit(...policies) @Get() list() {
        return []
      }

      @RateLimit({ limit: 6, window: 60 })
      @Get('long')
      aMethodWhoseNameIsSoLongThatItDoesNotFitIntoTheHeaderOfOneResponse() {
        return []
      }
    }
    const app = await apps.inProcess({
      controllers: [NamedController],
      rateLimit: { policies: [] },
    })
    const policyOf = async (path: string) =>
      (await app.request().get(path)).headers['ratelimit-policy']
    expect(await policyOf('/named')).toBe(
      '"Named.list";q=9;w=60, "Named.list-2";q=8;w=60, "Named.list-3";q=7;w=60',
    )
    const [, long = ''] = /^"(.*)";q=6/.exec((await policyOf('/named/long')) ?? '') ?? []
    expect(long).toHaveLength(60)
    expect(long).toMatch(/^Named\.aMethodWhoseName/)
  })
})
