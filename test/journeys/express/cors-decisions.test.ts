import type { SecurityOptions } from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

type Cors = Exclude<NonNullable<SecurityOptions['cors']>, boolean>
type Decide = (error: Error | null, allowed?: boolean | string) => void

const A = 'https://a.example'
const B = 'https://b.example'
const PREFLIGHT = { Origin: A, 'Access-Control-Request-Method': 'PUT' }

describe('the decision of security.cors.origin', () => {
  const apps = appsOfTest()
  const start = async (cors: Cors) => {
    const app = await apps.inProcess({ security: { cors }, contract: 'off' })
    return async (origin: string, path = '/items/1') => {
      const { status, headers } = await app.request().get(path).set('Origin', origin)
      return [status, headers['access-control-allow-origin']]
    }
  }

  it('is each origin itself for `true`, and none for `false`', async () => {
    const all = await start({ origin: true })
    for (const origin of [A, B]) {
      expect(await all(origin)).toEqual([200, origin])
      expect(await all(origin, '/missing')).toEqual([404, origin])
    }
    const none = await start({ origin: false })
    expect(await none(A)).toEqual([200, undefined])
  })

  it.each<[string, (origin: unknown, decide: Decide) => unknown, string | undefined]>([
    [
      'the first call of the callback',
      (_origin, decide) => {
        decide(null, true)
        decide(null, false)
      },
      A,
    ],
    [
      'the call of the callback before the promise resolves',
      async (_origin, decide) => {
        decide(null, false)
        return true
      },
      undefined,
    ],
    ['what the promise of a function with a callback resolves to', async (_o, _decide) => true, A],
    ['another origin', async () => B, B],
  ])('is %s', async (_, origin, expected) => {
    const ask = await start({ origin: origin as never })
    expect(await ask(A)).toEqual([200, expected])
  })

  it('is an error with the remedy if a promise resolves to undefined', async () => {
    const origin = async (_origin: unknown) => undefined
    const app = await apps.inProcess({
      security: { cors: { origin: origin as never } },
      contract: 'off',
    })
    expect((await app.request().get('/items/1').set('Origin', A)).status).toBe(500)
    expect(String(app.logs.at(-1)?.facts['err'])).toBe(
      'Error: security.cors.origin returned a promise that resolved to undefined. Resolve it to true, false or the allowed origin; or call the callback.',
    )
  })

  it.each<[string, Cors['origin']]>([
    ['a fixed origin', A],
    ['a list', [A]],
    ['a function', (_origin, decide) => decide(null, true)],
  ])(
    'also applies to preflight requests that go on to the application, for %s',
    async (_, origin) => {
      const app = await apps.inProcess({
        security: { cors: { origin, preflightContinue: true } },
        contract: 'off',
      })
      const { headers } = await app.request().options('/items').set(PREFLIGHT)
      expect(headers).toMatchObject({
        'access-control-allow-origin': A,
        'access-control-allow-methods': expect.stringContaining('PUT'),
        allow: expect.stringContaining('POST'),
      })
    },
  )
})
