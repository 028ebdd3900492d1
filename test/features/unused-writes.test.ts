import { App, Controller, Deprecated, Idempotent, Post, Put, QueryMethod, Versioned } from 'blazon'
import { expect, it, vi } from 'vitest'

const loaded = vi.hoisted(() => ({ names: [] as string[] }))

vi.mock('../../src/features/idempotency/idempotency-plugin.js', async (load) => {
  loaded.names.push('idempotency')
  return await load<object>()
})
vi.mock('../../src/features/versioned/versioned-plugin.js', async (load) => {
  loaded.names.push('versioned')
  return await load<object>()
})

vi.mock('../../src/features/deprecated/deprecated-plugin.js', async (load) => {
  loaded.names.push('deprecated')
  return await load<object>()
})
vi.mock('../../src/features/query-method/query-method-plugin.js', async (load) => {
  loaded.names.push('query')
  return await load<object>()
})

@Controller('plain')
class Plain {
  @Post() write() {}
}

@Controller('keyed')
class Keyed {
  @Idempotent() @Post() write() {}
}

@Controller('versioned')
class WithVersion {
  @Versioned({ current: () => ({ version: 1 }) }) @Put() write() {}
}

@Controller('queried')
class Queried {
  @QueryMethod() read() {}
}

@Controller('old')
class Old {
  @Deprecated({ since: '2026-01-01' }) @Post() write() {}
}

it('boot loads only the code that a route uses', async () => {
  // Code that is loaded once is not loaded again, so each application adds one feature.
  for (const [controller, names] of [
    [Plain, []],
    [Keyed, ['idempotency']],
    [WithVersion, ['idempotency', 'versioned']],
    [Queried, ['idempotency', 'versioned', 'query']],
    [Old, ['idempotency', 'versioned', 'query', 'deprecated']],
  ] as const) {
    const app = await App.create({ controllers: [controller], logger: false })
    expect(loaded.names).toEqual(names)
    await app.close()
  }
})
