import {
  type AppOptions,
  Auth,
  Body,
  Can,
  Controller,
  defineControllers,
  Get,
  HttpError,
  type Middleware,
  NotFoundError,
  Post,
  Query,
  RateLimit,
  type RateLimitStore,
  type Request,
  UnauthorizedError,
} from 'blazon'
import httpErrors from 'http-errors'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ListeningApp, start } from './listening-app.js'
import { type Answer, post, RawConnection, request } from './raw-connection.js'

const field = z.string().min(2)
const Ten = z.object(Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`f${i}`, field])))

@Controller()
class RefusingController {
  @Auth()
  @Get('secret')
  secret() {
    return {}
  }

  @Auth()
  @Get('later')
  later() {
    return {}
  }

  @Can('everything')
  @Get('forbidden')
  forbidden() {
    return {}
  }

  @Post('ten')
  @Body(Ten)
  ten() {
    return {}
  }

  @Query(z.object({ n: field }))
  @Get('query')
  query() {
    return {}
  }

  @RateLimit({ limit: 1, window: '1h' })
  @Get('limited')
  limited() {
    return {}
  }

  @Get('thrown/:what')
  thrown(req: Request) {
    throw THROWN[req.params.what as keyof typeof THROWN]()
  }
}

const withHeaders = (headers: unknown) =>
  new NotFoundError('none', { headers: headers as Record<string, string> })

const THROWN = {
  plain: () => new NotFoundError('none'),
  basic: () => new UnauthorizedError('no', { headers: { 'WWW-Authenticate': 'Basic realm="é"' } }),
  two: () => withHeaders({ Allow: 'GET', 'Retry-After': '7' }),
  own: () => withHeaders({ 'X-Own': '1', 'Retry-After': '7' }),
  split: () => withHeaders({ 'Retry-After': '7\r\nX-Injected: 1' }),
  wide: () => withHeaders({ 'WWW-Authenticate': 'Bearer realm="☃"' }),
  number: () => withHeaders({ 'Retry-After': 7 }),
  list: () => withHeaders({ 'WWW-Authenticate': ['Basic', 'Bearer'] }),
  type: () => withHeaders({ 'Content-Type': 'text/html' }),
  lower: () => withHeaders({ 'www-authenticate': 'Basic' }),
  helmet: () => withHeaders({ 'X-Frame-Options': 'DENY' }),
  closing: () => withHeaders({ Connection: 'close' }),
  nothing: () => withHeaders(null),
  express: () => httpErrors(429, 'slower', { headers: { 'Retry-After': '7' } }),
  fault: () => new Error('secret'),
}

const options: AppOptions = {
  controllers: defineControllers(RefusingController),
  auth: {
    guard: {
      canActivate(req) {
        if (req.path === '/later') return Promise.resolve(false)
        return req.headers.authorization === 'Bearer good'
      },
    },
  },
}

const KEEP = 'Connection: keep-alive'
const PROBLEM = 'Accept: application/problem+json'

const requests: [string, string][] = [
  ['401', request('/secret', [KEEP])],
  ['401 later', request('/later', [KEEP])],
  ['401 to HEAD', request('/secret', [KEEP], { method: 'HEAD' })],
  ['401 with a body that follows', post('/secret', '{}', [KEEP]).replace('POST', 'GET')],
  ['403', request('/forbidden', [KEEP, 'Authorization: Bearer good'])],
  ['404', request('/nowhere?a=1', [KEEP])],
  ['404 as a problem', request('/nowhere', [KEEP, PROBLEM])],
  ['404 with Connection: close', request('/nowhere')],
  ['405', request('/secret', [KEEP], { method: 'DELETE' })],
  ['400 for ten fields', post('/ten', '{}', [KEEP])],
  ['400 for ten fields, as a problem', post('/ten', '{}', [KEEP, PROBLEM])],
  ['400 for the query', request('/query?n=1', [KEEP])],
  ['400 for malformed JSON', post('/ten', '{"a":', [KEEP])],
  ['400 for the path', request('/thrown/%zz', [KEEP])],
  ['415', post('/ten', 'a=1', [KEEP]).replace('application/json', 'text/plain')],
  ...Object.keys(THROWN).map((what): [string, string] => [
    what,
    request(`/thrown/${what}`, [KEEP]),
  ]),
]

/** The response to one request on a new connection. */
async function ask(port: number, text: string): Promise<Answer | undefined> {
  const connection = await RawConnection.open(port)
  const [answer] = await connection.write(text).answers(1, { isHead: text.startsWith('HEAD') })
  connection.destroy()
  return answer
}

