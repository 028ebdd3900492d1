import { Cache, Controller, Get, type Request, type Response } from 'blazon'
import { redisCache } from 'blazon/redis'
import { TestApp } from 'blazon/testing'
import { afterEach, expect, it } from 'vitest'
import { describeWithRedis, ownPrefix, url } from './server.js'

@Controller('greeting')
class GreetingController {
  @Cache({ ttl: 60 })
  @Get()
  greet(req: Request, res: Response) {
    const { own } = req.query
    res.set(String(own).startsWith('max') ? 'Cache-Control' : 'Vary', String(own))
    return req.get('accept-language')
  }
}

let app: TestApp
afterEach(() => app.close())

const ask = async (own: string, language: string) => {
  const { headers, body } = await app
    .request()
    .get('/greeting')
    .query({ own })
    .set('Accept-Language', language)
  return `${headers['x-cache']} ${body.data}`
}

describeWithRedis('a cached response in Redis that sets Cache-Control or Vary itself', () => {
  it.each<[string, string]>([
    ['max-age=5', 'HIT en'],
    ['max-age=0', 'MISS de'],
    ['accept-language', 'MISS de'],
  ])('is stored according to its own header: %s', async (own, second) => {
    const store = redisCache({ url, prefix: ownPrefix(), timeout: '10s' })
    app = await TestApp.create({
      controllers: [GreetingController],
      cache: { store },
      contract: 'off',
    })
    await app.clock.advance(0)
    expect(await ask(own, 'en')).toBe('MISS en')
    expect(await ask(own, 'de')).toBe(second)
    await app.clock.advance(6)
    expect(await ask(own, 'fr')).toBe('MISS fr')
  })
})
