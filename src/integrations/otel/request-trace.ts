import type { Context, Span, SpanOptions, Tracer } from '@opentelemetry/api'
import type { StepName } from '../../plugin/index.js'
import type { RpcMetadata } from './load-api.js'

/**
 * The span names of steps that run application code, or wait for a store or a client. All other steps are fast, so
 * their time counts towards the request's own span.
 */
const STEP_SPANS: Readonly<Partial<Record<StepName, string>>> = {
  ipRateLimit: 'limit',
  guard: 'guard',
  tenant: 'tenant',
  authorizeTenant: 'tenant',
  can: 'can',
  userRateLimit: 'limit',
  use: 'middleware',
  cache: 'cache',
  body: 'body',
  cookies: 'validation',
  validate: 'validation',
  parameters: 'validation',
  handler: 'handler',
}

/** The dependencies for creating an application's spans. */
export interface SpanMaker {
  readonly tracer: Tracer
  /** The key of the span in a context. */
  readonly spanKey: symbol
}

/** The span of a request, and the context in which the span was created. */
export interface OpenedSpan {
  readonly span: Span
  readonly parent: Context
  /**
   * The metadata of the instrumentation that created the span; `null` if this module created the span and must end it.
   */
  readonly rpc: RpcMetadata | null
}

/**
 * The spans of one request. This object is also the context in which the request's code runs. Its active span is always
 * the span of the current step, or of the request between steps. New spans become children of the active span, although
 * the context is entered only once.
 */
export class RequestTrace implements Context {
  /** The span of the request. */
  readonly server: Span
  /** The metadata of the instrumentation; `null` if this module created the span of the request. */
  readonly rpc: RpcMetadata | null
  /** Whether the spans are recorded. If not, the request has no step spans. */
  readonly isRecorded: boolean
  isOver = false
  /** The name of the last error that was logged for the request. */
  errorType: string | undefined = undefined
  #current: Span
  #step: StepName | null = null
  #name: string | null = null
  readonly #parent: Context
  readonly #maker: SpanMaker

  constructor({ span, parent, rpc }: OpenedSpan, maker: SpanMaker) {
    this.server = span
    this.rpc = rpc
    this.isRecorded = span.isRecording()
    this.#current = span
    this.#parent = parent
    this.#maker = maker
  }

  getValue(key: symbol): unknown {
    return key === this.#maker.spanKey ? this.#current : this.#parent.getValue(key)
  }

  setValue(key: symbol, value: unknown): Context {
    const { spanKey } = this.#maker
    return key === spanKey ? this.#parent.setValue(key, value) : this.#fixed().setValue(key, value)
  }

  deleteValue(key: symbol): Context {
    return this.#fixed().deleteValue(key)
  }

  /**
   * Records that the request has entered a step.
   *
   * @param options The options of the step's span.
   */
  enter(step: StepName, options: SpanOptions | undefined): void {
    const name = STEP_SPANS[step] ?? null
    // Two steps can be parts of the same operation. A step that runs again gets its own span.
    if (name !== null && name === this.#name && step !== this.#step) return
    this.endStep()
    if (name === null) return
    this.#step = step
    this.#name = name
    this.#current = this.#maker.tracer.startSpan(name, options, this)
  }

  /** Ends the span of the current step, if there is one. */
  endStep(): void {
    if (this.#name === null) return
    this.#current.end()
    this.#current = this.server
    this.#name = null
  }

  /**
   * Returns a fixed copy of the current context. Contexts that code derives from this trace do not change with the
   * steps.
   */
  #fixed(): Context {
    return this.#parent.setValue(this.#maker.spanKey, this.#current)
  }
}
