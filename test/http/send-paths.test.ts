import {
  Auth,
  Cache,
  ConflictError,
  Controller,
  Get,
  Header,
  HttpCode,
  HttpError,
  type Middleware,
  Params,
  Post,
  RateLimit,
  Redirect,
  type Response,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rawExchange } from '../journeys/wire/raw-exchange.js'

@Controller('ways')
class WaysController {
  @Get('data') data() {
    return { text: 'ä\u2028' }
  }

  @Post('created') @HttpCode(201) @Header('X-Constant', 'c') created() {
    return [1]
  }

  @Get('nothing') nothing() {}

  @Get('text') text(_req: unknown, res: Response) {
    res.type('text').send('plain')
  }

  @Get('moved') @Redirect('/ways/data', 307) moved() {}

  @Get('cached') @Cache({ ttl: 60, tags: ['all'] }) cached() {
    return 'cached'
  }

  @Get('limited') @RateLimit({ limit: 1, window: '1m' }) limited() {
    return 'limited'
  }

  @Get('mine') @Auth() mine() {
    return 'mine'
  }

  @Get('numbers/:n') @Params(z.object({ n: z.coerce.number() })) numbers() {
    return 'number'
  }

  @Get('taken') taken() {
    throw new ConflictError('Taken', { headers: { 'X-Reason': 'r', 'Retry-After': '7' } })
  }

  @Get('late') late() {
    throw new HttpError(503, 'Late', { headers: { 'Retry-After': '7' } })
  }

  @Get('unwritable') unwritable() {
    throw new HttpError(503, 'Late', { headers: { Allow: 'a\r\nb' } })
  }

  @Get('failing') failing(_req: unknown, res: Response) {
    res.type('csv').set('Content-Disposition', 'attachment')
    throw new Error('a bug')
  }
}

/** Requests, and the status of each. */
const REQUESTS: readonly [string, number][] = [
  ['GET /ways/data', 200],
  ['HEAD /ways/data', 200],
  ['POST /ways/created', 201],
  ['GET /ways/nothing', 204],
  ['GET /ways/text', 200],
  ['GET /ways/moved', 307],
  ['GET /ways/cached', 200],
  ['GET /ways/cached again', 200],
  ['GET /ways/limited', 200],
  ['GET /ways/limited again', 429],
  ['GET /ways/mine', 401],
  ['GET /ways/numbers/one', 400],
  ['GET /ways/taken', 409],
  ['GET /ways/late', 503],
  ['HEAD /ways/late', 503],
  ['GET /ways/unwritable', 503],
  ['GET /ways/failing', 500],
  ['DELETE /ways/data', 405],
  ['OPTIONS /ways/data', 204],
  ['GET /nowhere', 404],
]

/** Each is a reason to set the headers one by one, and changes nothing that a client receives. */
const TOUCHES: readonly [string, Middleware][] = [
  ['listens for `finish`', (_req, res, next) => next(void res.on('finish', () => {}))],
  ['listens for `close`', (_req, res, next) => next(void res.on('close', () => {}))],
  [
    'replaces `writeHead`',
    (_req, res, next) => {
      const { writeHead } = res
      res.writeHead = (...args: unknown[]) => writeHead.apply(res, args as never)
      next()
    },
  ],
  [
    'replaces `end`',
    (_req, res, next) => {
      const { end } = res
      res.end = (...args: unknown[]) => end.apply(res, args as never) as never
      next()
    },
  ],
  ['sets a header', (_req, res, next) => next(void res.setHeader('X-Touched', 'yes'))],
]

const OWN = /^(?:x-request-id|date|x-touched):/i

let app: TestApp
let port: number

async function start(options: TestOptions = {}) {
  app = await TestApp.create({
    controllers: [WaysController],
    auth: { guard: { canActivate: () => false } },
    rateLimit: { limit: 1000, window: '1h' },
    security: { helmet: true, cors: { origin: 'https://example.com' } },
    contract: 'off',
    logger: false,
    ...options,
  })
  await app.clock.advance(0)
  ;({ port } = await app.listen(0, { host: '127.0.0.1', announce: false }))
}

/** The status line, the lines of the head in the order of the alphabet, and the body. */
async function respond(request: string) {
  const [method, path] = request.split(' ')
  const head = 'Host: a\r\nOrigin: https://example.com\r\nConnection: close\r\nContent-Length: 0'
  const text = await rawExchange(port, `${method} ${path} HTTP/1.1\r\n${head}\r\n\r\n`)
  const end = text.indexOf('\r\n\r\n')
  const [status, ...lines] = text.slice(0, end).split('\r\n')
  const body = text.slice(end).replace(/"requestId":"[\w-]+"/, '"requestId"')
  return { status, lines: lines.filter((line) => !OWN.test(line)).sort(), body }
}

async function all() {
  const responses: [string, Awaited<ReturnType<typeof respond>>][] = []
  for (const [request] of REQUESTS) responses.push([request, await respond(request)])
  return responses
}

let untouched: Awaited<ReturnType<typeof all>>
beforeAll(async () => {
  await start()
  untouched = await all()
  await app.close()
})
afterEach(() => app.close())

describe('a response whose headers are written as text', () => {
  it('has the expected status for every kind of request', () => {
    const statuses = untouched.map(([request, { status }]) => [
      request,
      Number(status?.slice(9, 12)),
    ])
    expect(statuses).toEqual(REQUESTS)
  })

  it.each(TOUCHES)('stays the same if a middleware %s', async (_, touch) => {
    await start({ middlewares: [touch] })
    expect(await all()).toEqual(untouched)
  })
})
