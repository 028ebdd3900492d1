import type { Context, Span } from '@opentelemetry/api'
import { loadPeer } from '../../plugin/index.js'

/** The parts of `@opentelemetry/api` that this module uses. */
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
 * Loads `@opentelemetry/api`. All copies in a process share one registry, so the loaded copy need not be the SDK's
 * copy.
 *
 * @throws ConfigError if the package cannot be loaded or is too old.
 */
export function loadApi(): Promise<OpenTelemetry> {
  const use = { subject: 'blazon/otel', origin: import.meta.url }
  return loadPeer('@opentelemetry/api', use, () => import('@opentelemetry/api'))
}

/** The metadata that a `node:http` instrumentation stores about a request, as defined by `@opentelemetry/core`. */
export interface RpcMetadata {
  readonly type?: string
  /** The span of the request. */
  readonly span?: Span
  /** The route pattern, which the instrumentation uses to name the span at the end of the request. */
  route?: string | undefined
}

/** The keys of values in a context. All OpenTelemetry packages share them. */
export interface ContextKeys {
  /** The key of the active span. */
  readonly span: symbol
  /** The key of {@link RpcMetadata}. */
  readonly rpc: symbol
  /** The key of the flag that suppresses spans. */
  readonly isSuppressed: symbol
}

/** Finds the keys that the installed version uses. */
export function findContextKeys({ createContextKey, trace }: OpenTelemetry): ContextKeys {
  return {
    span: findSpanKey(trace),
    rpc: createContextKey('OpenTelemetry SDK Context Key RPC_METADATA'),
    isSuppressed: createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING'),
  }
}

/** Finds the key of the span. The package does not export this key, but passes it to every context. */
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
