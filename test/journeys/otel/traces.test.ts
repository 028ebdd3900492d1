import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SpanKind, trace } from '@opentelemetry/api'
import { App, Controller, Get, getTraceContext, type Request } from 'blazon'
import { otel } from 'blazon/otel'
import express from 'express'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { until } from '../../integrations/until.js'
import { turns } from '../turns.js'
import { gates, LettersController, Plain, send, tracedApps } from './letters.js'
import { isSupported } from './supported.js'
import { Tracing } from './tracing.js'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

const tracing = new Tracing()
const { serve, after } = tracedApps()
afterEach(() => tracing.reset())
afterAll(() => tracing.end())

const servers = () => tracing.ofKind(SpanKind.SERVER)

describe.skipIf(!isSupported)('the trace of a request', () => {
  it('includes work that continues after the response', async () => {
    const { port } = await serve()
    await send(port, 'GET /letters/background')
    await gates.entered.opened
    await until(() => tracing.spans.some(({ name }) => name === 'background'))
    const work = tracing.one('background')
    const server = tracing.one('GET /letters/background')
    expect(work.spanContext().traceId).toBe(server.spanContext().traceId)
    expect(work.parentSpanContext?.spanId).toBe(server.spanContext().spanId)
  })

  it('continues the trace of the caller, in spans, logs and outgoing calls', async () => {
    const lines: Record<string, unknown>[] = []
    const note = (facts: object) => void lines.push(facts as never)
    let outgoing: ReturnType<typeof getTraceContext>
    @Controller()
    class CallingController {
      @Get() get(req: Request) {
        outgoing = getTraceContext(req)
        return 'x'
      }
    }
    const { port } = await serve({
      controllers: [CallingController],
      logs: true,
      logger: { info: note, warn: note, error: note },
    })
    await send(port, `GET /\ntraceparent: 00-${TRACE}-${PARENT}-01\ntracestate: a=b`)
    await tracing.trees()
    const span = tracing.one('GET /')
    const { traceId, spanId } = span.spanContext()
    expect(traceId).toBe(TRACE)
    expect(span.parentSpanContext?.spanId).toBe(PARENT)
    expect(outgoing).toEqual({
      traceId,
      spanId,
      parentId: PARENT,
      flags: 1,
      state: 'a=b',
      headers: { traceparent: `00-${TRACE}-${spanId}-01`, tracestate: 'a=b' },
    })
    expect(lines.find((facts) => 'ms' in facts)).toMatchObject({ trace_id: TRACE, span_id: spanId })
  })

  it('starts with ids that also appear in the log', async () => {
    const lines: Record<string, unknown>[] = []
    const note = (facts: object) => void lines.push(facts as never)
    const { port } = await serve({ logs: true, logger: { info: note, warn: note, error: note } })
    await send(port, 'GET /letters')
    await send(port, 'GET /letters\ntraceparent: nonsense')
    await tracing.trees(2)
    const logged = lines.filter((facts) => 'ms' in facts).map(({ span_id }) => span_id)
    expect(logged).toEqual(servers().map((span) => span.spanContext().spanId))
  })

  it('is independent of the trace in which its application was started', async () => {
    await trace.getTracer('test').startActiveSpan('boot', async (boot) => {
      const { port } = await serve()
      await send(port, 'GET /letters')
      await until(() => servers().length > 0)
      boot.end()
    })
    expect(servers()[0]?.parentSpanContext).toBeUndefined()
  })

  it('continues below the span of an outer server, for example on AWS Lambda', async () => {
    const app = await App.create({
      controllers: [LettersController],
      plugins: [otel()],
      logger: false,
    })
    after(() => app.close())
    const tracer = trace.getTracer('lambda')
    await tracer.startActiveSpan('function', { kind: SpanKind.SERVER }, async (span) => {
      await (await app.fetch(new globalThis.Request('http://a/letters'))).text()
      span.end()
    })
    await until(() => servers().length === 2)
    expect(tracing.one('GET /letters').parentSpanContext?.spanId).toBe(
      tracing.one('function').spanContext().spanId,
    )
  })

  it('has one server span if the request passes through two traced applications', async () => {
    const inner = new App({ controllers: [LettersController], plugins: [otel()], logger: false })
    after(() => inner.close())
    const { port } = await serve({ controllers: [], middlewares: [inner.handler] })
    await send(port, 'GET /letters')
    await send(port, 'GET /nowhere')
    expect((await tracing.trees(2)).map(({ name }) => name)).toEqual(['GET /letters', 'GET'])
    await turns()
    expect(servers()).toHaveLength(2)
  })

  it('has one server span if a host tries two traced applications one after the other', async () => {
    const host = express()
    const plain = { controllers: [Plain], plugins: [otel({ root: '/of/:tenant' })], logger: false }
    const apps = [new App({ plugins: [otel()], logger: false }), new App({ ...plain } as never)]
    for (const app of apps) {
      after(() => app.close())
      host.use('/of/:tenant', app.handler)
    }
    host.use((_req, res) => res.status(204).end())
    const server = createServer(host).listen(0, '127.0.0.1')
    await once(server, 'listening')
    after(() => server.close())
    const { port } = server.address() as AddressInfo
    await send(port, 'GET /of/acme/letters/write')
    await tracing.trees()
    const span = tracing.one('GET /of/:tenant/letters/write')
    expect(span.attributes).toMatchObject({
      'http.route': '/of/:tenant/letters/write',
      'url.path': '/of/acme/letters/write',
    })
    await send(port, 'GET /of/acme/nothing')
    await turns()
    expect(servers()).toHaveLength(1)
  })

  it('belongs to the provider of its application if two applications have different providers', async () => {
    const other = new Tracing()
    after(() => other.provider.shutdown())
    const { port } = await serve()
    const { port: second } = await serve({ plugins: [otel({ tracerProvider: other.provider })] })
    await Promise.all([send(port, 'GET /letters/1'), send(second, 'GET /letters/2')])
    await until(() => servers().length > 0 && other.ofKind(SpanKind.SERVER).length > 0)
    expect(servers().map(({ attributes }) => attributes['url.path'])).toEqual(['/letters/1'])
    const theirs = other.ofKind(SpanKind.SERVER).map(({ attributes }) => attributes['url.path'])
    expect(theirs).toEqual(['/letters/2'])
  })
})
