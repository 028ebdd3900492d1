import { Controller, Deprecated, Get, Idempotent, Post } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'

@Deprecated({ since: '2026-01-01', sunset: '2026-12-31', successor: '/v2', end: true })
@Controller('orders')
class OrdersController {
  @Get('', { cache: { ttl: '1h' } })
  list() {
    return []
  }

  @Idempotent()
  @Post()
  place() {
    return {}
  }
}

const ANNOUNCED = { deprecation: '@1767225600', link: '</v2>; rel="successor-version"' }

it('a cached or replayed response announces the end of its route, and is not sent after the end', async () => {
  await using app = await TestApp.create({ controllers: [OrdersController] })
  app.clock.set('2026-12-30T23:59:59Z')
  for (const state of ['MISS', 'HIT']) {
    const { headers } = await app.request().get('/orders').expect('x-cache', state)
    expect(headers).toMatchObject(ANNOUNCED)
  }
  const place = () => app.request().post('/orders').set('idempotency-key', 'one')
  for (const isReplay of [undefined, 'true']) {
    const { headers } = await place()
    expect(headers).toMatchObject(ANNOUNCED)
    expect(headers['idempotency-replayed']).toBe(isReplay)
  }
  app.clock.set('2026-12-31')
  await app.request().get('/orders').expect(410)
  await place().expect(410)
})
