import { Controller, defineControllers, Get, RateLimit } from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

const A = 'https://a.example'
const B = 'https://b.example'

@Controller('counted')
class CountedController {
  @Get()
  @RateLimit({ limit: 5, window: '1m', name: 'five' })
  list() {
    return []
  }
}

describe('security.cors with several origins', () => {
  const apps = appsOfTest()
  const options = {
    controllers: defineControllers(CountedController),
    security: { cors: { origin: [A, B] } },
    rateLimit: { policies: [] },
  }

  it('sets its headers on each response, together with the RateLimit headers', async () => {
    const app = await apps.inProcess(options)
    const remaining: string[] = []
    for (const origin of [A, A, B, A]) {
      const { headers } = await app.request().get('/counted').set('Origin', origin)
      expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
      remaining.push(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1] ?? '')
      // Each response has one member for one limit, also after earlier responses.
      expect(String(headers['ratelimit']).split(',')).toHaveLength(1)
      expect(String(headers['ratelimit-policy']).split(',')).toHaveLength(1)
    }
    expect(remaining).toEqual(['4', '3', '2', '1'])
  })

  it('does not allow an unknown origin before or after a request from a trusted origin', async () => {
    const app = await apps.inProcess(options)
    for (const origin of ['https://c.example', A, 'https://c.example', `${A}.evil`, A]) {
      const { headers } = await app.request().get('/counted').set('Origin', origin)
      const expected = origin === A ? A : undefined
      expect(headers['access-control-allow-origin']).toBe(expected)
      expect(headers['vary']).toBe('Origin')
    }
  })

  it('sends only the header Vary if a request has no Origin', async () => {
    const app = await apps.inProcess(options)
    for (const time of ['first', 'second']) {
      const { headers } = await app.request().get('/counted')
      const allowed = headers['access-control-allow-origin']
      expect({ time, allowed, vary: headers['vary'] }).toEqual({ time, vary: 'Origin' })
    }
  })
})
