import { Controller, Get, memoryCache, memoryRateLimit, type Plugin, RateLimit } from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, expect, it } from 'vitest'

@Controller('letters')
class LettersController {
  @RateLimit({ limit: 5, window: '1m' })
  @Get()
  list() {
    return []
  }
}

let app: TestApp | undefined
/** The names of what is away. */
const away = new Set<string>()
const ask = (name: string) => () => {
  if (away.has(name)) throw new Error(`${name} is away`)
}

afterEach(async () => {
  away.clear()
  await app?.close()
})

async function start(options: TestOptions = {}): Promise<TestApp> {
  const database: Plugin = { name: 'database', health: ask('database') }
  app = await TestApp.create({
    controllers: [LettersController],
    metrics: true,
    health: { checks: { mail: { check: ask('mail'), required: false } } },
    plugins: [database],
    logger: false,
    contract: 'off',
    ...options,
  })
  return app
}

/** The lines of readiness of a scrape, when the checks that the scrape before it has begun are over. */
async function scraped(): Promise<string[]> {
  await app?.clock.advance('2s')
  await app?.request().get('/metrics')
  await app?.request().get('/readyz')
  const { text } = await (app as TestApp).request().get('/metrics')
  return text.split('\n').filter((line) => line.startsWith('health_'))
}

it('the metrics report whether the process is ready, and which check fails', async () => {
  await start()
  expect(await scraped()).toEqual([
    'health_ready 1',
    'health_check_up{check="database"} 1',
    'health_check_up{check="mail"} 1',
  ])
  away.add('mail')
  expect(await scraped()).toEqual([
    'health_ready 1',
    'health_check_up{check="database"} 1',
    'health_check_up{check="mail"} 0',
  ])
  away.add('database')
  expect(await scraped()).toEqual([
    'health_ready 0',
    'health_check_up{check="database"} 0',
    'health_check_up{check="mail"} 0',
  ])
})

it('the metrics contain no readiness without the option `health`', async () => {
  await start({ health: false })
  expect(await scraped()).toEqual([])
})

it('a failing cache or limit store leaves the process ready in the metrics, but degraded in /readyz', async () => {
  await start({
    cache: { store: { ...bound(memoryCache()), check: ask('cache') } },
    rateLimit: { store: { ...bound(memoryRateLimit()), check: ask('limits') } },
  })
  away.add('cache').add('limits')
  expect(await scraped()).toEqual([
    'health_ready 1',
    'health_check_up{check="database"} 1',
    'health_check_up{check="cache"} 0',
    'health_check_up{check="limits"} 0',
    'health_check_up{check="mail"} 1',
  ])
  expect(await (app as TestApp).request().get('/readyz')).toMatchObject({
    status: 200,
    body: { status: 'degraded' },
  })
})

/** The methods of a store, which a spread of an instance would lose. */
function bound<T extends object>(store: T): T {
  const methods: Record<string, unknown> = {}
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(store))) {
    const value: unknown = Reflect.get(store, name)
    if (name !== 'constructor' && typeof value === 'function') methods[name] = value.bind(store)
  }
  // It has each method of the store.
  return methods as T
}
