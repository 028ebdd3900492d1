import { App, type AppOptions, type Middleware } from 'blazon'
import { addHeaders } from 'blazon/plugin'
import { expect, it, onTestFinished, vi } from 'vitest'

const answer: Middleware = (_req, res) => void res.json({ n: 1 })

/**
 * The headers of a response of an application that nothing observes. Its head is written in one call, unless a
 * middleware could detect the difference.
 */
async function headersOf(middlewares: Middleware[], options: AppOptions = {}) {
  // In development, the framework waits for the end of responses that a middleware sends.
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())
  const app = await App.create({ controllers: [], logger: false, middlewares, ...options })
  onTestFinished(() => app.close())
  const { port } = await app.listen(0, '127.0.0.1')
  const { status, headers } = await fetch(`http://127.0.0.1:${port}/`)
  return { status, headers }
}

it('a head has no security headers if a middleware has removed all of them', async () => {
  const { headers } = await headersOf([
    (_req, res, next) => {
      for (const name of res.getHeaderNames()) res.removeHeader(name)
      next()
    },
    answer,
  ])
  expect(['x-frame-options', 'x-content-type-options'].filter((name) => headers.has(name))).toEqual(
    [],
  )
})

it('a head has all security headers except the one that a middleware has removed', async () => {
  const { headers } = await headersOf([
    (_req, res, next) => next(void res.removeHeader('X-Frame-Options')),
    answer,
  ])
  expect([headers.get('x-frame-options'), headers.get('x-content-type-options')]).toEqual([
    null,
    'nosniff',
  ])
})

it.each(['finish', 'close'])(
  'the headers of a sent response can be read at its %s',
  async (event) => {
    const seen: unknown[] = []
    const { headers } = await headersOf([
      (_req, res, next) => {
        res.once(event, () =>
          seen.push(res.getHeader('content-type'), res.getHeader('content-length')),
        )
        next()
      },
      answer,
    ])
    const names = ['content-type', 'content-length']
    await expect.poll(() => seen.map(String)).toEqual(names.map((name) => headers.get(name)))
  },
)

it.each([true, false])(
  'a head has each header once if the first head was refused (helmet: %s)',
  async (helmet) => {
    const { status, headers } = await headersOf(
      [(_req, res, next) => next(void Object.assign(res, { statusMessage: 'a\r\nb' })), answer],
      { security: { helmet } },
    )
    expect([status, headers.get('content-type'), headers.get('x-frame-options')]).toEqual([
      500,
      'application/json; charset=utf-8',
      helmet ? 'SAMEORIGIN' : null,
    ])
  },
)

it('a header that was set after it was added stays the same in a mounted application', async () => {
  const inner = await App.create({ controllers: [], logger: false, middlewares: [answer] })
  onTestFinished(() => inner.close())
  const { headers } = await headersOf([
    (_req, res, next) => {
      addHeaders(res, ['X-Set', 'added', 'X-Kept', 'added'])
      res.setHeader('X-Set', 'set')
      next()
    },
    inner.handler as Middleware,
  ])
  expect([headers.get('x-set'), headers.get('x-kept')]).toEqual(['set', 'added'])
})

it('a response has few listeners, however many applications have passed it on', async () => {
  const passing = await Promise.all(
    Array.from({ length: 12 }, () => App.create({ controllers: [], logger: false })),
  )
  onTestFinished(async () => {
    for (const app of passing) await app.close()
  })
  let count = 0
  const look: Middleware = (_req, res, next) => {
    count = res.listenerCount('error')
    next()
  }
  const handlers = passing.map(({ handler }) => handler as Middleware)
  expect((await headersOf([...handlers, look, answer])).status).toBe(200)
  expect(count).toBeLessThan(3)
})
