import {
  Body,
  Controller,
  defineControllers,
  type ErrorRequestHandler,
  Get,
  Post,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

let calls = 0

@Controller()
class SlowController {
  @Post('notes')
  @Body(z.object({ text: z.string() }))
  add({ body }: Request) {
    calls++
    return body
  }

  /** Returns the response object, and never ends the response. */
  @Get('open')
  open(_req: Request, res: Response) {
    calls++
    return res
  }

  /** Leaves the response to a callback that never runs. */
  @Get('later')
  later(_req: Request, _res: Response) {
    calls++
  }

  @Get('never')
  never() {
    calls++
    return new Promise(() => {})
  }

  @Get('stream')
  stream(_req: Request, res: Response) {
    res.type('text/plain').write('begun')
    return res
  }
}

const controllers = defineControllers(SlowController)
const headers = { 'content-type': 'application/json' }

let app: TestApp
let logged: object[]

beforeEach(async () => {
  calls = 0
  logged = []
  const logger = { info() {}, warn() {}, error: (facts: object) => void logged.push(facts) }
  app = await TestApp.create({ controllers, logger, contract: 'off', timeouts: { close: '10ms' } })
})
afterEach(() => app.close())

/** A body that is sent in pieces, each when the test sends it. */
function pieces() {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
  })
  const encoder = new TextEncoder()
  const send = (text: string) => controller.enqueue(encoder.encode(text))
  return { body, send, end: () => controller.close() }
}

const post = (body: ReadableStream) =>
  app.fetch('/notes', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)

describe('the timeouts.handler option', () => {
  it('does not include the time that the client needs to send the body', async () => {
    const { body, send, end } = pieces()
    const answer = post(body)
    send('{"text":')
    for (let i = 0; i < 4; i++) await app.clock.advance('20s')
    send('"slow"}')
    end()
    const response = await answer
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ data: { text: 'slow' } })
    expect([calls, logged]).toEqual([1, []])
  })

  it('does not end a request earlier because another client sends its body slowly', async () => {
    const { body, send, end } = pieces()
    const slow = post(body)
    send('{"text":')
    await app.clock.advance('20s')
    const other = app.fetch('/never')
    await app.clock.advance('29s')
    expect(logged).toEqual([])
    await app.clock.advance('1s')
    expect((await other).status).toBe(503)
    send('"x"}')
    end()
    expect((await slow).status).toBe(200)
  })

  it.each(['/open', '/later', '/never'])(
    'results in one 503 response and one log entry if the handler never responds: %s',
    async (path) => {
      const answer = app.fetch(path)
      await app.clock.advance('29s')
      expect(logged).toEqual([])
      await app.clock.advance('1s')
      const response = await answer
      expect(response.status).toBe(503)
      expect(await response.json()).toMatchObject({ code: 'HANDLER_TIMEOUT' })
      await app.clock.advance('10m')
      expect(logged).toMatchObject([{ err: { code: 'HANDLER_TIMEOUT' }, status: 503 }])
    },
  )

  it.each(['/open', '/later'])(
    'has no effect after the client closes the connection: %s',
    async (path) => {
      const leaving = new AbortController()
      const answer = app.fetch(path, { signal: leaving.signal })
      await app.clock.advance('10s')
      expect(calls).toBe(1)
      leaving.abort()
      await expect(answer).rejects.toThrow()
      await app.clock.advance('10m')
      expect(logged).toEqual([])
    },
  )

  it('leaves the response to an error middleware even if the handler returns `res` too late', async () => {
    let finish = () => {}
    let respond = () => {}
    @Controller('slow')
    class Slow {
      @Get()
      async get(_req: Request, res: Response) {
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        return res
      }
    }
    const patient: ErrorRequestHandler = (_error, _req, res, _next) => {
      respond = () => void res.status(503).json({ own: true })
    }
    await using other = await TestApp.create({
      controllers: [Slow],
      middlewares: [patient],
      timeouts: { handler: '5s' },
      logger: false,
      contract: 'off',
    })
    const response = other.fetch('/slow')
    await new Promise(setImmediate)
    await other.clock.advance('5s')
    finish()
    await new Promise(setImmediate)
    respond()
    expect(await (await response).json()).toEqual({ own: true })
  })

  it('does not end a response that has begun', async () => {
    const response = await app.fetch('/stream')
    await app.clock.advance('10m')
    expect([response.status, logged]).toEqual([200, []])
    await response.body?.cancel()
  })
})
