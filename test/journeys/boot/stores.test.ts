import { App, type AppOptions, Cache, Controller, Get, memoryCache, memoryRateLimit } from 'blazon'
import { beforeEach, describe, expect, it } from 'vitest'

let log: string[]
beforeEach(() => {
  log = []
})

@Controller('things')
class ThingsController {
  @Cache({ ttl: 60 }) @Get() list() {
    return []
  }
}

/** A store that notes when it is opened and closed. */
function noting<T extends object>(
  name: string,
  store: T,
  fails: 'open' | 'close' | null = null,
): T {
  const note = (step: 'open' | 'close') => async () => {
    log.push(`${step} ${name}`)
    if (step === fails) throw new Error(`${name} is unreachable`)
  }
  return Object.assign(store, { open: note('open'), close: note('close') })
}

function optionsOf(fails: 'open' | 'close' | null = null): AppOptions {
  return {
    controllers: [ThingsController],
    rateLimit: { limit: 5, window: 60, store: noting('limits', memoryRateLimit()) },
    cache: { store: noting('cache', memoryCache(), fails) },
    logger: false,
  }
}

describe('the stores of an application', () => {
  it('are opened at the start, and closed after everything else', async () => {
    const plugins = [{ name: 'last', onClose: () => void log.push('close plugin') }]
    const app = await App.create({ ...optionsOf(), plugins })
    expect(log).toEqual(['open limits', 'open cache'])
    await app.close()
    expect(log.slice(2)).toEqual(['close plugin', 'close limits', 'close cache'])
  })

  it('that are open are closed if a later store cannot be opened', async () => {
    await expect(App.create(optionsOf('open'))).rejects.toThrow('cache is unreachable')
    expect(log).toContain('close limits')
  })

  it('are closed when the start fails later', async () => {
    const onInit = () => {
      throw new Error('no')
    }
    const starting = App.create({ ...optionsOf(), plugins: [{ name: 'p', onInit }] })
    await expect(starting).rejects.toThrow('no')
    expect(log.slice(2)).toEqual(['close limits', 'close cache'])
  })
})
