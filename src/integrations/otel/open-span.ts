import type { Context, Span, SpanKind, SpanOptions } from '@opentelemetry/api'
import type { Request } from '../../index.js'
import type { ContextKeys, RpcMetadata } from './context-keys.js'
import type { OpenTelemetry } from './load-api.js'
import type { OpenedSpan, SpanMaker } from './request-trace.js'
import { firstAttributes, spanNameOf, UNREAD } from './server-span.js'

/** Finds or makes the spans of requests. */
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

  /** Finds the span that an instrumentation of `node:http` has made; `null` if there is none. */
  find(active: Context): OpenedSpan | null {
    if (active === this.#api.ROOT_CONTEXT) return null
    const rpc = active.getValue(this.#keys.rpc) as RpcMetadata | undefined
    const isOfRequest = rpc?.type === 'http' && rpc.span !== undefined
    return isOfRequest ? { span: rpc.span as Span, parent: active, rpc } : null
  }

  /** Begins the span of a request. */
  open(req: Request, active: Context): OpenedSpan {
    const parent = this.#isOfServer(active) ? active : this.#contextOf(req)
    const span = this.#start(req, parent)
    return { span, parent, rpc: null }
  }

  /**
   * Makes the span of a request that is over.
   *
   * @param req `null` if Node's parser could not read a request.
   * @param startTime In milliseconds since 1970.
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
   * The context that the propagator of the SDK reads from the headers. The active context does not count: it can be the
   * context of the call of `listen`.
   */
  #contextOf(req: Request): Context {
    const { propagation, ROOT_CONTEXT } = this.#api
    return propagation.extract(ROOT_CONTEXT, req.headers)
  }

  /** Whether the span of a context belongs to a server, such as the span of a function on AWS Lambda. */
  #isOfServer(active: Context): boolean {
    if (active === this.#api.ROOT_CONTEXT) return false
    // Spans of SDKs have a `kind`; the type of the API does not name it.
    const span = this.#api.trace.getSpan(active) as (Span & { readonly kind?: unknown }) | undefined
    return span?.kind === this.#server && span.isRecording()
  }
}
