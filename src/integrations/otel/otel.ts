import { InjectionToken, type Plugin } from '../../index.js'
import { type ObserverSetup, orStandIn, type RequestObserver } from '../../plugin/index.js'
import { loadApi, type OpenTelemetry } from './load-api.js'
import { observeTraces } from './observe-traces.js'
import { checkOtelOptions, type OtelOptions } from './otel-options.js'

/** The package `@opentelemetry/api`, loaded before the first instance is made. */
const kApi = new InjectionToken<OpenTelemetry>('@opentelemetry/api')

/**
 * A plugin that makes spans of requests with OpenTelemetry: one for each request, named by its method and route, and
 * one for each part that may take time. It works in ES modules without `--import`, because nothing is patched. Names
 * and attributes follow the stable semantic conventions for HTTP. No attribute has a header, a query or a body.
 *
 * Where `@opentelemetry/instrumentation-http` has made a span of a request, the plugin names and completes that span.
 *
 * @param options Default: every request has a span, and so has each of its parts. Needs the peer dependency
 * `@opentelemetry/api`, and an SDK that is started before the first request.
 * @throws ConfigError at boot, when an option is wrong, or `@opentelemetry/api` is not installed or too old.
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
