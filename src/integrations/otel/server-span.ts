import type { Attributes, Context, Span, SpanKind, SpanOptions } from '@opentelemetry/api'
import type { Request } from '../../index.js'
import type { EndedRequest } from '../../plugin/index.js'
import type { ContextKeys, OpenTelemetry, RpcMetadata } from './load-api.js'
import type { OpenedSpan, SpanMaker } from './request-trace.js'

/** Finds or creates the spans of requests. */
export class SpanOpener {
  readonly #api: OpenTelemetry
  readonly #keys: ContextKeys
  readonly #maker: SpanMaker
  readonly #server: SpanKind

  constructor(api: OpenTelemetry, keys: ContextKeys, maker: SpanMaker) {
    this.#api = api
    this.#keys = keys
    this.#maker = maker
    this.#server = api.SpanKind.SERVER
  }

  /** Finds the span that a `node:http` instrumentation created; `null` if there is none. */
  find(active: Context): OpenedSpan | null {
    if (active === this.#api.ROOT_CONTEXT) return null
    const rpc = active.getValue(this.#keys.rpc) as RpcMetadata | undefined
    const isOfRequest = rpc?.type === 'http' && rpc.span !== undefined
    return isOfRequest ? { span: rpc.span as Span, parent: active, rpc } : null
  }

  open(req: Request, active: Context): OpenedSpan {
    const parent = this.#isOfServer(active) ? active : this.#contextOf(req)
    const span = this.#start(req, parent)
    return { span, parent, rpc: null }
  }

  /**
   * Creates the span of a completed request.
   *
   * @param req `null` if Node's parser could not read a request.
   * @param startTime The start, in milliseconds since 1970.
   */
  openAt(req: Request | null, startTime: number): OpenedSpan {
    const parent = req === null ? this.#api.ROOT_CONTEXT : this.#contextOf(req)
    return { span: this.#start(req, parent, startTime), parent, rpc: null }
  }

  #start(req: Request | null, parent: Context, startTime?: number): Span {
    const attributes = req === null ? UNREAD : firstAttributes(req)
    const options: SpanOptions = { kind: this.#server, attributes }
    if (startTime !== undefined) options.startTime = startTime
    return this.#maker.tracer.startSpan(spanNameOf(req?.method), options, parent)
  }

  /**
   * Returns the context that the SDK's propagator reads from the headers. The active context is ignored, because it may
   * be the context in which `listen` was called.
   */
  #contextOf(req: Request): Context {
    const { propagation, ROOT_CONTEXT } = this.#api
    return propagation.extract(ROOT_CONTEXT, req.headers)
  }

  /** Whether the span in a context belongs to a server, such as the span of an AWS Lambda function. */
  #isOfServer(active: Context): boolean {
    if (active === this.#api.ROOT_CONTEXT) return false
    // Spans of SDKs have a `kind`, which the API's type does not include.
    const span = this.#api.trace.getSpan(active) as (Span & { readonly kind?: unknown }) | undefined
    return span?.kind === this.#server && span.isRecording()
  }
}

/**
 * The methods that HTTP defines (RFC 9110, RFC 5789, RFC 10008). All other methods share one name in spans and
 * attributes.
 */
const METHODS = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
])

const OTHER = '_OTHER'
const LONGEST_PATH = 512

function spanNameOf(method: string | undefined): string {
  return method !== undefined && METHODS.has(method) ? method : 'HTTP'
}

/** Returns the attributes that a sampler can use. */
function firstAttributes(req: Request): Attributes {
  const { method, socket } = req
  const isEncrypted = (socket as { readonly encrypted?: boolean } | null)?.encrypted === true
  const isKnown = METHODS.has(method)
  const attributes: Attributes = {
    'http.request.method': isKnown ? method : OTHER,
    'url.path': pathOf(req.originalUrl || req.url),
    'url.scheme': isEncrypted ? 'https' : 'http',
  }
  if (!isKnown) attributes['http.request.method_original'] = method
  return attributes
}

/** The attributes of a request that Node's parser could not read. */
export const UNREAD: Attributes = Object.freeze({ 'http.request.method': OTHER })

/** Returns the path of a URL, without its query. A request target is a path, a whole URL, or `*` (RFC 9112, 3.2). */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  const target = end < 0 ? url : url.slice(0, end)
  const path = target.startsWith('/') ? target : target.replace(/^\w[\w+.-]*:\/\/[^/]*/, '')
  return path.slice(0, LONGEST_PATH)
}

/** Additional information about a completed request. */
export interface EndFacts {
  /** The route pattern, including the path at which the application is mounted; `undefined` without a route. */
  readonly route: string | undefined
  /** The URL without secrets. */
  readonly url: string
  /** The name of the logged error; `undefined` if nothing was logged. */
  readonly errorType: string | undefined
}

/** Describes a completed request. All keys come from the registry of OpenTelemetry's semantic conventions. */
export function describeEnd(span: Span, ended: EndedRequest, facts: EndFacts): void {
  const { req, status } = ended
  const { route } = facts
  if (req !== null) {
    span.setAttribute('url.path', pathOf(facts.url))
    span.setAttribute('network.protocol.version', req.httpVersion)
    if (req.protocol === 'https') span.setAttribute('url.scheme', 'https')
  }
  if (route !== undefined) {
    span.setAttribute('http.route', route)
    span.updateName(`${spanNameOf(req?.method)} ${route}`)
  }
  if (status !== null) span.setAttribute('http.response.status_code', status)
  const error = errorOf(ended, facts)
  if (error !== null) span.setAttribute('error.type', error)
}

/** Whether the request failed on the server. For a server span, a client error does not count as an error. */
export function hasFailed({ status }: Pick<EndedRequest, 'status'>): boolean {
  return status !== null && status >= 500
}

function errorOf(ended: EndedRequest, { errorType }: EndFacts): string | null {
  if (!hasFailed(ended)) return null
  if (ended.outcome === 'timeout') return 'timeout'
  return errorType ?? String(ended.status)
}
