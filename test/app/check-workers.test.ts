import {
  App,
  type AppOptions,
  Cache,
  Controller,
  Get,
  IdempotencyStore,
  Idempotent,
  memoryCache,
  memoryRateLimit,
  Post,
  RateLimit,
} from 'blazon'
import { sessions } from 'blazon/sessions'
import { afterEach, describe, expect, it } from 'vitest'

const LINK = Symbol.for('blazon.worker')

@Controller('things')
class ThingsController {
  @Get() list() {
    return []
  }
}

@Controller('cached')
class CachedController {
  @Get() @Cache({ ttl: 60 }) list() {
    return []
  }
}

@Controller('limited')
class LimitedController {
  @Get() @RateLimit({ limit: 1, window: 60 }) list() {
    return []
  }
}

@Controller('keyed')
class KeyedController {
  @Idempotent() @Post() write() {}
}

const store = { isShared: true, claim: () => ({ state: 'running' }) } as const

/** Makes this process a worker of four. */
function beWorker(isSpeaker: boolean): void {
  const link = { workers: 4, isSpeaker, onRetire() {}, shareMetrics() {} }
  Object.defineProperty(globalThis, LINK, { value: link, configurable: true })
}

async function warningsOf(options: object): Promise<string[]> {
  const warnings: string[] = []
  const logger = {
    info() {},
    warn: (_: object, text: string) => void warnings.push(text),
    error() {},
  }
  const app = await App.create({ controllers: [ThingsController], logger, ...options })
  await app.close()
  return warnings.filter((text) => text.includes('W_WORKERS_MEMORY'))
}

describe('data that each worker keeps for itself', () => {
  afterEach(() => void Reflect.deleteProperty(globalThis, LINK))

  it('is reported for the option `capacity`, with the sum for all workers', async () => {
    beWorker(true)
    const [warning, ...others] = await warningsOf({ capacity: { concurrent: 10 } })
    expect(warning).toContain('together they run 40 requests concurrently')
    expect(warning).toContain('Divide concurrent, queue, bodies and perTenant by 4')
    expect(others).toEqual([])
  })

  const rateLimit = { limit: 1, window: 60 } as const
  const withReach = <T extends object>(store: T, isShared: boolean | undefined): T =>
    Object.defineProperty(store, 'isShared', { value: isShared })

  it.each<[string, boolean, AppOptions]>([
    ['a rate limit without a store', true, { rateLimit }],
    [
      'a rate limit whose store is not shared',
      true,
      { rateLimit: { ...rateLimit, store: withReach(memoryRateLimit(), false) } },
    ],
    [
      'a rate limit with a shared store',
      false,
      { rateLimit: { ...rateLimit, store: withReach(memoryRateLimit(), true) } },
    ],
    [
      'a rate limit whose store has no `isShared`',
      false,
      { rateLimit: { ...rateLimit, store: withReach(memoryRateLimit(), undefined) } },
    ],
    ['a rate limit of a single route', true, { controllers: [LimitedController] }],
    ['an idempotent route without a store', true, { controllers: [KeyedController] }],
    [
      'an idempotent route with a shared store',
      false,
      {
        controllers: [KeyedController],
        providers: [{ token: IdempotencyStore, useValue: store }],
      },
    ],
    [
      'an idempotent route whose store a plugin provides',
      false,
      {
        controllers: [KeyedController],
        plugins: [{ name: 'stores', providers: [{ token: IdempotencyStore, useValue: store }] }],
      },
    ],
    ['a cached route without a store', true, { controllers: [CachedController] }],
    [
      'a cache whose store is not shared',
      true,
      { controllers: [CachedController], cache: { store: withReach(memoryCache(), false) } },
    ],
    [
      'a cache with a shared store',
      false,
      { controllers: [CachedController], cache: { store: withReach(memoryCache(), true) } },
    ],
    [
      'a cache whose store has no `isShared`',
      false,
      { controllers: [CachedController], cache: { store: withReach(memoryCache(), undefined) } },
    ],
    ['a cache that no route uses', false, { cache: { store: withReach(memoryCache(), false) } }],
  ])('is reported for %s: %s', async (_, isReported, options) => {
    beWorker(true)
    expect(await warningsOf(options)).toHaveLength(isReported ? 1 : 0)
  })

  it('is reported for a rate limit, with the number of workers', async () => {
    beWorker(true)
    const [warning] = await warningsOf({ rateLimit })
    expect(warning).toContain('up to 4 times as many requests as a limit allows')
  })

  it('is reported for sessions in memory', async () => {
    beWorker(true)
    const [warning] = await warningsOf({ plugins: [sessions()] })
    expect(warning).toMatch(/a worker cannot read .*sessions? of another worker/s)
  })

  it('is reported for a plugin that keeps data in its process', async () => {
    beWorker(true)
    const plugins = [
      { name: 'carts', keptInProcess: () => 'carts' },
      { name: 'none', keptInProcess: () => null },
      { name: 'other' },
    ]
    const [warning, ...others] = await warningsOf({ plugins })
    expect(warning).toContain("plugin 'carts'")
    expect(warning).toContain('Each of the 4 workers keeps its own data in memory')
    expect(warning).toContain('a worker cannot read carts of another worker.')
    expect(warning).toContain('Use a store that all processes share')
    expect(others).toEqual([])
  })

  it('is reported by only one worker, and only if there are workers', async () => {
    beWorker(false)
    expect(await warningsOf({ capacity: { concurrent: 10 } })).toEqual([])
    Reflect.deleteProperty(globalThis, LINK)
    expect(await warningsOf({ capacity: { concurrent: 10 } })).toEqual([])
  })
})

describe('the time that a worker may take to close', () => {
  afterEach(() => void Reflect.deleteProperty(globalThis, LINK))

  it('includes the limit of every onClose hook', async () => {
    let closeMs: (() => number) | undefined
    const starts = async (start: () => Promise<unknown>, app: { closeMs: () => number }) => {
      closeMs = app.closeMs
      return await start()
    }
    const value = { workers: 2, isSpeaker: true, shareMetrics() {}, starts }
    Object.defineProperty(globalThis, LINK, { value, configurable: true })
    const plugins = ['a', 'b'].map((name) => ({ name, onClose() {} }))
    const timeouts = { close: '10s', onClose: '3s' }
    const app = new App({ controllers: [ThingsController], plugins, timeouts, logger: false })
    await app.listen(0)
    const withHooks = closeMs?.()
    await app.close()
    const bare = new App({ controllers: [ThingsController], timeouts, logger: false })
    await bare.listen(0)
    expect(withHooks).toBe((closeMs?.() ?? 0) + 6000)
    await bare.close()
  })

  it('is preStop, close, and one onClose for all onClosing hooks and for each onClose hook', async () => {
    let closeMs: (() => number) | undefined
    const starts = async (start: () => Promise<unknown>, app: { closeMs: () => number }) => {
      closeMs = app.closeMs
      expect(closeMs()).toBe(12_000)
      return await start()
    }
    const value = { workers: 2, isSpeaker: true, shareMetrics() {}, starts }
    Object.defineProperty(globalThis, LINK, { value, configurable: true })
    const timeouts = { preStop: '2s', close: '10s', onClose: '3s' }
    const plugins = [{ name: 'a', onClose() {} }]
    const app = new App({ plugins, timeouts, logger: false })
    await app.listen(0, { signals: false })
    // The hooks are that of the plugin and that of the stores.
    expect(closeMs?.()).toBe(12_000 + 3000 * (1 + 2))
    await app.close()
  })
})
