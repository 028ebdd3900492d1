import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Context, context, createContextKey, SpanKind, trace } from '@opentelemetry/api'
import { App, type AppOptions } from 'blazon'
import { otel } from 'blazon/otel'
import express from 'express'
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { turns } from '../turns.js'
import { LettersController, send } from './letters.js'
import { isSupported } from './supported.js'
import { Tracing } from './tracing.js'

const RPC = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA')

const tracing = new Tracing()
afterEach(() => tracing.reset())
afterAll(() => tracing.end())

const servers = () => tracing.ofKind(SpanKind.SERVER)

async function startApp(options: AppOptions = {}) {
  const parts = { controllers: [LettersController], plugins: [otel()], logger: false } as const
  const app = await App.create({ ...parts, ...options })
  onTestFinished(() => app.close())
  return app
}

/** Sends a request as an instrumentation of `node:http` does: in the context of a span that the instrumentation ends. */
async function sendInstrumented(app: App, path: string, metadata: object = {}) {
  const span = trace.getTracer('http').startSpan('GET', { kind: SpanKind.SERVER })
  const rpc: { route?: string } = { type: 'http', span, ...metadata } as object
  const active: Context = trace.setSpan(context.active(), span).setValue(RPC, rpc)
  const request = new globalThis.Request(`http://a${path}`)
  const response = await context.with(active, () => app.fetch(request))
  await response.text()
  await turns()
  const isOpen = span.isRecording()
  span.end()
  return { rpc, isOpen }
}

describe.skipIf(!isSupported)('a request that an HTTP instrumentation already traces', () => {
  it('has only the span of the instrumentation, which gets the route and the status', async () => {
    const { rpc, isOpen } = await sendInstrumented(await startApp(), '/letters/7')
    // The instrumentation ends its span itself, and names it after the route.
    expect([rpc.route, isOpen]).toEqual(['/letters/:id', true])
    expect(await tracing.trees()).toEqual([
      { name: 'GET /letters/:id', children: [{ name: 'handler' }] },
    ])
    expect(servers()[0]?.attributes).toMatchObject({
      'http.route': '/letters/:id',
      'http.response.status_code': 200,
      'url.path': '/letters/7',
    })
  })

  it('has a route that begins with the path at which a host mounts the application', async () => {
    const app = await startApp()
    const host = express()
    const span = trace.getTracer('http').startSpan('GET', { kind: SpanKind.SERVER })
    const rpc: { route?: string } = { type: 'http', span } as object
    const active = trace.setSpan(context.active(), span).setValue(RPC, rpc)
    host.use((_req, _res, next) => context.with(active, next))
    host.use('/of/acme', app.handler)
    const server = createServer(host).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    await send((server.address() as AddressInfo).port, 'GET /of/acme/letters/7')
    await turns()
    span.end()
    expect(rpc.route).toBe('/of/acme/letters/:id')
    expect(servers()[0]?.attributes['http.route']).toBe('/of/acme/letters/:id')
  })

  it('keeps the spans of its code if the plugin ignores the request', async () => {
    const app = await startApp({ plugins: [otel({ ignore: () => true })] })
    await sendInstrumented(app, '/letters')
    expect(await tracing.trees()).toEqual([{ name: 'GET', children: [{ name: 'query' }] }])
    expect(servers()[0]?.attributes).toEqual({})
  })

  it('has a span of its own below the active span if the instrumentation is of another kind', async () => {
    const app = await startApp()
    for (const metadata of [{ type: 'grpc' }, { span: undefined }]) {
      tracing.reset()
      expect((await sendInstrumented(app, '/letters', metadata)).isOpen).toBe(true)
      expect(await tracing.trees()).toMatchObject([
        { name: 'GET', children: [{ name: 'GET /letters' }] },
      ])
    }
  })
})