describe('the response to a refused request', () => {
  // A listener of `close` may read headers, so each header is set separately when there is a listener.
  const listening: Middleware = (_req, res, next) => {
    res.on('close', () => {})
    next()
  }
  const seen = (answer: Answer | undefined) => ({
    ...answer,
    text: answer?.text.replace(/"requestId":"[\da-f-]{36}"/, '"requestId":"an id"'),
    // Their order has no meaning (RFC 9110, 5.3), and no name occurs twice here.
    lines: answer?.lines.filter(([name]) => name !== 'date').sort(([a], [b]) => (a < b ? -1 : 1)),
    headers: undefined,
  })

  it.each(requests)(
    'is the same whether its head is written at once or header by header: %s',
    async (_, text) => {
      const atOnce = await start(options)
      const byHeader = await start({ ...options, middlewares: [listening] })
      const answer = seen(await ask(atOnce.port, text))
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer).toEqual(seen(await ask(byHeader.port, text)))
    },
  )

  it('has Retry-After and RateLimit headers if a rate limit is exceeded', async () => {
    const { port } = await start(options)
    await ask(port, request('/limited', [KEEP]))
    const answer = await ask(port, request('/limited', [KEEP]))
    expect(answer?.status).toBe(429)
    expect(Number(answer?.headers['retry-after'])).toBeGreaterThan(3500)
    expect(answer?.headers['ratelimit']).toMatch(/r=0;t=\d+$/)
    expect(answer?.headers['x-frame-options']).toBe('SAMEORIGIN')
  })

  it('does not contain a header whose value HTTP does not allow', async () => {
    const { port } = await start(options)
    const answer = await ask(port, request('/thrown/split', [KEEP]))
    expect(answer?.status).toBe(404)
    expect(answer?.headers).not.toHaveProperty('x-injected')
    expect(answer?.headers).not.toHaveProperty('retry-after')
  })

  it('is not affected by changes that an error middleware made to an earlier error', async () => {
    const scribbling: Middleware = (error, req, _res, next) => {
      const mark = req.get('x-mark')
      if (mark !== undefined) {
        Object.assign(error.headers ?? {}, { 'X-Mark': mark })
        Object.assign(error, { message: `${error.message}, ${mark}`, code: mark })
      }
      next(error)
    }
    const { port } = await start({ ...options, middlewares: [scribbling] })
    for (const target of ['/secret', '/later', '/nowhere']) {
      const marked = await ask(port, request(target, [KEEP, 'X-Mark: mine']))
      expect(marked?.text).toContain('mine')
      expect(marked?.headers['x-mark']).toBe(target === '/nowhere' ? undefined : 'mine')
      const next = await ask(port, request(target, [KEEP]))
      expect(next?.text).not.toContain('mine')
      expect(next?.headers).not.toHaveProperty('x-mark')
    }
  })
})

describe('an error middleware', () => {
  let errors: HttpError[]
  let app: ListeningApp
  const noting: Middleware = (error, _req, _res, next) => {
    errors.push(error)
    next(error)
  }
  beforeEach(async () => {
    errors = []
    app = await start({ ...options, middlewares: [noting] })
  })

  it.each([
    ['UnauthorizedError', 401, 'Authentication is required', request('/secret')],
    ['UnauthorizedError', 401, 'Authentication is required', request('/later')],
    ['ForbiddenError', 403, 'You do not have permission to do this', requests[4]?.[1]],
    ['NotFoundError', 404, 'Cannot GET /nowhere', request('/nowhere')],
    ['MethodNotAllowedError', 405, 'DELETE is not allowed here', requests[8]?.[1]],
    ['HttpError', 400, 'Validation failed', post('/ten', '{}')],
    ['HttpError', 400, 'The body is not valid JSON', post('/ten', '{')],
    ['HttpError', 400, 'The path is not valid UTF-8', request('/thrown/%zz')],
  ])('receives refusals without a stack trace: %s %i', async (name, status, message, text = '') => {
    const limit = Error.stackTraceLimit
    await ask(app.port, text)
    expect(errors[0]).toBeInstanceOf(Error)
    expect(HttpError.is(errors[0])).toBe(true)
    expect(errors[0]).toMatchObject({ name, status, message, stack: `${name}: ${message}` })
    expect(Error.stackTraceLimit).toBe(limit)
  })

  it('receives the stack of an error that a handler has thrown', async () => {
    await ask(app.port, request('/thrown/plain'))
    await ask(app.port, request('/thrown/fault'))
    expect(errors.map(({ message }) => message)).toEqual(['none', 'secret'])
    for (const { stack } of errors) expect(stack).toContain('refusals.test')
    expect(app.logged).toHaveLength(1)
    expect(app.logged[0]?.facts).toMatchObject({
      err: { stack: expect.stringContaining('refusals.test') },
    })
  })

  it('receives the error of a guard as `error.cause`, with its stack', async () => {
    const canActivate = () => {
      throw new TypeError('no key')
    }
    const auth = { guard: { canActivate } }
    const { port } = await start({ ...options, auth, middlewares: [noting] })
    await ask(port, request('/secret'))
    expect(errors[0]).toMatchObject({ status: 401, cause: { message: 'no key' } })
    const { cause } = errors[0] as HttpError
    expect((cause as Error).stack).toContain('refusals.test')
  })

  it('receives an HttpError of a guard unchanged', async () => {
    const decision = new HttpError(402, 'Pay first')
    const canActivate = () => Promise.reject(decision)
    const { port } = await start({
      ...options,
      auth: { guard: { canActivate } },
      middlewares: [noting],
    })
    expect((await ask(port, request('/secret')))?.status).toBe(402)
    expect(errors[0]).toBe(decision)
  })
})

it('an asynchronous rate limit store limits requests without a route', async () => {
  const counts = new Map<string, number>()
  const store: RateLimitStore = {
    async consume({ key, limit }) {
      const used = (counts.get(key) ?? 0) + 1
      counts.set(key, used)
      return { isAllowed: used <= limit, remaining: limit - used, resetMs: 1000 }
    },
  }
  const { port } = await start({ ...options, rateLimit: { limit: 2, window: '1m', store } })
  const ask404 = async () => (await ask(port, request('/nowhere')))?.status
  expect([await ask404(), await ask404(), await ask404()]).toEqual([404, 404, 429])
})
