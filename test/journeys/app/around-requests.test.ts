import {
  App,
  type AppOptions,
  Controller,
  type ErrorContext,
  Get,
  getTraceContext,
  Params,
  type Plugin,
  type Request,
  RequestContext,
  type Response,
  secret,
} from 'blazon'
import {
  type EndedRequest,
  knownTraceContext,
  type ObserverSetup,
  type RequestObserver,
  type SpanIdentity,
  setTraceContext,
} from 'blazon/plugin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { until } from '../../integrations/until.js'
import { turns } from '../turns.js'
import { rawExchange } from '../wire/raw-exchange.js'

let ended: EndedRequest[]
let app: App | undefined

beforeEach(() => {
  ended = []
})

afterEach(() => app?.close())

@Controller('work')
class WorkController {
  @Get('quick') quick() {
    return 'quick'
  }

  @Get('bug') bug() {
    throw new Error('a bug')
  }
}

const observer: Plugin = {
  name: 'observer',
  requests: () => ({ onEnd: (request) => void ended.push(request) }),
}

async function serve(options: AppOptions = {}): Promise<{ port: number }> {
  app = new App({
    controllers: [WorkController],
    plugins: [observer],
    logger: false,
    ...options,
  })
  return await app.listen(0, { host: '127.0.0.1', announce: false })
}

/** The requests that are over, as soon as there is one. No other one follows within some turns. */
async function over(): Promise<EndedRequest[]> {
  await until(() => ended.length > 0)
  await turns(10)
  return ended
}

