import type { Attributes, Span } from '@opentelemetry/api'
import type { CallResult, EndCall, NewCall } from '../../plugin/index.js'
import type { OpenTelemetry } from './load-api.js'
import type { SpanMaker } from './request-trace.js'

/** Makes a span of each call of `inject(Outgoing)`. The other host continues its trace. */
export class CallSpans {
  readonly #api: OpenTelemetry
  readonly #maker: SpanMaker

  constructor(api: OpenTelemetry, maker: SpanMaker) {
    this.#api = api
    this.#maker = maker
  }

  readonly begin = (call: NewCall): EndCall | undefined => {
    const { context, SpanKind } = this.#api
    const active = context.active()
    const { method, url } = call
    const span = this.#maker.tracer.startSpan(
      `${method} ${url.host}`,
      { kind: SpanKind.CLIENT, attributes: attributesOf(call) },
      active,
    )
    if (!call.isPublic) continueTrace(call.headers, span)
    return (result) => this.#end(span, result)
  }

  #end(span: Span, { status, error, attempts }: CallResult): void {
    if (attempts > 1) span.setAttribute('http.request.resend_count', attempts - 1)
    if (status !== null) span.setAttribute('http.response.status_code', status)
    const type = errorTypeOf(status, error)
    if (type !== null) {
      span.setAttribute('error.type', type)
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
    }
    span.end()
  }
}

/** Names the span as the parent of what the other host does. */
function continueTrace(headers: Headers, span: Span): void {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  // Without an SDK, no span has an id.
  if (/^0+$/.test(traceId)) return
  const flags = traceFlags.toString(16).padStart(2, '0')
  headers.set('traceparent', `00-${traceId}-${spanId}-${flags}`)
  const state = traceState?.serialize()
  if (state) headers.set('tracestate', state)
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** The query may be secret, so the URL has none. */
function attributesOf({ method, url }: NewCall): Attributes {
  return {
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': url.port === '' ? (PORTS[url.protocol] ?? 0) : Number(url.port),
    'url.full': `${url.origin}${url.pathname}`,
  }
}

/** `null` for a success. The message of an error may have data of users. */
function errorTypeOf(status: number | null, error: unknown): string | null {
  if (status !== null) return status >= 400 ? String(status) : null
  const { name } = Object(error) as { readonly name?: unknown }
  return typeof name === 'string' ? name : '_OTHER'
}
