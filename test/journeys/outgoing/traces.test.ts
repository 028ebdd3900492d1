import { SpanKind } from '@opentelemetry/api'
import { App, Controller, Get, inject, Outgoing } from 'blazon'
import { otel } from 'blazon/otel'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { isSupported } from '../otel/supported.js'
import { Tracing } from '../otel/tracing.js'
import { otherHost } from './other-host.js'

let tracing: Tracing
beforeAll(() => {
  tracing = new Tracing()
})
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
