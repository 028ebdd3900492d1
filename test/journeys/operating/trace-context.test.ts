import {
  Controller,
  defineControllers,
  Get,
  getTraceContext,
  Injectable,
  inject,
  type Plugin,
  type Request,
  RequestContext,
} from 'blazon'
import { describe, expect, it, onTestFinished } from 'vitest'
import { start } from '../hostile/listening-app.js'
import { exchange, RawConnection, request } from '../hostile/raw-connection.js'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

@Injectable()
class Stock {
  async ask() {
    await new Promise((resolve) => setImmediate(resolve))
    return getTraceContext()
  }
}

@Controller('calls')
class Calls {
  readonly #stock = inject(Stock)

  @Get() get(req: Request) {
    const trace = getTraceContext(req)
    return { trace, isSame: getTraceContext(req) === trace }
  }

  @Get('deep') async deep(req: Request) {
    return { here: getTraceContext(req), deep: (await this.#stock.ask()) ?? null }
  }

  @Get('bug') bug() {
    throw new Error('a bug')
  }

  @Get('asked-bug') askedBug(req: Request) {
    throw new Error(getTraceContext(req).traceId)
  }
}

const controllers = defineControllers(Calls)

const requestContext: Plugin = {
  name: 'request-context',
  steps: () => ({ enter: (next) => (req, res) => RequestContext.run(req, next, req, res) }),
}

async function ask(lines: string[], path = '/calls', plugins: Plugin[] = []) {
  const { port, logged } = await start({ controllers, plugins })
  const [answer] = await exchange(port, request(path, lines))
  return { status: answer?.status, data: JSON.parse(answer?.text ?? '').data, logged }
}

describe('the function getTraceContext', () => {
  it('continues the trace of the caller, in the same object for each call', async () => {
    const { data } = await ask([
      `TraceParent: \t 00-${TRACE}-${PARENT}-01 \t`,
      'tracestate: foo=1',
      'TraceState:',
      'tracestate: bar=2',
    ])
    expect(data.isSame).toBe(true)
    expect(data.trace).toMatchObject({ traceId: TRACE, parentId: PARENT, state: 'foo=1,bar=2' })
    expect(data.trace.headers).toEqual({
      traceparent: `00-${TRACE}-${data.trace.spanId}-01`,
      tracestate: 'foo=1,bar=2',
    })
  })

  it.each([
    ['no header', []],
    ['a header with another name', [`trace-parent: 00-${TRACE}-${PARENT}-01`]],
    ['two headers', Array(2).fill(`traceparent: 00-${TRACE}-${PARENT}-01`)],
    ['an id of zeros', [`traceparent: 00-${'0'.repeat(32)}-${PARENT}-01`]],
    ['an id in upper case', [`traceparent: 00-${TRACE.toUpperCase()}-${PARENT}-01`]],
  ])(
    'starts a new trace without a valid traceparent header, and ignores tracestate: %s',
    async (_, lines) => {
      const { data } = await ask([...lines, 'tracestate: foo=1'])
      expect(data.trace.traceId).toMatch(/^(?!0+$)[\da-f]{32}$/)
      expect(data.trace.traceId).not.toBe(TRACE)
      expect(data.trace).not.toHaveProperty('state')
    },
  )

  it('returns no trace without a request argument if no context was entered', async () => {
    expect((await ask([], '/calls/deep')).data.deep).toBeNull()
    expect(getTraceContext()).toBeUndefined()
  })

  it('returns the trace of the current request in the context that a plugin has entered', async () => {
    const { data } = await ask([], '/calls/deep', [requestContext])
    expect(data.deep).toEqual(data.here)
    expect(RequestContext.current()).toBeUndefined()
  })

  it('keeps the traces of concurrent requests separate', async () => {
    const { port } = await start({ controllers, plugins: [requestContext] })
    const connection = await RawConnection.open(port)
    onTestFinished(() => connection.destroy())
    const ids = Array.from({ length: 20 }, (_, i) => (i + 1).toString(16).padStart(32, '0'))
    const lines = (id: string) => [`traceparent: 00-${id}-${PARENT}-01`, 'Connection: keep-alive']
    connection.write(ids.map((id) => request('/calls/deep', lines(id))).join(''))
    const answers = await connection.answers(ids.length)
    expect(answers.map(({ text }) => JSON.parse(text).data.deep.traceId)).toEqual(ids)
  })
})

describe('the log line of a failed request', () => {
  it('contains the trace of the caller', async () => {
    const { logged } = await ask([`traceparent: 00-${TRACE}-${PARENT}-01`], '/calls/bug')
    expect(logged).toMatchObject([
      { facts: { trace_id: TRACE, span_id: expect.stringMatching(/^[\da-f]{16}$/) } },
    ])
  })

  it('contains the trace that the handler has read, and no trace if the handler has read none', async () => {
    const asked = (await ask([], '/calls/asked-bug')).logged
    const facts = asked[0]?.facts as { readonly err: Error }
    expect(facts).toMatchObject({ trace_id: facts.err.message })
    const { logged } = await ask([], '/calls/bug')
    expect(logged[0]?.facts).not.toHaveProperty('trace_id')
  })
})
