import { App, Cache, type Class, Controller, Get } from 'blazon'
import { expect, it, vi } from 'vitest'

const loaded = vi.hoisted(() => ({ names: [] as string[] }))

vi.mock('../../src/features/docs/open-page.js', async (load) => {
  loaded.names.push('open-page')
  return await load<object>()
})
vi.mock('../../src/features/cache/cache-stage.js', async (load) => {
  loaded.names.push('cache-stage')
  return await load<object>()
})

/** A controller with one route, `GET /x`. */
function controllerOf({ isCached }: { isCached: boolean }): Class {
  class Rows {
    get() {
      return [1]
    }
  }
  const method = Object.getOwnPropertyDescriptor(Rows.prototype, 'get') as never
  Get()(Rows.prototype, 'get', method)
  if (isCached) Cache({ ttl: 60 })(Rows.prototype, 'get', method)
  Controller('x')(Rows)
  return Rows
}

/** The modules that were loaded before and after each response. */
async function loadedFor(controller: Class, paths: readonly string[]): Promise<string[][]> {
  loaded.names.length = 0
  const app = new App({ controllers: [controller], logger: false })
  const { port } = await app.listen(0, '127.0.0.1')
  const found = [[...loaded.names]]
  for (const path of paths) {
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`)
    expect(status).toBe(200)
    found.push([...loaded.names])
  }
  await app.close()
  return found
}

it('an application loads the code of a documentation page at the first request for the page', async () => {
  const paths = ['/x', '/api-docs.json', '/api-docs', '/api-docs']
  const page = ['open-page']
  expect(await loadedFor(controllerOf({ isCached: false }), paths)).toEqual([
    [],
    [],
    [],
    page,
    page,
  ])
})

it('an application with a @Cache route loads the step for cached responses at boot', async () => {
  expect(await loadedFor(controllerOf({ isCached: true }), ['/x'])).toEqual([
    ['cache-stage'],
    ['cache-stage'],
  ])
})
