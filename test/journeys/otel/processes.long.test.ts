import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../integrations/until.js'
import { send } from '../express/support.js'
import { Child, OPEN_TELEMETRY } from './child.js'
import { KNOWN_ATTRIBUTES } from './semantic-conventions.js'
import { isSupported } from './supported.js'

const APPLICATION = `
  import { App, Controller, Get } from 'blazon'
  import { otel } from 'blazon/otel'
  import { trace } from '@opentelemetry/api'
  import express from 'express'

  @Controller('letters')
  class LettersController {
    @Get(':id')
    async one(req) {
      await new Promise((resolve) => setImmediate(resolve))
      const active = trace.getActiveSpan()?.spanContext()
      trace.getTracer('app').startSpan('query').end()
      return { id: req.params.id, active }
    }

    @Get('broken/now')
    broken() { throw new TypeError('no ink') }
  }

  const create = () => new App({ controllers: [LettersController], plugins: [otel()], logger: false })
  const { port } = await create().listen(0, { host: '127.0.0.1', announce: false })
  const host = express().use('/of/acme', create().handler)
  const server = host.listen(0, '127.0.0.1', () =>
    process.send({ port, hostPort: server.address().port }))
  process.on('message', async () => process.send(await globalThis.told()))
`

interface Ports {
  readonly port: number
  readonly hostPort: number
}

/** What the OTLP protocol sends, in JSON: the parts that this test reads. */
interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string }
      readonly spans: readonly OtlpSpan[]
    }[]
  }[]
}

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number }
}

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number }
  readonly events: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[]
}

/** A receiver of OTLP over HTTP, such as a collector. */
class Receiver {
  readonly received: { readonly type: string | undefined; readonly body: Exported }[] = []
  readonly #server: Server = createServer(
    (req, res) => void this.#take(req).then(() => res.end('{}')),
  )

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`
  }

  get spans(): readonly OtlpSpan[] {
    const scopes = this.received.flatMap(({ body }) => body.resourceSpans)
    return scopes.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #take(req: IncomingMessage): Promise<void> {
    this.received.push({ type: req.headers['content-type'], body: JSON.parse(await text(req)) })
  }
}

describe.skipIf(!isSupported)('an ES module that is started by plain Node', () => {
  const receiver = new Receiver()
  let child: Child
  let ports: Ports

  beforeAll(async () => {
    const url = await receiver.listen()
    const tracing = `
      import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
      import { resourceFromAttributes } from '@opentelemetry/resources'
      import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'

      const exporter = new OTLPTraceExporter({ url: process.env.COLLECTOR })
      new NodeTracerProvider({
        resource: resourceFromAttributes({ 'service.name': 'letters' }),
        spanProcessors: [new SimpleSpanProcessor(exporter)],
      }).register()
    `
    const files = { 'tracing.mjs': tracing, 'app.mjs': `import './tracing.mjs'\n${APPLICATION}` }
    child = new Child({ packages: OPEN_TELEMETRY, files, env: { COLLECTOR: url } })
    ports = await child.next<Ports>()
  })
  afterAll(() => {
    child.end()
    receiver.close()
  })

  it('sends its spans to a collector as a tree', async () => {
    const caller = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await send(ports.port, { path: '/letters/7?q=1', headers: { traceparent: caller } })
    await until(() => receiver.spans.length === 3)
    for (const { type, body } of receiver.received) {
      expect(type).toBe('application/json')
      expect(body.resourceSpans[0]?.resource.attributes).toContainEqual({
        key: 'service.name',
        value: { stringValue: 'letters' },
      })
    }
    const [server, handler, query] = ['GET /letters/:id', 'handler', 'query'].map((name) =>
      receiver.spans.find((span) => span.name === name),
    )
    expect(server).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
      kind: 2,
    })
    expect(handler?.parentSpanId).toBe(server?.spanId)
    expect(query?.parentSpanId).toBe(handler?.spanId)
    const keys = server?.attributes.map(({ key }) => key) ?? []
    expect(keys.filter((key) => !KNOWN_ATTRIBUTES.has(key))).toEqual([])
    expect(server?.attributes).toContainEqual({
      key: 'http.response.status_code',
      value: { intValue: 200 },
    })
    const nanos = BigInt(server?.endTimeUnixNano ?? 0) - BigInt(server?.startTimeUnixNano ?? 0)
    expect(nanos).toBeGreaterThan(0n)
  })

  it('sends errors with their message', async () => {
    await send(ports.port, { path: '/letters/broken/now' })
    const find = () => receiver.spans.find(({ name }) => name === 'GET /letters/broken/now')
    await until(() => find() !== undefined)
    expect(find()?.status).toEqual({ code: 2 })
    expect(find()?.events[0]?.attributes).toContainEqual({
      key: 'exception.message',
      value: { stringValue: 'no ink' },
    })
  })
})

interface Told {
  readonly name: string
  readonly kind: number
  readonly id: string
  readonly parent: string | null
  readonly attributes: Readonly<Record<string, unknown>>
  readonly scope: string
}

const INSTRUMENTED = `
  import { register } from 'node:module'
  import { registerInstrumentations } from '@opentelemetry/instrumentation'
  import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express'
  import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
  import { AlwaysOffSampler, AlwaysOnSampler, InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'

  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url)
  const exporter = new InMemorySpanExporter()
  new NodeTracerProvider({
    sampler: process.env.SAMPLED === 'no' ? new AlwaysOffSampler() : new AlwaysOnSampler(),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  }).register()
  registerInstrumentations({
    instrumentations: [
      new HttpInstrumentation(),
      ...(process.env.EXPRESS === 'yes' ? [new ExpressInstrumentation()] : []),
    ],
  })
  globalThis.told = async () =>
    exporter.getFinishedSpans().map((span) => ({
      name: span.name,
      kind: span.kind,
      attributes: span.attributes,
      id: span.spanContext().spanId,
      parent: span.parentSpanContext?.spanId ?? null,
      scope: span.instrumentationScope.name,
    }))
