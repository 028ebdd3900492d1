import { runInNewContext } from 'node:vm'
import {
  BadRequestError,
  ConflictError,
  Controller,
  defineControllers,
  Get,
  HttpError,
  InternalServerError,
  type Middleware,
  NotFoundError,
  type Request,
  type Response,
} from 'blazon'
import httpErrors from 'http-errors'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { expectFailure, start } from './listening-app.js'
import { type Answer, exchange, request } from './raw-connection.js'

afterEach(() => vi.unstubAllEnvs())

type Handle = (req: Request, res: Response) => unknown

/** The response of a route with this handler, and the number of logged errors. */
async function ask(handle: Handle, lines: string[] = [], middlewares: Middleware[] = []) {
  @Controller()
  class OneController {
    @Get('one')
    get(req: Request, res: Response): unknown {
      return handle(req, res)
    }
  }
  const controllers = defineControllers(OneController)
  const timeouts = { handler: '50ms' }
  const { port, logged } = await start({ controllers, middlewares, timeouts })
  const answers = await exchange(port, request('/one', lines))
  expect(answers).toHaveLength(1)
  return { answer: answers[0] as Answer, logged: logged.length }
}

function throwing(value: unknown): Handle {
  return () => {
    throw value
  }
}

const trap = (): never => {
  throw new Error('a trap')
}
const bomb = new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap })
const branded = (fields: object) => Object.assign(Object.create(new NotFoundError()), fields)
const getter = (name: string) => Object.defineProperty(new Error('x'), name, { get: trap })
const circular: { self?: object } = {}
circular.self = circular

const driverError = Object.assign(new Error('secret'), { code: '23505', status: 400 })

const values: [string, unknown][] = [
  ['null', null],
  ['undefined', undefined],
  ['false', false],
  ['0', 0],
  ['a string', 'SELECT * FROM users'],
  ["'route'", 'route'],
  ["'router'", 'router'],
  ['a symbol', Symbol('secret')],
  ['a bigint', 1n],
  ['a function', trap],
  ['an Error', new Error('password=hunter2')],
  ['a frozen Error', Object.freeze(new Error('secret'))],
  ['a frozen object', Object.freeze({ status: 404, message: 'secret' })],
  ['an Error without a prototype', Object.setPrototypeOf(new Error('secret'), null)],
  ['an AggregateError', new AggregateError([new Error('secret')], 'secret')],
  ['an Error of another realm', runInNewContext('new Error("secret")')],
  ['a proxy that throws', bomb],
  ['a revoked proxy', revoked()],
  ['an Error whose message throws', getter('message')],
  ['an Error whose status throws', getter('status')],
  ['an Error whose stack throws', getter('stack')],
  ['a circular object', circular],
  ['a Response object', new globalThis.Response('x', { status: 404 })],
]

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const GENERIC = { message: 'Internal Server Error', code: 'INTERNAL_SERVER_ERROR' }

describe('a thrown value of any type', () => {
  it.each(values)('results in a single 500 response if it is %s', async (_, value) => {
    for (const handle of [
      throwing(value),
      () => Promise.reject(value),
      async () => {
        await null
        throw value
      },
    ]) {
      const { answer, logged } = await ask(handle)
      expect(expectFailure(answer, 500, 'INTERNAL_SERVER_ERROR')).toMatchObject(GENERIC)
      expect(answer.text).not.toMatch(/secret|hunter2|SELECT/)
      expect(logged).toBe(1)
    }
  })

  it.each(values)(
    'results in a single 500 response if a middleware throws %s',
    async (_, value) => {
      const fail = () => {
        throw value
      }
      for (const middleware of [fail, () => Promise.reject(value)]) {
        const { answer } = await ask(() => 'reached', [], [middleware])
        expect(expectFailure(answer, 500, 'INTERNAL_SERVER_ERROR')).toMatchObject(GENERIC)
      }
    },
  )
})

describe('an Error with a status', () => {
  it('results in a 500 response if a handler throws it', async () => {
    const { answer } = await ask(throwing(driverError))
    expect(expectFailure(answer, 500, 'INTERNAL_SERVER_ERROR')).toMatchObject(GENERIC)
  })

  it('keeps its status, but not its message, if a middleware throws it', async () => {
    const { answer } = await ask(() => 'reached', [], [throwing(driverError)])
    expect(expectFailure(answer, 400, 'BAD_REQUEST')).toMatchObject({ message: 'Bad Request' })
  })
})

