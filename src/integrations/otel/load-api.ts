import type { Context, Span } from '@opentelemetry/api'
import { loadPeer } from '../../plugin/index.js'

/** The parts of `@opentelemetry/api` that this door uses. */
export type OpenTelemetry = Pick<
  typeof import('@opentelemetry/api'),
  | 'context'
  | 'createContextKey'
  | 'propagation'
  | 'ROOT_CONTEXT'
  | 'SpanKind'
  | 'SpanStatusCode'
  | 'trace'
>

/**
 * Loads `@opentelemetry/api`. All its copies in a process share one registry, so it need not be the copy of the SDK.
 *
 * @throws ConfigError when it cannot be loaded, or is too old.
 */
export function loadApi(): Promise<OpenTelemetry> {
  const use = { subject: 'blazon/otel', origin: import.meta.url }
  return loadPeer('@opentelemetry/api', use, () => import('@opentelemetry/api'))
}

/** The metadata of an instrumentation of `node:http` about a request. Defined by `@opentelemetry/core`. */
export interface RpcMetadata {
  readonly type?: string
  /** The span of the request. */
  readonly span?: Span
  /** The pattern of the route, which the instrumentation uses to name the span at the end. */
  route?: string | undefined
}

/** The keys of values in a context. All copies of the packages of OpenTelemetry share them. */
export interface ContextKeys {
  /** The active span. */
  readonly span: symbol
  /** {@link RpcMetadata}. */
  readonly rpc: symbol
  /** Whether code in this context creates no spans. */
  readonly isSuppressed: symbol
}

/** Finds the keys of an installed version. */
export function findContextKeys({ createContextKey, trace }: OpenTelemetry): ContextKeys {
  return {
    span: findSpanKey(trace),
    rpc: createContextKey('OpenTelemetry SDK Context Key RPC_METADATA'),
    isSuppressed: createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING'),
  }
}

/** The package does not export the key of the span, but uses it in any context that it receives. */
function findSpanKey(trace: OpenTelemetry['trace']): symbol {
  let found: symbol | undefined
  const probe: Context = {
    getValue: () => undefined,
    setValue: () => probe,
    deleteValue(key) {
      found = key
      return probe
    },
  }
  trace.deleteSpan(probe)
  return found as unknown as symbol
}
