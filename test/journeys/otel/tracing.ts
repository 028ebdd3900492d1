import { context, propagation, type SpanKind, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { expect } from 'vitest'
import { until } from '../../integrations/until.js'
import { EXCEPTION_ATTRIBUTES, KNOWN_ATTRIBUTES } from './semantic-conventions.js'

/** A span with its children, as tests write it. */
export interface Tree {
  readonly name: string
  readonly children?: readonly Tree[]
}

/** The SDK of OpenTelemetry, registered for this process, and the spans that it has recorded. */
export class Tracing {
  readonly exporter: InMemorySpanExporter = new InMemorySpanExporter()
  readonly provider: NodeTracerProvider

  /** @param sampler Decides which spans are recorded. Default: all. */
  constructor(sampler?: Sampler) {
    this.provider = new NodeTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(this.exporter)],
      ...(sampler !== undefined && { sampler }),
    })
    this.provider.register()
  }

  get spans(): readonly ReadableSpan[] {
    return this.exporter.getFinishedSpans()
  }

  ofKind(kind: SpanKind): readonly ReadableSpan[] {
    return this.spans.filter((span) => span.kind === kind)
  }

  /** The spans without a parent among them, as soon as there are so many, with their children in the order of their start. */
  async trees(count = 1): Promise<readonly Tree[]> {
    const isRoot = ({ parentSpanContext: parent }: ReadableSpan) =>
      parent === undefined ||
      !this.spans.some((span) => span.spanContext().spanId === parent.spanId)
    await until(() => this.spans.filter(isRoot).length >= count)
    for (const span of this.spans) expectKnown(span)
    return this.spans.filter(isRoot).map((span) => this.#treeOf(span))
  }

  /** The only span of a name. */
  one(name: string): ReadableSpan {
    const found = this.spans.filter((span) => span.name === name)
    expect(found.map((span) => span.name)).toEqual([name])
    return found[0] as ReadableSpan
  }

  reset(): void {
    this.exporter.reset()
  }

  async end(): Promise<void> {
    await this.provider.shutdown()
    trace.disable()
    context.disable()
    propagation.disable()
  }

  #treeOf(span: ReadableSpan): Tree {
    const { spanId } = span.spanContext()
    const children = this.spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === spanId)
      .sort((a, b) => timeOf(a) - timeOf(b))
    if (children.length === 0) return { name: span.name }
    return { name: span.name, children: children.map((child) => this.#treeOf(child)) }
  }
}

/** Makes a span of the test's own. */
export function work<T>(name: string, run: () => T): T {
  return trace.getTracer('test').startActiveSpan(name, (span) => {
    try {
      return run()
    } finally {
      span.end()
    }
  })
}

/** Fails if a span has an attribute that is not in the registry of OpenTelemetry. */
export function expectKnown(span: ReadableSpan): void {
  if (span.instrumentationScope.name !== 'blazon') return
  const unknown = Object.keys(span.attributes).filter((key) => !KNOWN_ATTRIBUTES.has(key))
  expect(unknown, span.name).toEqual([])
  for (const { name, attributes = {} } of span.events) {
    expect(name).toBe('exception')
    expect(Object.keys(attributes).filter((key) => !EXCEPTION_ATTRIBUTES.has(key))).toEqual([])
  }
}

const timeOf = ({ startTime: [seconds, nanos] }: ReadableSpan) => seconds * 1000 + nanos / 1e6