`

describe.skipIf(!isSupported)('an application whose node:http is also instrumented', () => {
  let child: Child
  let ports: Ports
  let seen = 0

  async function start(env: Record<string, string> = {}): Promise<void> {
    const files = { 'instrument.mjs': INSTRUMENTED, 'app.mjs': APPLICATION }
    const node = ['--import', './instrument.mjs']
    child = new Child({ packages: OPEN_TELEMETRY, files, node, env })
    ports = await child.next<Ports>()
    seen = 0
  }
  afterEach(() => child.end())

  /** The spans of one request, as soon as its server span has ended. */
  async function spansOf(port: number, path: string): Promise<readonly Told[]> {
    await send(port, { path })
    let spans: readonly Told[] = []
    await until(async () => {
      spans = (await child.ask<readonly Told[]>('told')).slice(seen)
      return spans.some(({ kind }) => kind === 1)
    })
    seen += spans.length
    return spans
  }

  async function expectMounted(): Promise<void> {
    const spans = await spansOf(ports.hostPort, '/of/acme/letters/7')
    expect(spans.filter(({ kind }) => kind === 1)).toMatchObject([
      { name: 'GET /of/acme/letters/:id', attributes: { 'http.route': '/of/acme/letters/:id' } },
    ])
  }

  it('has exactly one server span per request, with the route as its name and child spans', async () => {
    await start()
    const spans = await spansOf(ports.port, '/letters/7?q=1')
    const servers = spans.filter(({ kind }) => kind === 1)
    expect(servers).toMatchObject([
      {
        name: 'GET /letters/:id',
        scope: '@opentelemetry/instrumentation-http',
        attributes: { 'http.route': '/letters/:id', 'http.response.status_code': 200 },
      },
    ])
    const handler = spans.find(({ name }) => name === 'handler')
    expect(handler?.parent).toBe(servers[0]?.id)
    expect(spans.find(({ name }) => name === 'query')?.parent).toBe(handler?.id)
    expect(spans).toHaveLength(3)

    // Also without a route, for a request that fails, and below the mount path of a host.
    expect(await spansOf(ports.port, '/nowhere')).toMatchObject([{ name: 'GET', kind: 1 }])
    const failed = await spansOf(ports.port, '/letters/broken/now')
    expect(failed.filter(({ kind }) => kind === 1)).toMatchObject([
      { name: 'GET /letters/broken/now', attributes: { 'error.type': 'TypeError' } },
    ])
    await expectMounted()
  })

  it('has one server span below the mount path of a host, even if Express is instrumented', async () => {
    await start({ EXPRESS: 'yes' })
    await expectMounted()
  })

  it('has no spans for an unsampled request, but continues its trace', async () => {
    await start({ SAMPLED: 'no' })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const { text: body } = await send(ports.port, { path: '/letters/7', headers: { traceparent } })
    expect(JSON.parse(body).data.active).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      traceFlags: 0,
    })
    expect(await child.ask('told')).toEqual([])
  })
})

describe('an application without the OpenTelemetry packages', () => {
  let child: Child | undefined
  afterEach(() => child?.end())

  const program = (plugins: string) => `
    import Module, { register } from 'node:module'
    import { MessageChannel } from 'node:worker_threads'

    // Both loaders of Node tell what is resolved.
    const resolved = []
    const { _resolveFilename } = Module
    Module._resolveFilename = function (name, ...rest) {
      resolved.push(name)
      return _resolveFilename.call(this, name, ...rest)
    }
    const { port1, port2 } = new MessageChannel()
    port1.on('message', (name) => resolved.push(name)).unref()
    const hook = \`
      let port
      export const initialize = (given) => void (port = given)
      export const resolve = (name, context, next) => (port.postMessage(name), next(name, context))\`
    register('data:text/javascript,' + encodeURIComponent(hook), { data: port2, transferList: [port2] })
    const { App, Controller, Get } = await import('blazon')
    ${plugins === '' ? '' : "const { otel } = await import('blazon/otel')"}

    @Controller()
    class PlainController {
      @Get() get() { return 'plain' }
    }
    try {
      const app = await App.create({ controllers: [PlainController], plugins: [${plugins}], logger: false })
      const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
      const status = (await fetch('http://127.0.0.1:' + port)).status
      const isGlobal = Symbol.for('opentelemetry.js.api.1') in globalThis
      process.send({ status, isGlobal, resolved })
    } catch (error) {
      process.send({ error: error.message })
    }
  `

  it('does not load them, and defines no global variable', async () => {
    child = new Child({ files: { 'app.mjs': program('') } })
    const told = await child.next<{ status: number; isGlobal: boolean; resolved: string[] }>()
    expect(told).toMatchObject({ status: 200, isGlobal: false })
    expect(told.resolved).toContain('express/lib/request.js')
    expect(told.resolved.filter((name) => /@opentelemetry|integrations.otel/.test(name))).toEqual(
      [],
    )
  })

  it('reports at boot that the plugin requires them', async () => {
    child = new Child({ files: { 'app.mjs': program('otel()') } })
    const { error } = await child.next<{ error: string }>()
    expect(error).toContain('[E_PEER_MISSING] blazon/otel')
    expect(error).toContain('npm install @opentelemetry/api')
  })
})
