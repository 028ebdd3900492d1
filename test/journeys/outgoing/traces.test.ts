import { SpanKind } from '@opentelemetry/api'
import { App, Controller, Get, inject, Outgoing } from 'blazon'
import { otel } from 'blazon/otel'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { isSupported } from '../otel/supported.js'
import { Tracing } from '../otel/tracing.js'
import { otherHost } from './other-host.js'

let tracing: Tracing
beforeAll(() => {
  tracing = new Tracing()
})
afterEach(() => tracing.reset())
afterAll(() => tracing.end())

it.runIf(isSupported)(
  'each outgoing call has one client span, below the span of its handler',
  async () => {
    const host = await otherHost((req, res) => {
      res.statusCode = req.url?.startsWith('/gone') ? 503 : 200
      res.end()
    })

    @Controller('run')
    class RunController {
      readonly #outgoing = inject(Outgoing)

      @Get() async run() {
        await this.#outgoing(`${host.url}/charges?token=canary`)
        await this.#outgoing(`${host.url}/gone`)
        await this.#outgoing('http://127.0.0.1:1/').catch(() => {})
        return []
      }
    }
    const app = await App.create({ controllers: [RunController], plugins: [otel()], logger: false })
    onTestFinished(() => app.close())
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const headers = { traceparent, tracestate: 'v=1' }
    await app.fetch(new Request('http://localhost/run', { headers }))
    const [tree] = await tracing.trees()
    const { host: name, hostname, port } = new URL(host.url)
    const calls = [`GET ${name}`, `GET ${name}`, 'GET 127.0.0.1:1']
    expect(tree).toMatchObject({
      name: 'GET /run',
      children: [{ name: 'handler', children: calls.map((each) => ({ name: each })) }],
    })
    const clients = tracing.ofKind(SpanKind.CLIENT)
    expect(clients).toHaveLength(3)
    expect(clients.map((span) => span.attributes)).toMatchObject([
      {
        'http.request.method': 'GET',
        'server.address': hostname,
        'server.port': Number(port),
        'url.full': `${host.url}/charges`,
        'http.response.status_code': 200,
      },
      { 'http.response.status_code': 503, 'error.type': '503' },
      { 'error.type': 'TypeError' },
    ])
    expect(clients[0]?.attributes).not.toHaveProperty('http.request.resend_count')
    // The other host continues the trace under this span.
    const [first] = clients
    const { traceId, spanId } = first?.spanContext() ?? {}
    expect(traceId).toBe('a'.repeat(32))
    expect(host.got[0]?.headers).toMatchObject({
      traceparent: `00-${traceId}-${spanId}-01`,
      tracestate: 'v=1',
    })
    expect(JSON.stringify(clients.map(({ attributes }) => attributes))).not.toContain('canary')
  },
)

it.runIf(isSupported)(
  'the span of an outgoing call has the default port, the number of repetitions and the name of an error',
  async () => {
    let asked = 0
    const host = await otherHost((_req, res) => {
      res.statusCode = ++asked < 2 ? 503 : 204
      res.end()
    })
    const options = { plugins: [otel()], logger: false, outgoing: { retries: true } } as const
    const app = await App.create(options)
    onTestFinished(() => app.close())
    const outgoing = app.get(Outgoing)
    // The repetitions do not wait.
    const random = vi.spyOn(Math, 'random').mockReturnValue(0)
    await outgoing(host.url)
    random.mockRestore()
    const signal = AbortSignal.abort(Object.assign(new Error('x'), { name: 'GivenUp' }))
    for (const url of ['https://one.invalid/a?b=c', 'http://two.invalid:8080'])
      await outgoing(url, { signal }).catch(() => {})
    const spans = tracing.ofKind(SpanKind.CLIENT)
    expect(spans.map(({ attributes, name }) => [name, attributes])).toMatchObject([
      [`GET ${new URL(host.url).host}`, { 'http.request.resend_count': 1 }],
      [
        'GET one.invalid',
        { 'server.port': 443, 'url.full': 'https://one.invalid/a', 'error.type': 'GivenUp' },
      ],
      ['GET two.invalid:8080', { 'server.port': 8080, 'url.full': 'http://two.invalid:8080/' }],
    ])
    expect(spans[0]?.attributes).not.toHaveProperty('error.type')
  },
)
