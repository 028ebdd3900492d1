import type { Attributes, Context, Span, SpanOptions } from '@opentelemetry/api'
import {
  type ErrorContext,
  InjectionToken,
  type Plugin,
  type Request,
  type RouteModel,
} from '../../index.js'
import {
  type CallResult,
  type EndCall,
  type EndedRequest,
  type NewCall,
  type ObserverSetup,
  orStandIn,
  type RequestObserver,
  type StepName,
  setTraceContext,
} from '../../plugin/index.js'
import { findContextKeys, loadApi, type OpenTelemetry, type RpcMetadata } from './load-api.js'
import { checkOtelOptions, type OtelOptions } from './otel-options.js'
import { RequestTrace, type SpanMaker } from './request-trace.js'
import { describeEnd, hasFailed, SpanOpener } from './server-span.js'
import { StatementSpans } from './statement-spans.js'

/** The package `@opentelemetry/api`, which is loaded before the first instance is created. */
const kApi = new InjectionToken<OpenTelemetry>('@opentelemetry/api')

/**
 * Creates a plugin that traces requests with OpenTelemetry: one span for each request, named after its method and
 * route, and one for each step that can take time, each database statement and each call through `inject(Outgoing)`.
 * The plugin works in ES modules without `--import`, because it patches no modules. Names and attributes follow the
 * stable semantic conventions for HTTP. No attribute contains a header, a query or a body.
 *
 * If `@opentelemetry/instrumentation-http` has already created a span for a request, the plugin names and completes
 * that span.
 *
 * @param options If omitted, all these spans are created. The plugin needs the peer dependency `@opentelemetry/api`,
 * and an SDK that is started before the first request.
 * @throws ConfigError at boot if an option is invalid, or if `@opentelemetry/api` is not installed or too old.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 * @example
 * const app = new App({ controllers: [OrdersController], plugins: [otel()] })
 */
export function otel(options: OtelOptions = {}): Plugin {
  return orStandIn(
    () => {
      checkOtelOptions(options)
      return tracing(options)
    },
    () => tracing({}),
  )
}

function tracing(options: OtelOptions): Plugin {
  return {
    name: 'otel',
    providers: [{ token: kApi, useFactory: () => loadApi() }],
    requests: (app: ObserverSetup): RequestObserver => observeTraces(app.get(kApi), options, app),
  }
}

/** Matches a class name. Other names could differ for every error, and `error.type` must have few different values. */
const NAME = /^[A-Za-z_$][\w$.]{0,99}$/

/**
 * Adds an error to a span as an event.
 *
 * @param error The error as the application logs it, without secrets.
 * @returns the name of the error; `undefined` if it has no class name.
 */
function recordError(span: Span, error: unknown): string | undefined {
  const { name, message, stack } = fieldsOf(error)
  span.recordException({
    name: name ?? typeof error,
    message: message ?? '',
    ...(stack !== undefined && { stack }),
  })
  return name !== undefined && NAME.test(name) ? name : undefined
}

type Fields = Partial<Record<'name' | 'message' | 'stack', string>>

/** Reads the fields of an error. Any value can be thrown, even a proxy that throws when it is read. */
function fieldsOf(error: unknown): Fields {
  try {
    if (typeof error !== 'object' || error === null) return { message: String(error) }
    const { name, message, stack } = error as Readonly<Record<string, unknown>>
    return { ...textOf('name', name), ...textOf('message', message), ...textOf('stack', stack) }
  } catch {
    return {}
  }
}

function textOf(key: keyof Fields, value: unknown): Fields {
  return typeof value === 'string' ? { [key]: value } : {}
}

/** The spans of a request. Applications that pass the request on to each other share them. */
const kTrace: unique symbol = Symbol('blazon.otel.trace')

interface Traced extends Request {
  [kTrace]?: RequestTrace
}

/** Observes the requests of one application, and creates their spans. */
function observeTraces(
  api: OpenTelemetry,
  options: OtelOptions,
  app: ObserverSetup,
): RequestObserver {
  const traces = new Traces(api, options, app)
  return {
    around: traces.around,
    onError: traces.onError,
    onEnd: traces.onEnd,
    onCall: traces.onCall,
    needsBytes: false,
    // Statements belong to the active span, so request events are not needed.
    needsRequests: false,
    ...(options.steps !== false && { onStep: traces.onStep }),
    ...(options.statements !== false && { onStatement: traces.onStatement }),
  }
}

class Traces {
  readonly #api: OpenTelemetry
  readonly #options: OtelOptions
  readonly #maker: SpanMaker
  readonly #opener: SpanOpener
  readonly #urlOf: ObserverSetup['urlOf']
  /** The span options for handlers. */
  readonly #handlers: ReadonlyMap<unknown, SpanOptions>
  /** The context for requests without spans. */
  readonly #suppressed: Context

