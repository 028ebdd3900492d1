import { rateLimit } from 'express-rate-limit'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

describe('the express-rate-limit package', () => {
  // The limiter responds 429 with a plain text, which the document does not have.
  const apps = appsOfTest('off')
  const limiter = () =>
    rateLimit({ windowMs: 60_000, limit: 2, standardHeaders: 'draft-7', legacyHeaders: true })

  it('results in a 429 response with RateLimit headers after its limit', async () => {
    const app = await apps.inProcess({ middlewares: [limiter()] })
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await app.request().get('/items/1'))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['1', '0', '0'])
    expect(answers[0]?.headers['ratelimit-policy']).toBe('2;w=60')
    expect(Number(answers[2]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(answers[2]?.text).toContain('Too many requests')
  })

  it('counts requests that result in a 404 response', async () => {
    const app = await apps.inProcess({ middlewares: [limiter()] })
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await app.request().get('/missing')).status)
    expect(statuses).toEqual([404, 404, 429])
  })

  it('distinguishes clients by the address that a trusted proxy forwards', async () => {
    const app = await apps.inProcess({ trustProxy: 1, middlewares: [limiter()] })
    const from = async (address: string) =>
      (await app.request().get('/items/1').set('X-Forwarded-For', address)).status
    expect([await from('9.9.9.1'), await from('9.9.9.1'), await from('9.9.9.1')]).toEqual([
      200, 200, 429,
    ])
    expect(await from('9.9.9.2')).toBe(200)
    // The entries before that of the trusted proxy come from the client.
    expect(await from('1.1.1.1, 9.9.9.1')).toBe(429)
  })

  it('trusts no proxy by default', async () => {
    const validate = { xForwardedForHeader: false }
    const app = await apps.inProcess({ middlewares: [rateLimit({ limit: 1, validate })] })
    const from = async (address: string) =>
      (await app.request().get('/items/1').set('X-Forwarded-For', address)).status
    expect([await from('9.9.9.1'), await from('9.9.9.2')]).toEqual([200, 429])
  })
})
