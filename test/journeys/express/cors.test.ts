import { ConfigError, type SecurityOptions } from 'blazon'
import cors from 'cors'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'
import { appsOfTest } from './support.js'

type Cors = NonNullable<SecurityOptions['cors']>

const A = 'https://a.example'
const B = 'https://b.example'
const preflight = {
  'Access-Control-Request-Method': 'PUT',
  'Access-Control-Request-Headers': 'x-t',
}

describe.each([
  ['security.cors', (config: Exclude<Cors, boolean>) => ({ security: { cors: config } })],
  ['cors() in middlewares', (config: Exclude<Cors, boolean>) => ({ middlewares: [cors(config)] })],
])('%s', (_, optionsFor) => {
  const apps = appsOfTest()

  it('sends a fixed origin with every response', async () => {
    const app = await apps.inProcess(optionsFor({ origin: A }))
    const { headers, status } = await app.request().get('/items/1').set('Origin', B)
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'access-control-allow-origin': A, vary: 'Origin' })
  })

  it('allows only origins that are in the list', async () => {
    const app = await apps.inProcess(optionsFor({ origin: [A, /\.trusted\.example$/] }))
    const ask = (origin: string) => app.request().get('/items/1').set('Origin', origin)
    expect((await ask(A)).headers['access-control-allow-origin']).toBe(A)
    const sub = 'https://x.trusted.example'
    expect((await ask(sub)).headers['access-control-allow-origin']).toBe(sub)
    expect((await ask(B)).headers).not.toHaveProperty('access-control-allow-origin')
    expect((await ask(B)).headers.vary).toBe('Origin')
  })

  it('accepts an origin function that decides asynchronously', async () => {
    const app = await apps.inProcess(
      optionsFor({
        origin: (origin, decide) => void setImmediate(() => decide(null, origin === A)),
        credentials: true,
      }),
    )
    const ask = (origin: string) => app.request().get('/items/1').set('Origin', origin)
    expect((await ask(A)).headers).toMatchObject({
      'access-control-allow-origin': A,
      'access-control-allow-credentials': 'true',
    })
    expect((await ask(B)).headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('sends an error of the origin function in the envelope', async () => {
    const app = await apps.inProcess(
      optionsFor({ origin: (_origin, decide) => decide(new Error('the list is not there')) }),
    )
    const { status, body } = await app.request().get('/items/1').set('Origin', A)
    expect(status).toBe(500)
    expect(body).toEqual({
      statusCode: 'error',
      status: 500,
      message: 'Internal Server Error',
      code: 'INTERNAL_SERVER_ERROR',
      requestId: expect.any(String),
    })
  })

  it('responds to a preflight request before any route runs', async () => {
    const app = await apps.inProcess(optionsFor({ origin: [A], maxAge: 60 }))
    const { status, headers, text } = await app
      .request()
      .options('/items/1')
      .set({ Origin: A, ...preflight })
    expect(status).toBe(204)
    expect(text).toBe('')
    expect(headers).toMatchObject({
      'access-control-allow-origin': A,
      'access-control-allow-methods': 'GET,HEAD,PUT,PATCH,POST,DELETE',
      'access-control-allow-headers': 'x-t',
      'access-control-max-age': '60',
    })
  })

  it('allows every origin if no origin is set, even for error responses', async () => {
    const app = await apps.inProcess(optionsFor({ exposedHeaders: ['X-Total'] }))
    for (const path of ['/items', '/missing']) {
      const { headers } = await app.request().get(path).set('Origin', A)
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'X-Total',
      })
    }
    const { headers, status } = await app.request().options('/items').set(preflight)
    expect(status).toBe(204)
    expect(headers['access-control-allow-origin']).toBe('*')
  })
})

