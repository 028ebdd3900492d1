import { App, Controller, Get, RateLimit } from 'blazon'
import type { OpenApiResponse } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'
import { appsOfTest, statuses } from './support.js'

@Controller('items')
class ItemsController {
  @Get()
  list() {
    return []
  }

  @RateLimit({ limit: 1, window: 60 })
  @Get('own')
  own() {
    return []
  }

  @RateLimit(false)
  @Get('free')
  free() {
    return []
  }
}

const controllers = [ItemsController]
const paths = ['/items', '/items', '/items', '/items/own', '/items/own']

describe('a TestApp', () => {
  const apps = appsOfTest()

  it('applies no limit by default', async () => {
    const app = await apps.inProcess({ controllers })
    expect(await statuses(app, ...paths)).toEqual([200, 200, 200, 200, 200])
  })

  it('applies the `rateLimit` option and @RateLimit', async () => {
    const app = await apps.inProcess({ controllers, rateLimit: { limit: 2, window: 60 } })
    expect(await statuses(app, ...paths)).toEqual([200, 200, 429, 200, 429])
  })

  it('applies only @RateLimit if `policies` is empty', async () => {
    const app = await apps.inProcess({ controllers, rateLimit: { policies: [] } })
    expect(await statuses(app, ...paths)).toEqual([200, 200, 200, 200, 429])
  })

  it('does not count the requests of authMatrix()', async () => {
    const app = await apps.inProcess({ controllers, rateLimit: { limit: 1, window: 60 } })
    const matrix = await app.authMatrix({ anonymous: null })
    expect(matrix.rows.length).toBe(3)
    expect(await statuses(app, '/items', '/items/own')).toEqual([200, 200])
  })
})

describe('an App', () => {
  it.each([
    ['@RateLimit by default', {}, 429],
    ['no limit with `rateLimit: false`', { rateLimit: false }, 200],
  ] as const)('applies %s', async (_, options, status) => {
    const app = await App.create({ controllers, logger: false, ...options })
    const { port } = await app.listen(0, '127.0.0.1')
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    await get('/items/own')
    expect(await get('/items/own')).toBe(status)
    await app.close()
  })
})

describe('the document of an application with rate limits', () => {
  const statusesOf = (app: App, path: string) =>
    Object.keys(app.document.paths[path]?.get?.responses ?? {})

  it('contains a 429 response for routes with a limit', () => {
    const decorated = new App({ controllers })
    expect(statusesOf(decorated, '/items')).not.toContain('429')
    expect(statusesOf(decorated, '/items/own')).toContain('429')
    const all = new App({ controllers, rateLimit: true })
    expect(statusesOf(all, '/items')).toContain('429')
    expect(statusesOf(all, '/items/own')).toContain('429')
    expect(statusesOf(all, '/items/free')).not.toContain('429')
    const none = new App({ controllers, rateLimit: false })
    expect(statusesOf(none, '/items/own')).not.toContain('429')
    expect(none.document.components.responses).not.toHaveProperty('TooManyRequests')
  })

  it('describes the headers of a 429 response', () => {
    const { components } = new App({ controllers, rateLimit: true }).document
    const response = components.responses?.['TooManyRequests'] as OpenApiResponse
    expect(Object.keys(response.headers ?? {})).toEqual([
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
    ])
  })
})
