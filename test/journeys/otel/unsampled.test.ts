import { SpanKind, trace } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
} from '@opentelemetry/sdk-trace-node'
import { Auth, Controller, Get, getTraceContext, type Request } from 'blazon'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { turns } from '../turns.js'
import { send, tracedApps } from './letters.js'
import { isSupported } from './supported.js'
import { Tracing } from './tracing.js'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

const { serve } = tracedApps()

describe.skipIf(!isSupported)('an unsampled request', () => {
  let tracing: Tracing
  beforeAll(() => {
    tracing = new Tracing(new AlwaysOffSampler())
  })
  afterAll(() => tracing.end())

  it('has no spans, but its trace continues', async () => {
    let active: unknown
    let outgoing: ReturnType<typeof getTraceContext>
    @Controller()
    class CallingController {
      @Auth() @Get() get(req: Request) {
        active = trace.getActiveSpan()?.spanContext()
        outgoing = getTraceContext(req)
        return 'x'
      }
    }
    const { port } = await serve({ controllers: [CallingController] })
    const lines = ['Authorization: Bearer good', `traceparent: 00-${TRACE}-${PARENT}-01`]
    expect(await send(port, `GET /\n${lines.join('\n')}`)).toContain(' 200 ')
    await turns()
    expect(tracing.spans).toEqual([])
    expect(active).toMatchObject({ traceId: TRACE, traceFlags: 0 })
    expect(outgoing?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[\\da-f]{16}-00$`))
    expect(outgoing?.spanId).toBe((active as { spanId: string }).spanId)
  })
})

describe.skipIf(!isSupported)('a sampler that drops only requests', () => {
  let tracing: Tracing
  beforeAll(() => {
    const requestsAreDropped: Sampler = {
      shouldSample: (_context, _traceId, _name, kind) => ({
        decision:
          kind === SpanKind.SERVER
            ? SamplingDecision.NOT_RECORD
            : SamplingDecision.RECORD_AND_SAMPLED,
      }),
      toString: () => 'requests are dropped',
    }
    tracing = new Tracing(new ParentBasedSampler({ root: requestsAreDropped }))
  })
  afterAll(() => tracing.end())

  it('also drops the spans inside of a request, because they share its context', async () => {
    const tracer = trace.getTracer('a database')
    @Controller()
    class QueryingController {
      @Get() async get() {
        tracer.startSpan('before').end()
        await turns()
        tracer.startSpan('after').end()
        return 'x'
      }
    }
    const { port } = await serve({ controllers: [QueryingController] })
    expect(await send(port, 'GET /')).toContain(' 200 ')
    expect(tracing.spans).toEqual([])
    tracer.startSpan('outside').end()
    expect(tracing.spans.map(({ name }) => name)).toEqual(['outside'])
  })
})

describe('an application without an OpenTelemetry SDK', () => {
  it('responds normally, and continues traces itself', async () => {
    let outgoing: ReturnType<typeof getTraceContext>
    @Controller()
    class CallingController {
      @Get() get(req: Request) {
        outgoing = getTraceContext(req)
        return 'x'
      }
    }
    const { port } = await serve({ controllers: [CallingController] })
    const caller = `traceparent: 00-${TRACE}-${PARENT}-01`
    expect(await send(port, `GET /\n${caller}`)).toContain(' 200 ')
    expect(outgoing).toMatchObject({ traceId: TRACE, parentId: PARENT, flags: 1 })
  })
})