describe('a malformed HttpError', () => {
  it.each<[string, unknown]>([
    ['whose errors cannot be written', new ConflictError('x', { errors: [1n] as never })],
    ['whose errors are circular', new ConflictError('x', { errors: [circular] as never })],
    ['whose errors throw', new ConflictError('x', { errors: [{ toJSON: trap }] as never })],
    ['whose headers throw', new ConflictError('x', { headers: bomb as never })],
    ['whose status is a success', branded({ status: 200 })],
    ['whose status is not a number', branded({ status: '404' })],
    ['whose status is NaN', branded({ status: Number.NaN })],
    ['whose status is beyond 599', branded({ status: 999 })],
    ['whose message cannot be a string', branded({ message: Object.create(null) })],
    ['whose code is a symbol that throws', branded({ code: { toString: trap } })],
  ])(
    'results in one 500 response, or one response without the invalid field: %s',
    async (_, error) => {
      const { answer } = await ask(throwing(error))
      expect([409, 500]).toContain(answer.status)
      expectFailure(
        answer,
        answer.status,
        answer.status === 409 ? 'CONFLICT' : 'INTERNAL_SERVER_ERROR',
      )
    },
  )

  it('keeps its status if it has an invalid header', async () => {
    const headers = { 'X-Good': 'yes', 'X-Bad': 'a\r\nX-Injected: 1', 'Bad Name': '1' }
    const { answer } = await ask(throwing(new ConflictError('x', { headers })))
    expectFailure(answer, 409, 'CONFLICT')
    expect(answer.headers).toMatchObject({ 'x-good': 'yes' })
    expect(Object.keys(answer.headers).filter((name) => /bad|inject/.test(name))).toEqual([])
  })
})

describe('the message of an error response', () => {
  it.each(['production', 'development', 'test', ''])(
    'contains no internal details of a 5xx error with NODE_ENV=%j',
    async (env) => {
      vi.stubEnv('NODE_ENV', env)
      for (const error of [
        new Error('connect ECONNREFUSED postgres://app:pw@10.0.0.1/db'),
        new InternalServerError('connect postgres://app:pw@10.0.0.1/db', { cause: new Error('x') }),
        new HttpError(502, 'upstream postgres://app:pw@10.0.0.1/db'),
        httpErrors(500, 'postgres://app:pw@10.0.0.1/db'),
      ]) {
        const { answer, logged } = await ask(throwing(error))
        expectFailure(answer, answer.status, answer.status === 502 ? 'BAD_GATEWAY' : GENERIC.code)
        expect(answer.text).not.toMatch(/postgres|pw|10\.0/)
        expect(logged).toBe(1)
      }
    },
  )

  it('is the message of a 4xx error without its cause', async () => {
    const cause = new Error('secret')
    const { answer, logged } = await ask(throwing(new BadRequestError('No such colour', { cause })))
    expect(expectFailure(answer, 400, 'BAD_REQUEST')['message']).toBe('No such colour')
    expect(answer.text).not.toContain('secret')
    expect(logged).toBe(0)
  })

  it('is the same in a problem document', async () => {
    const accept = ['Accept: application/problem+json']
    for (const [error, status, detail, ...id] of [
      [new NotFoundError('No such user'), 404, 'No such user'],
      [new Error('secret'), 500, 'Internal Server Error', 'requestId'],
    ] as const) {
      const { answer } = await ask(throwing(error), accept)
      expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
      const problem = JSON.parse(answer.text)
      expect(problem).toMatchObject({ type: 'about:blank', status, detail })
      const names = ['code', 'detail', ...id, 'status', 'title', 'type']
      expect(Object.keys(problem).sort()).toEqual(names)
    }
  })

  it.each([
    'application/problem+json;q=x',
    `${'a/b,'.repeat(3000)}application/problem+json`,
    ';,;,/',
  ])('is sent even if the Accept header is malformed', async (accept) => {
    const { answer } = await ask(throwing(new NotFoundError('x')), [`Accept: ${accept}`])
    expect(answer.status).toBe(404)
    expect(JSON.parse(answer.text).status).toBe(404)
  })

  it('is sent as JSON with nosniff if it contains HTML', async () => {
    const { answer } = await ask(throwing(new NotFoundError('<script>alert(1)</script>')))
    expectFailure(answer, 404, 'NOT_FOUND')
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  })
})

