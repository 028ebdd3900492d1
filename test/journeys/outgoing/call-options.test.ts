import { Controller, defineControllers, Get, inject, Metrics, Outgoing, type Request } from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { turns } from '../turns.js'

const HOST = 'https://a.example/'

/** An application whose route and tests send calls, and whose host answers with the headers of the call. */
async function start(
  run: (outgoing: Outgoing, req: Request) => unknown = () => [],
  options: TestOptions = {},
) {
  @Controller('run')
  class RunController {
    readonly #outgoing = inject(Outgoing)
    @Get() async run(req: Request) {
      return (await run(this.#outgoing, req)) ?? []
    }
  }
  const app = await TestApp.create({
    controllers: defineControllers(RunController),
    contract: 'off',
    ...options,
  })
  onTestFinished(() => app.close())
  // From now on, only the test moves the clock.
  await app.clock.advance(0)
  app.outgoing.answer('GET', HOST, ({ headers }) => ({ json: headers }))
  return { app, call: app.get(Outgoing) }
}

const headersOf = async (sent: Promise<Response>) =>
  (await (await sent).json()) as Record<string, string>

describe('the headers of an outgoing call', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  const received = { traceparent, tracestate: 'v=1', 'x-request-id': 'r-1' }

  it('include the headers of a Request, unless the options replace them', async () => {
    const { call } = await start()
    const request = new globalThis.Request(HOST, { headers: { 'x-a': '1' } })
    expect(await headersOf(call(request))).toMatchObject({ 'x-a': '1' })
    const replaced = await headersOf(call(request, { headers: { 'x-b': '2' } }))
    expect([replaced['x-a'], replaced['x-b']]).toEqual([undefined, '2'])
  })

  it('keep the request id and the trace that the application sets', async () => {
    let sent: Record<string, string> = {}
    const own = { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-00`, 'x-request-id': 'own' }
    const { app } = await start(async (outgoing) => {
      sent = await headersOf(outgoing(HOST, { headers: own }))
    })
    await app.request().get('/run').set(received).expect(200)
    expect(sent).toMatchObject(own)
    // It belongs to the other trace.
    expect(sent).not.toHaveProperty('tracestate')
  })

  it('contain neither the request id nor the trace if the URL is public', async () => {
    let sent: Record<string, string> = {}
    const { app } = await start(async (outgoing) => {
      sent = await headersOf(outgoing(HOST, { public: true, headers: { 'x-own': '1' } }))
    })
    await app.request().get('/run').set(received).expect(200)
    expect(Object.keys(sent)).toEqual(['x-own'])
  })
})

describe('the time limit of an outgoing call outside of requests', () => {
  it.each<[string, TestOptions['outgoing'], object, number]>([
    ['30 seconds by default', undefined, {}, 30_000],
    ['that of the application', { timeout: '5s' }, {}, 5000],
    ['that of the application for a longer one', { timeout: '5s' }, { timeout: '1h' }, 5000],
    ['a shorter one', { timeout: '5s' }, { timeout: 2 }, 2000],
  ])('is %s', async (_, outgoing, init, ms) => {
    const { app, call } = await start(undefined, outgoing === undefined ? {} : { outgoing })
    app.outgoing.answer('GET', HOST, () => new Promise(() => {}))
    let error: unknown
    const sent = call(HOST, init).catch((reason: unknown) => {
      error = reason
    })
    while (app.outgoing.calls.length === 0) await turns(1)
    await app.clock.advance(`${ms - 1}ms`)
    await turns()
    expect(error).toBeUndefined()
    await app.clock.advance('1ms')
    await sent
    expect(error).toMatchObject({
      name: 'TimeoutError',
      message: `The call to a.example took longer than ${ms} ms`,
    })
  })

  it.each([0, -1, '0s', Number.NaN])('must be greater than 0: %s', async (timeout) => {
    const { call } = await start()
    await expect(call(HOST, { timeout: timeout as never })).rejects.toThrow(
      `outgoing(): ${timeout} is not a duration greater than 0.`,
    )
  })
})

describe('an outgoing call', () => {
  it.each(['https://ada@a.example/', 'https://:canary@a.example/'])(
    'is refused if its URL has a user or a password: %s',
    async (url) => {
      const { app, call } = await start()
      const error = await call(url).catch(String)
      expect(error).toMatch('the URL of a.example has a user or a password')
      expect(error).not.toContain('canary')
      expect(app.outgoing.calls).toEqual([])
    },
  )

  it.each(['the signal of a Request', 'the option `signal`'])(
    'ends with %s, and is not sent if it has ended before',
    async (kind) => {
      const { app, call } = await start()
      const send = (signal: AbortSignal) =>
        kind === 'the option `signal`'
          ? call(HOST, { signal })
          : call(new globalThis.Request(HOST, { signal }))
      await expect(send(AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
      expect(app.outgoing.calls).toEqual([])
      app.outgoing.answer('GET', HOST, () => new Promise(() => {}))
      const controller = new AbortController()
      const sent = send(controller.signal)
      while (app.outgoing.calls.length === 0) await turns(1)
      controller.abort(new Error('during'))
      await expect(sent).rejects.toThrow('during')
    },
  )

  it.each<[string, string | globalThis.Request, object]>([
    ['the options', HOST, { redirect: 'manual' }],
    ['a Request', new globalThis.Request(HOST, { redirect: 'manual' }), {}],
    ['the options of a public URL', HOST, { redirect: 'manual', public: true }],
  ])('follows no redirect if %s forbid it', async (_, input, init) => {
    const { app, call } = await start()
    app.outgoing.answer('GET', HOST, { status: 302, headers: { location: '/b' } })
    app.outgoing.answer('GET', `${HOST}b`, { body: 'end' })
    const response = await call(input, init)
    expect([response.status, response.redirected]).toEqual([302, false])
  })

  it('follows redirects if the options replace those of a Request', async () => {
    const { app, call } = await start()
    app.outgoing.answer('GET', HOST, { status: 302, headers: { location: '/b' } })
    app.outgoing.answer('GET', `${HOST}b`, { body: 'end' })
    const request = new globalThis.Request(HOST, { redirect: 'error' })
    expect(await (await call(request, { redirect: 'follow' })).text()).toBe('end')
    await expect(call(request)).rejects.toThrow('fetch failed')
  })

  it('receives null as JSON, and no body for HEAD', async () => {
    const { app, call } = await start()
    app.outgoing.answer('GET', HOST, { json: null })
    expect(await (await call(HOST)).text()).toBe('null')
    app.outgoing.answer('HEAD', HOST, { body: 'text', headers: { 'x-a': '1' } })
    const head = await call(HOST, { method: 'HEAD' })
    expect([await head.text(), head.headers.get('x-a')]).toEqual(['', '1'])
  })

  it('is counted by host, method and status class', async () => {
    const { app, call } = await start()
    for (const [method, status] of [
      ['get', 204],
      ['GET', 299],
      ['POST', 301],
      ['MKCOL', 404],
    ] as const) {
      app.outgoing.answer(method, HOST, { status })
      await call(HOST, { method })
    }
    app.outgoing.answer('GET', 'https://b.example/', { status: 500 })
    await call('https://b.example/', { public: true })
    const counts = app
      .get(Metrics)
      .list()
      .find(({ name }) => name === 'outgoing_calls_total')
    expect(counts?.read()).toEqual([
      { labels: { host: 'a.example', method: 'GET', status: '2xx' }, value: 2 },
      { labels: { host: 'a.example', method: 'POST', status: '3xx' }, value: 1 },
      { labels: { host: 'a.example', method: 'other', status: '4xx' }, value: 1 },
      { labels: { host: 'public', method: 'GET', status: '5xx' }, value: 1 },
    ])
  })
})
