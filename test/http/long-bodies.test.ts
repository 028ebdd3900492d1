import { OutgoingMessage } from 'node:http'
import {
  type AppOptions,
  Cache,
  Controller,
  Get,
  JsonLines,
  Params,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'

/** The length from which on bytes are written. */
const LONG = 64 * 1024

/** A text with characters of one, two, three and four bytes, and half a surrogate pair, which JSON escapes. */
const MIXED = 'aé€😀\ud800'.repeat(LONG / 4)

@Controller('texts')
class TextsController {
  @Get('long') long() {
    return MIXED
  }
  @Get('of/:length') @Params(z.object({ length: z.coerce.number() })) of(req: Request) {
    return 'a'.repeat(Number(req.params.length))
  }
  @Get('cached') @Cache({ ttl: 60 }) cached() {
    return MIXED
  }
  @Get('etag') etag(_req: unknown, res: Response) {
    res.set('ETag', '"own"')
    return MIXED
  }
  @Get('lines') @JsonLines(z.string()) async *lines() {
    yield MIXED
  }
}

let app: TestApp | undefined
/** The last body that Node was given, of each call of `write` and `end`. */
const written: unknown[] = []

beforeEach(() => {
  for (const name of ['write', 'end'] as const) {
    const original = OutgoingMessage.prototype[name] as (...args: unknown[]) => never
    vi.spyOn(OutgoingMessage.prototype, name).mockImplementation(function note(
      this: OutgoingMessage,
      ...args: unknown[]
    ) {
      if (args[0] !== undefined && 'statusCode' in this) written.push(args[0])
      return original.apply(this, args)
    } as never)
  }
})
afterEach(async () => {
  vi.restoreAllMocks()
  written.length = 0
  await app?.close()
})

async function start(options: Partial<AppOptions> = {}): Promise<TestApp> {
  app = await TestApp.create({
    controllers: [TextsController],
    logger: false,
    ...options,
  })
  return app
}

it.each([
  ['/texts/long', 'the fast path'],
  ['/texts/cached', 'the cache'],
  ['/texts/etag', 'a response with a validator'],
])('the long body of %s is written as bytes: %s', async (path) => {
  await start()
  for (const round of ['first', 'again']) {
    written.length = 0
    const { status, text, headers } = await (app as TestApp).request().get(path)
    expect([round, status]).toEqual([round, 200])
    expect(Buffer.byteLength(text)).toBe(Number(headers['content-length']))
    expect(JSON.parse(text).data).toBe(MIXED)
    expect(written.map(Buffer.isBuffer)).toEqual([true])
  }
})

it('a body of 65,536 characters is written as bytes, and a shorter one as a string', async () => {
  await start()
  const get = (length: number) => (app as TestApp).request().get(`/texts/of/${length}`)
  const room = LONG - (await get(0)).text.length
  written.length = 0
  await get(room - 1)
  await get(room)
  expect(written.map((body) => [typeof body, (body as string).length])).toEqual([
    ['string', LONG - 1],
    ['object', LONG],
  ])
})

it('a long item of a stream is written as bytes', async () => {
  await start()
  const { text } = await (app as TestApp).request().get('/texts/lines')
  expect(JSON.parse(text)).toBe(MIXED)
  expect(written.some((part) => Buffer.isBuffer(part) && part.length > LONG)).toBe(true)
  expect(written.every((part) => Buffer.isBuffer(part) || (part as string).length < LONG)).toBe(
    true,
  )
})

it.each(['/texts/long', '/texts/cached', '/texts/etag'])(
  'the long body of %s does not affect responses to HEAD and conditional requests',
  async (path) => {
    await start()
    const { headers, text } = await (app as TestApp).request().get(path)
    const head = await (app as TestApp).request().head(path)
    expect([head.status, head.text ?? '']).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(text)))
    expect(head.headers['content-type']).toBe(headers['content-type'])
    if (path !== '/texts/etag') return
    const again = await (app as TestApp).request().get(path).set('If-None-Match', '"own"')
    expect([again.status, again.text]).toEqual([304, ''])
  },
)

it('a middleware that replaces `end` receives a long body as bytes', async () => {
  const seen: unknown[] = []
  await start({
    middlewares: [
      (_req, res, next) => {
        const end = res.end
        res.end = ((...args: Parameters<typeof end>) => {
          seen.push(args[0])
          return end.apply(res, args)
        }) as typeof end
        next()
      },
    ],
  })
  const { body } = await (app as TestApp).request().get('/texts/long')
  expect(body.data).toBe(MIXED)
  expect(seen.map(Buffer.isBuffer)).toEqual([true])
})