describe('the security.cors option', () => {
  const apps = appsOfTest()

  it('allows every origin if it is true', async () => {
    const app = await apps.inProcess({ security: { cors: true } })
    const { headers } = await app.request().get('/items/1').set('Origin', A)
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it.each([undefined, '*', true])(
    'causes a boot error with `credentials: true` if the origin is %s',
    async (origin) => {
      const starting = apps.inProcess({
        security: { cors: { credentials: true, ...(origin === undefined ? {} : { origin }) } },
      })
      await expect(starting).rejects.toThrow(ConfigError)
      await expect(starting).rejects.toThrow(/security\.cors/)
    },
  )

  it('does not keep headers that were added to an earlier response', async () => {
    const app = await apps.inProcess({
      security: { cors: { origin: [A, B], exposedHeaders: ['X-Total'] } },
      middlewares: [
        (req, res, next) => void next(req.headers['x-vary'] && res.vary('X-Vary') && undefined),
      ],
    })
    const ask = (origin: string) => app.request().get('/items/1').set('Origin', origin)
    const varied = await ask(A).set('X-Vary', '1')
    expect(varied.headers.vary).toBe('Origin, X-Vary')
    for (const origin of [A, B, A]) {
      const { headers } = await ask(origin)
      expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
      expect(headers['access-control-expose-headers']).toBe('X-Total')
    }
  })

  it('allows all origins that match a pattern, even more than its cache holds', async () => {
    const app = await apps.inProcess({ security: { cors: { origin: /\.trusted\.example$/ } } })
    for (let i = 0; i < 150; i++) {
      const origin = `https://${i}.trusted.example`
      const { headers } = await app.request().get('/items/1').set('Origin', origin)
      expect(headers['access-control-allow-origin']).toBe(origin)
    }
  })

  it('sends the allowed origin with a 404 response', async () => {
    const app = await apps.inProcess({ security: { cors: { origin: [A] } } })
    const { headers, status } = await app.request().get('/missing').set('Origin', A)
    expect(status).toBe(404)
    expect(headers['access-control-allow-origin']).toBe(A)
  })

  it('sends no CORS headers if it is not set', async () => {
    const app = await apps.inProcess()
    const { headers } = await app.request().get('/items/1').set('Origin', A)
    expect(Object.keys(headers).filter((name) => name.startsWith('access-'))).toEqual([])
  })
})

describe('a promise that security.cors.origin returns', () => {
  const apps = appsOfTest()
  const ask = async (origin: () => Promise<unknown>) => {
    const app = await apps.inProcess({ security: { cors: { origin: origin as never } } })
    return await app.request().get('/items/1').set('Origin', A)
  }

  it('is awaited, and has the same effect as the callback', async () => {
    const allowed = await ask(async () => true)
    expect(allowed.headers).toHaveProperty('access-control-allow-origin', A)
    const refused = await ask(async () => false)
    expect(refused.status).toBe(200)
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('is ignored if the async function has a callback parameter', async () => {
    const app = await apps.inProcess({
      security: {
        cors: {
          origin: async (origin, decide) => void setImmediate(() => decide(null, origin === A)),
        },
      },
    })
    const { status, headers } = await app.request().get('/items/1').set('Origin', A)
    expect([status, headers['access-control-allow-origin']]).toEqual([200, A])
  })

  it.each([
    ['resolves to undefined', async () => undefined],
    ['rejects', () => Promise.reject(new Error('the list is not there'))],
  ])('results in a 500 response if it %s', async (_, origin) => {
    const { status, headers } = await ask(origin)
    expect(status).toBe(500)
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('a misspelled option', () => {
  it.each(['origins', 'orgin', 'allowedOrigins'])(
    'is refused at boot in security.cors: %s',
    async (name) => {
      const problems = await bootProblems({ security: { cors: { [name]: [A] } } })
      expect(problems).toMatchObject([
        { code: 'E_OPTION_INVALID', subject: `security.cors.${name}` },
      ])
    },
  )

  it('is not one of the names that helmet accepts, including its older names', async () => {
    const names = `contentSecurityPolicy crossOriginEmbedderPolicy crossOriginOpenerPolicy crossOriginResourcePolicy
      originAgentCluster referrerPolicy strictTransportSecurity xContentTypeOptions xDnsPrefetchControl xDownloadOptions
      xFrameOptions xPermittedCrossDomainPolicies xPoweredBy xXssProtection`
    const older = `hsts noSniff dnsPrefetchControl ieNoOpen frameguard permittedCrossDomainPolicies hidePoweredBy xssFilter`
    for (const list of [names, `${older} contentSecurityPolicy`]) {
      const helmet = Object.fromEntries(list.split(/\s+/).map((name) => [name, false]))
      expect(await bootWarnings({ security: { helmet } })).toEqual([])
    }
  })

  it('causes a boot warning in security.helmet', async () => {
    const warnings = await bootWarnings({ security: { helmet: { framguard: false } as never } })
    expect(
      warnings.map(({ code, text }) => [code, /security\.helmet\.framguard/.test(text)]),
    ).toEqual([['W_OPTION_UNKNOWN', true]])
  })
})
