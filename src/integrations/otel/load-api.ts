import { ConfigError } from '../../index.js'
import { refuseOldPeer } from '../../plugin/index.js'

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
export async function loadApi(): Promise<OpenTelemetry> {
  refuseOldPeer('@opentelemetry/api', { subject: 'blazon/otel', origin: import.meta.url })
  try {
    return await import('@opentelemetry/api')
  } catch (error) {
    const problem = {
      code: 'E_PEER_MISSING',
      subject: 'blazon/otel',
      cause: 'It needs the package @opentelemetry/api, which cannot be loaded.',
      remedy: 'npm install @opentelemetry/api',
    } as const
    throw new ConfigError([problem], { cause: error })
  }
}