/** Sends one request on a connection of its own, and returns the bytes that arrive. */
function send(port: number, head: string): Promise<string> {
  const [first, ...lines] = head.split('\n')
  const all = [`${first} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines]
  return rawExchange(port, `${all.join('\r\n')}\r\n\r\n`)
}

describe('an observer with the method `around`', () => {
  /** An observer that notes when it and the code of requests run. */
  const noting = (name: string, notes: string[]): Plugin => ({
    name,
    requests: () => ({
      around(req, next) {
        notes.push(`${name} ${req.method} ${req.url}`)
        RequestContext.run(req, next)
        notes.push(`${name} done`)
      },
    }),
  })

  it('runs around the middlewares, and the observer of the first plugin is the outermost', async () => {
    const notes: string[] = []
    const middleware = (_req: Request, _res: Response, next: () => void) => {
      notes.push(`middleware for ${RequestContext.current()?.url}`)
      next()
    }
    const plugins = [noting('a', notes), noting('b', notes)]
    const { port } = await serve({ plugins, middlewares: [middleware] })
    await send(port, 'GET /nowhere')
    expect(notes).toEqual([
      'a GET /nowhere',
      'b GET /nowhere',
      'middleware for /nowhere',
      'b done',
      'a done',
    ])
  })

  it('is called for a request with a refused head, but not for data that is not HTTP', async () => {
    const notes: string[] = []
    const { port } = await serve({ plugins: [noting('a', notes)] })
    await send(port, 'GET /work/quick\nHost: b')
    await rawExchange(port, 'nonsense\r\n\r\n')
    expect(notes).toEqual(['a GET /work/quick', 'a done'])
  })

  it.each<[string, NonNullable<RequestObserver['around']>, readonly string[]]>([
    ['does not call next', () => {}, []],
    [
      'calls next twice',
      (_, next) => {
        next()
        next()
      },
      [],
    ],
    [
      'throws before next',
      () => {
        throw new Error('before')
      },
      ['before'],
    ],
    [
      'throws after next',
      (_, next) => {
        next()
        throw new Error('after')
      },
      ['after'],
    ],
  ])('does not affect the request if it %s', async (_, around, logged) => {
    const lines: { err?: Error }[] = []
    const logger = { info() {}, warn() {}, error: (facts: object) => void lines.push(facts) }
    const plugins = [{ name: 'careless', requests: () => ({ around }) }, observer]
    const { port } = await serve({ plugins, logger })
    expect(await send(port, 'GET /work/quick')).toMatch(/^HTTP\/1.1 200 /)
    expect(await over()).toHaveLength(1)
    expect(lines.map(({ err }) => err?.message)).toEqual(logged)
  })
})

describe('an observer of errors', () => {
  const hearing = (heard: [unknown, ErrorContext][], more: RequestObserver = {}): Plugin => ({
    name: 'hearing',
    requests: () => ({ onError: (...all) => void heard.push(all), ...more }),
  })

  it('receives the same errors as the option onError', async () => {
    const [heard, reported]: [unknown, ErrorContext][][] = [[], []]
    const { port } = await serve({
      plugins: [hearing(heard as never)],
      onError: (...all) => void reported?.push(all),
    })
    await send(port, 'GET /work/bug')
    await send(port, 'GET /work/none')
    expect(heard).toMatchObject([
      [{ message: 'a bug' }, { status: 500, route: { path: '/work/bug' } }],
    ])
    expect(reported).toEqual(heard)
  })

  it('receives an error with its context, in each of several plugins in order', async () => {
    const heard: [unknown, ErrorContext][] = []
    const { port } = await serve({ plugins: [hearing(heard), hearing(heard), hearing(heard)] })
    await send(port, 'GET /work/bug')
    expect(heard).toHaveLength(3)
    for (const each of heard) expect(each).toEqual(heard[0])
    expect(heard[2]).toMatchObject([{ message: 'a bug' }, { status: 500 }])
  })

  it('receives errors and URLs in which [secret] replaces the secret parameters', async () => {
    const heard: [unknown, ErrorContext][] = []
    let urlOf: ObserverSetup['urlOf'] | undefined
    @Controller('reset')
    class ResetController {
      @Params(z.object({ token: secret(z.string()) })) @Get(':token') reset(req: Request) {
        throw new Error(`no ${req.params['token']}`)
      }
    }
    const url: Plugin = {
      name: 'url',
      requests: (app) => {
        urlOf = app.urlOf
        return null
      },
    }
    const { port } = await serve({
      controllers: [ResetController],
      plugins: [hearing(heard), url, observer],
    })
    await send(port, 'GET /reset/hidden%20one?a=1')
    expect(heard.map(([error]) => (error as Error).message)).toEqual(['no [secret]'])
    expect(urlOf?.((await over())[0]?.req as Request)).toBe('/reset/[secret]?a=1')
  })

  it('does not affect the response if it throws, and its error is logged', async () => {
    const lines: { err?: Error }[] = []
    const logger = { info() {}, warn() {}, error: (facts: object) => void lines.push(facts) }
    const onError = () => {
      throw new Error('deaf')
    }
    const { port } = await serve({ plugins: [hearing([], { onError })], logger })
    expect(await send(port, 'GET /work/bug')).toMatch(/^HTTP\/1.1 500 /)
    expect(lines.map(({ err }) => err?.message)).toEqual(['a bug', 'deaf'])
  })
})

describe('the function setTraceContext', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c'
  const SPAN = 'b7ad6b7169203331'
  const OWN = '00f067aa0ba902b7'

  /** The trace of a request for which a plugin has set a span, and the one that a log would show. */
  async function traceWith(span: SpanIdentity, head: string) {
    const found: { trace?: object; known?: object | undefined } = {}
    const plugin: Plugin = {
      name: 'spans',
      requests: () => ({
        around(req, next) {
          setTraceContext(req, span)
          next()
        },
        onEnd({ req }) {
          found.known = knownTraceContext(req as Request)
          found.trace = getTraceContext(req as Request)
        },
      }),
    }
    const { port } = await serve({ plugins: [plugin, observer] })
    await send(port, head)
    await over()
    return found
  }

  it('makes a span the trace context of the request', async () => {
    const state = { serialize: () => 'a=b' }
    const span = { traceId: TRACE, spanId: OWN, traceFlags: 1, traceState: state }
    const caller = `traceparent: 00-${TRACE}-${SPAN}-00`
    const { trace, known } = await traceWith(span, `GET /work/quick\n${caller}`)
    const headers = { traceparent: `00-${TRACE}-${OWN}-01`, tracestate: 'a=b' }
    const facts = { traceId: TRACE, spanId: OWN, parentId: SPAN, flags: 1, state: 'a=b', headers }
    expect(trace).toEqual(facts)
    expect(known).toEqual(facts)
  })

  it('keeps an unsampled span out of the log, but adds it to the trace headers', async () => {
    const span = { traceId: TRACE, spanId: OWN, traceFlags: 0 }
    const { trace, known } = await traceWith(span, 'GET /work/quick')
    expect(known).toBeUndefined()
    expect(trace).toMatchObject({ headers: { traceparent: `00-${TRACE}-${OWN}-00` } })
  })

  it('ignores a span with invalid IDs', async () => {
    const span = { traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 }
    const caller = `traceparent: 00-${TRACE}-${SPAN}-01`
    const { trace } = await traceWith(span, `GET /work/quick\n${caller}`)
    expect(trace).toMatchObject({ traceId: TRACE, parentId: SPAN, flags: 1 })
  })

  it('replaces a trace context that was read before', async () => {
    const span = { traceId: TRACE, spanId: OWN, traceFlags: 1 }
    const reading = (req: Request, _res: Response, next: () => void) => {
      getTraceContext(req)
      setTraceContext(req, span)
      next()
    }
    const { port } = await serve({ middlewares: [reading] })
    await send(port, 'GET /work/quick')
    const [ended] = await over()
    expect(knownTraceContext(ended?.req as Request)?.spanId).toBe(OWN)
  })
})
