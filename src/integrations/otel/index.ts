/**
 * Request tracing with OpenTelemetry, without a loader and without patching.
 *
 * @module blazon/otel
 */
export { otel } from './otel.js'
export type { OtelOptions } from './otel-options.js'
