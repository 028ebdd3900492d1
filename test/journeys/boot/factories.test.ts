import { type AppOptions, Controller, Get, memoryCache } from 'blazon'
import { jwt } from 'blazon/jwt'
import { apiKeys } from 'blazon/keys'
import { otel } from 'blazon/otel'
import { postgres } from 'blazon/postgres'
import { redisCache, redisLimits, redisSessions } from 'blazon/redis'
import { sessions } from 'blazon/sessions'
import { typeorm } from 'blazon/typeorm'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

const secret = 'a secret of thirty-two characters, or more'
const find = () => null
const wrong = 'ten' as never

/** A wrong option of each factory, and the places of an application for its result. */
const FACTORIES: readonly (readonly [
  subject: string,
  make: () => object,
  use: (made: never) => AppOptions,
])[] = [
  [
    'jwt: clockTolerance',
    () =>
      jwt({ keys: secret, issuer: 'https://id.example.com', audience: 'a', clockTolerance: wrong }),
    (guard) => ({ auth: { guard } }),
  ],
  [
    'jwt: maxAge',
    () => jwt({ keys: secret, issuer: 'https://id.example.com', audience: 'a', maxAge: wrong }),
    (one) => ({ auth: { guards: { one } } }),
  ],
  [
    'sessions(): idle',
    () => sessions({ idle: wrong }),
    (web) => ({ auth: { guard: web }, plugins: [web] }),
  ],
  [
    'redisSessions(): timeout',
    () => sessions({ store: redisSessions({ timeout: wrong }) }),
    (web) => ({ plugins: [web] }),
  ],
  [
    'apiKeys(): cacheFor',
    () => apiKeys({ prefix: 'a', find, cacheFor: wrong }),
    (guard) => ({ auth: { guard } }),
  ],
  [
    'postgres(): timeouts.acquire',
    () => postgres({ url: 'postgres://a/b', timeouts: { acquire: wrong } }),
    (plugin) => ({ plugins: [plugin] }),
  ],
  [
    'redisCache(): timeout',
    () => redisCache({ timeout: wrong }),
    (store) => ({ cache: { store } }),
  ],
  [
    'redisLimits(): timeout',
    () => redisLimits({ timeout: wrong }),
    (store) => ({ rateLimit: { limit: 1, window: 1, store } }),
  ],
  [
    'redisLimits(): timeout',
    () => redisLimits({ fallback: redisLimits({ timeout: wrong }) }),
    (store) => ({ rateLimit: { limit: 1, window: 1, store } }),
  ],
  [
    'memoryCache({ maxBytes })',
    () => memoryCache({ maxBytes: wrong }),
    (store) => ({ cache: { store } }),
  ],
  ['otel(): step', () => otel({ step: false } as never), (plugin) => ({ plugins: [plugin] })],
  ['typeorm(): type', () => typeorm({} as never), (plugin) => ({ plugins: [plugin] })],
]

describe('a factory with a wrong option', () => {
  it.each(FACTORIES)('is listed in the boot errors: %s', async (subject, make, use) => {
    @Controller()
    class Wrong {
      @Get('/:')
      get() {}
    }
    const options = {
      ...use(make() as never),
      timeouts: { handler: wrong },
      controllers: [Wrong],
    }
    const problems = await bootProblems(options)
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'E_OPTION_INVALID',
        subject: expect.stringContaining(subject),
      }),
      expect.objectContaining({ subject: 'timeouts.handler' }),
      expect.objectContaining({ subject: 'Wrong.get' }),
    ])
  })

  it('returns an object whose functions all throw the problem', () => {
    const guard = jwt({
      keys: secret,
      issuer: 'https://id.example.com',
      audience: 'a',
      maxAge: wrong,
    })
    for (const call of [
      () => guard.canActivate({} as never),
      () => guard.forApplication({} as never),
    ])
      expect(call).toThrow('jwt: maxAge')
    expect(() => memoryCache({ maxBytes: wrong }).get('a')).toThrow('maxBytes')
  })
})
