import {
  App,
  type AppOptions,
  Controller,
  Deprecated,
  defineControllers,
  Get,
  Version,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

@Version('1', '2')
@Controller('orders')
class OrdersController {
  @Get() list() {
    return []
  }

  @Deprecated(false)
  @Get('count')
  count() {
    return 0
  }

  @Version('*')
  @Get('status')
  status() {
    return 'open'
  }
}

const END = { since: '2026-01-01', sunset: '2026-12-31', successor: '/v2', end: true }
const options: AppOptions = {
  controllers: defineControllers(OrdersController),
  versions: { by: 'path', default: '1', deprecated: { 1: END } },
}

describe('a version that ends', () => {
  it('announces its end only in responses of its own routes', async () => {
    await using app = await TestApp.create(options)
    const sunsetOf = async (path: string) => (await app.request().get(path)).headers['sunset']
    expect(await sunsetOf('/v1/orders')).toBe('Thu, 31 Dec 2026 00:00:00 GMT')
    expect(await sunsetOf('/orders')).toBe('Thu, 31 Dec 2026 00:00:00 GMT')
    for (const path of ['/v2/orders', '/v1/orders/count', '/orders/status'])
      expect([path, await sunsetOf(path)]).toEqual([path, undefined])
  })

  it('is marked as deprecated in its document', () => {
    const [first, second] = new App({ ...options, logger: false }).documents
    expect(first?.document.paths['/v1/orders']?.get).toMatchObject({ deprecated: true })
    expect(second?.document.paths['/v2/orders']?.get).not.toHaveProperty('deprecated')
  })

  it('responds with 410 after its end', async () => {
    await using app = await TestApp.create(options)
    app.clock.set('2027-01-01')
    await app.version('1').request().get('/orders').expect(410)
    await app.version('2').request().get('/orders').expect(200)
  })

  it.each([
    ['a list', [], 'E_OPTION_INVALID] versions.deprecated'],
    ['a text that is not a date', { 1: { since: 'soon' } }, "versions.deprecated['1']"],
    ['an unknown field', { 1: { since: '2026-01-01', until: 'x' } }, "'until'"],
    ['a version that no route has', { 3: END }, 'No route has the version 3. Routes have 1, 2.'],
  ])('causes an error if its end is declared with %s', (_name, deprecated, text) => {
    const versions = {
      by: 'path',
      default: '1',
      deprecated: deprecated as unknown as Record<string, never>,
    } as const
    expect(() => new App({ ...options, versions }).documents).toThrow(text)
  })
})
