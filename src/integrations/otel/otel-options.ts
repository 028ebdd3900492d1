import type { Attributes, TracerProvider } from '@opentelemetry/api'
import { ConfigError, type Request } from '../../index.js'
import {
  type EndedRequest,
  type OptionNames,
  type Problem,
  unknownOptions,
} from '../../plugin/index.js'

/** Options of `otel`. */
export interface OtelOptions {
  /**
   * Selects requests that get no spans, such as health checks. Code that runs for such a request also creates no spans,
   * unless an instrumentation has created a span for the request. If omitted, every request gets a span.
   */
  readonly ignore?: (req: Request) => boolean
  /**
   * Returns additional attributes for the span of a completed request. The function is called only for recorded spans.
   * Choose attributes carefully: headers, queries and bodies can contain personal data and secrets. If omitted, no
   * attributes are added.
   */
  readonly attributes?: (ended: EndedRequest) => Attributes | undefined
  /**
   * Whether steps that can take time, such as guard, cache, validation and handler, have their own spans. Default:
   * `true`.
   */
  readonly steps?: boolean
  /**
   * Whether database statements have spans. A span contains the statement text, with each value replaced by `?`.
   * Default: `true`.
   */
  readonly statements?: boolean
  /**
   * The path at which another application mounts this one, as a pattern such as `'/of/:tenant/api'`. It becomes the
   * beginning of `http.route`. If omitted, no path is added.
   */
  readonly root?: string
  /** The provider that creates the spans. Default: the provider that the SDK has registered. */
  readonly tracerProvider?: TracerProvider
}

const NAMES: OptionNames<OtelOptions> = {
  ignore: 'sync',
  attributes: 'sync',
  steps: true,
  statements: true,
  root: true,
  tracerProvider: true,
}

type Check = (value: unknown) => string | null

const isOf =
  (type: 'boolean' | 'function', what: string): Check =>
  (value) =>
    typeof value === type ? null : what

/** The check of each option; it returns `null` for a valid value. */
const CHECKS: Readonly<Record<keyof OtelOptions, Check>> = {
  ignore: isOf('function', 'Pass a function: { ignore: (req) => req.path === "/livez" }.'),
  attributes: isOf('function', 'Pass a function that returns an object of attributes.'),
  steps: isOf('boolean', 'Pass true or false.'),
  statements: isOf('boolean', 'Pass true or false.'),
  root: (value) =>
    typeof value === 'string' && /^\/.*[^/]$/.test(value)
      ? null
      : "Pass a path that begins with a slash and does not end with one: { root: '/api' }.",
  tracerProvider: (value) =>
    typeof (value as Partial<TracerProvider> | null)?.getTracer === 'function'
      ? null
      : 'Pass the provider of an SDK, or omit the option.',
}

/**
 * Checks the options.
 *
 * @throws ConfigError with all problems.
 */
export function checkOtelOptions(options: unknown): void {
  const problems = problemsOf(options)
  if (problems.length > 0) throw new ConfigError(problems)
}

function problemsOf(options: unknown): Problem[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return [invalid('otel()', 'Its options must be an object.', 'Pass an object, or nothing.')]
  }
  const unknown = unknownOptions('otel(): ', options, NAMES)
  if (unknown.length > 0) return unknown
  return Object.entries(options).flatMap(([name, value]) => {
    const remedy = value === undefined ? null : CHECKS[name as keyof OtelOptions](value)
    return remedy === null ? [] : [invalid(`otel(): ${name}`, 'The value is not valid.', remedy)]
  })
}

function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}