describe('a value that cannot be sent', () => {
  it.each<[string, unknown]>([
    ['a bigint', 1n],
    ['a circular object', circular],
    ['a toJSON that throws', { toJSON: trap }],
    [
      'a toJSON that throws null',
      {
        toJSON() {
          throw null
        },
      },
    ],
    ['a getter that throws', Object.defineProperty({}, 'x', { enumerable: true, get: trap })],
    ['a proxy that throws', bomb],
    ['a proxy whose traps throw', new Proxy({}, { getPrototypeOf: trap, ownKeys: trap })],
    ['a promise whose then throws', Object.assign(Promise.resolve(1n), { then: trap })],
    ['a thenable that throws', { then: trap }],
    [
      'a thenable whose then is a getter that throws',
      Object.defineProperty({}, 'then', { get: trap }),
    ],
  ])('results in a single 500 response if it is %s', async (_, value) => {
    for (const handle of [
      () => value,
      async () => ({ value }),
      (_req: Request, res: Response) =>
        res.status(201).set('Cache-Control', 'public').json({ value }),
      (_req: Request, res: Response) => res.send({ value }),
    ]) {
      const { answer, logged } = await ask(handle)
      // A thenable is harmless inside an object.
      if (answer.status < 300) expect(JSON.parse(answer.text)).toBeTypeOf('object')
      else {
        expectFailure(answer, 500, 'INTERNAL_SERVER_ERROR')
        expect(answer.headers).not.toHaveProperty('cache-control')
        expect(logged).toBe(1)
      }
    }
  })
})

describe('user input in response headers', () => {
  const evil = 'x\r\nX-Injected: 1\r\n\r\n<script>'
  const ways: Record<string, Handle> = {
    'a header': (_, res) => res.set('X-Name', evil).json(1),
    'a header name': (_, res) => res.set(evil, '1').json(1),
    'a redirect': (_, res) => res.redirect(evil),
    'a redirect with characters outside of Latin-1': (_, res) =>
      res.redirect('/\u{1f600}\u010d\u010a'),
    'a location': (_, res) => res.location(evil).json(1),
    'a cookie': (_, res) => res.cookie('name', evil).json(1),
    'the name of a cookie': (_, res) => res.cookie(evil, '1').json(1),
    'the path of a cookie': (_, res) => res.cookie('name', '1', { path: evil }).json(1),
    'the domain of a cookie': (_, res) => res.cookie('name', '1', { domain: evil }).json(1),
    'a file name': (_, res) => res.attachment(evil).json(1),
    'a type': (_, res) => res.type(evil).json(1),
    'a link': (_, res) => res.links({ next: evil }).json(1),
    'a list of varying headers': (_, res) => res.vary(evil).json(1),
    'the reason phrase': (_, res) => {
      res.statusMessage = evil
      return 1
    },
    'the head': (_, res) => res.writeHead(200, evil, { 'X-Name': evil }).end(),
    'a character that HTTP headers cannot contain': (_, res) =>
      res.set('X-Name', '\u010d\u010a').json(1),
  }

  it.each(Object.entries(ways))('adds no header line through %s', async (_, handle) => {
    const { answer } = await ask(handle)
    if (answer.status === 500) expectFailure(answer, 500, 'INTERNAL_SERVER_ERROR')
    expect([200, 302, 500]).toContain(answer.status)
    expect(answer.headers).not.toHaveProperty('x-injected')
    // The security headers are on error responses too.
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  })
})

describe('an error middleware', () => {
  type ErrorHandle = (
    error: unknown,
    req: Request,
    res: Response,
    next: (e?: unknown) => void,
  ) => unknown
  const broken: Record<string, ErrorHandle> = {
    throws: (_error, _req, _res, _next) => {
      throw new Error('worse')
    },
    'throws undefined': (_error, _req, _res, _next) => {
      throw undefined
    },
    rejects: async (_error, _req, _res, _next) => {
      throw new Error('worse')
    },
    'rejects with undefined': (_error, _req, _res, _next) => Promise.reject(),
    'passes on twice': (error, _req, _res, next) => {
      next(error)
      next(error)
    },
    'passes on and throws': (error, _req, _res, next) => {
      next(error)
      throw new Error('worse')
    },
  }

  it.each(Object.entries(broken))('results in one 500 response if it %s', async (_, middleware) => {
    const { answer } = await ask(throwing(new Error('bad')), [], [middleware])
    expectFailure(answer, 500, 'INTERNAL_SERVER_ERROR')
  })

  it('results in one 404 response if it calls next() without the error', async () => {
    const { answer } = await ask(
      throwing(new Error('bad')),
      [],
      [(_error, _req, _res, next) => next()],
    )
    expectFailure(answer, 404, 'NOT_FOUND')
  })

  it('results in one error response after the handler timeout if it sends no response', async () => {
    const silent: ErrorHandle = (_error, _req, _res, _next) => {}
    const { answer } = await ask(throwing(new Error('bad')), [], [silent])
    expect([500, 503]).toContain(answer.status)
  })

  it('keeps its response if it sends a response and then throws', async () => {
    const middleware: ErrorHandle = (_error, _req, res, _next) => {
      res.status(418).json({ own: true })
      throw new Error('worse')
    }
    const { answer } = await ask(throwing(new Error('bad')), [], [middleware])
    expect({ status: answer.status, body: JSON.parse(answer.text) }).toEqual({
      status: 418,
      body: { own: true },
    })
  })
})