  constructor(api: OpenTelemetry, options: OtelOptions, { model, urlOf }: ObserverSetup) {
    const keys = findContextKeys(api)
    const tracer = (options.tracerProvider ?? api.trace).getTracer('blazon')
    this.#api = api
    this.#options = options
    this.#maker = { tracer, spanKey: keys.span }
    this.#opener = new SpanOpener(api, keys, this.#maker)
    this.onStatement = new StatementSpans(api, this.#maker).note
    this.onCall = new CallSpans(api, this.#maker).begin
    this.#urlOf = urlOf
    this.#handlers = new Map(model.routes.map((route) => [route, handlerOptions(route)]))
    this.#suppressed = api.ROOT_CONTEXT.setValue(keys.isSuppressed, true)
  }

  readonly around = (req: Traced, next: () => void): void => {
    const { context } = this.#api
    const known = req[kTrace]
    if (known !== undefined && !known.isOver) return context.with(known, next)
    const active = context.active()
    const found = this.#opener.find(active)
    if (this.#options.ignore?.(req) === true) {
      if (found === null) context.with(this.#suppressed, next)
      return
    }
    const trace = new RequestTrace(found ?? this.#opener.open(req, active), this.#maker)
    req[kTrace] = trace
    setTraceContext(req, trace.server.spanContext())
    // The span of an instrumentation is already active. A context is also entered if its span is not recorded.
    // Otherwise, the spans of other instrumentations would have no parent, and a sampler would record some of them as
    // separate traces.
    if (found === null || trace.isRecorded) context.with(trace, next)
  }

  readonly onStep = (req: Traced, step: StepName): void => {
    const trace = req[kTrace]
    if (trace === undefined || !trace.isRecorded || trace.isOver) return
    trace.enter(step, step === 'handler' ? this.#handlers.get(req.route) : undefined)
  }

  readonly onStatement: StatementSpans['note']

  readonly onCall: CallSpans['begin']

  readonly onError = (error: unknown, { req }: ErrorContext): void => {
    const trace = (req as Traced | undefined)?.[kTrace]
    if (trace === undefined || !trace.isRecorded || trace.isOver) return
    trace.errorType = recordError(trace.server, error) ?? trace.errorType
  }

  readonly onEnd = (ended: EndedRequest): void => {
    const trace = (ended.req as Traced | null)?.[kTrace]
    if (trace === undefined) return this.#afterwards(ended)
    // An inner application has already ended the trace.
    if (trace.isOver) return
    trace.isOver = true
    trace.endStep()
    try {
      if (trace.isRecorded) this.#complete(trace, ended)
    } finally {
      if (trace.rpc === null) trace.server.end()
    }
  }

  /** Creates the span of a request whose start was not observed: a WebSocket, or bytes that Node's parser rejected. */
  #afterwards(ended: EndedRequest): void {
    const { req, cause, startedAt, durationMs } = ended
    if (cause !== 'parser' && cause !== 'upgrade') return
    if (req !== null && this.#options.ignore?.(req) === true) return
    const trace = new RequestTrace(this.#opener.openAt(req, startedAt), this.#maker)
    try {
      if (trace.isRecorded) this.#complete(trace, ended)
    } finally {
      trace.server.end(startedAt + durationMs)
    }
  }

  #complete({ server, errorType, rpc }: RequestTrace, ended: EndedRequest): void {
    const { req, route } = ended
    const path = route === null ? undefined : this.#pathOf(route, rpc)
    const url = req === null ? '' : this.#urlOf(req)
    describeEnd(server, ended, { route: path, url, errorType })
    if (hasFailed(ended)) server.setStatus({ code: this.#api.SpanStatusCode.ERROR })
    const more = this.#options.attributes?.(ended)
    if (more !== undefined) server.setAttributes(more)
  }

  /**
   * Returns the route pattern. If an instrumentation created the span, it also receives the pattern, and uses it to
   * name the span.
   */
  #pathOf({ path }: RouteModel, rpc: RpcMetadata | null): string {
    const { root = '' } = this.#options
    const full = root === '' || path !== '/' ? root + path : root
    if (rpc === null) return full
    rpc.route ??= full
    return rpc.route
  }
}

function handlerOptions({ name }: RouteModel): SpanOptions {
  return { attributes: { 'code.function.name': name } }
}

/**
 * Creates a span for each call through `inject(Outgoing)`. The other host continues the trace, unless the call has the
 * option `public`.
 */
class CallSpans {
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

/** Sends the span's context, so that the other host's spans become its children. */
function continueTrace(headers: Headers, span: Span): void {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  // Without an SDK, spans have no ID.
  if (/^0+$/.test(traceId)) return
  const flags = traceFlags.toString(16).padStart(2, '0')
  headers.set('traceparent', `00-${traceId}-${spanId}-${flags}`)
  const state = traceState?.serialize()
  if (state) headers.set('tracestate', state)
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Returns the attributes of a call. The query may be secret, so it is removed from the URL. */
function attributesOf({ method, url }: NewCall): Attributes {
  return {
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': url.port === '' ? (PORTS[url.protocol] ?? 0) : Number(url.port),
    'url.full': `${url.origin}${url.pathname}`,
  }
}

/**
 * Returns the error type; `null` if the call succeeded. The error message is not used, because it may contain user
 * data.
 */
function errorTypeOf(status: number | null, error: unknown): string | null {
  if (status !== null) return status >= 400 ? String(status) : null
  const { name } = Object(error) as { readonly name?: unknown }
  return typeof name === 'string' ? name : '_OTHER'
}
