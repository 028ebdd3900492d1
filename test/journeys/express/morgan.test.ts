import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import {
  ApiResponseDoc,
  Controller,
  defineControllers,
  Get,
  NotFoundError,
  type Request,
  type Response,
} from 'blazon'
import morgan from 'morgan'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appsOfTest } from './support.js'

@Controller()
class LoggedController {
  @Get('json')
  json() {
    return { ok: true }
  }

  @Get('ok')
  @ApiResponseDoc({
    status: 200,
    description: 'Fine',
    raw: true,
    schema: z.object({ ok: z.literal(true) }),
  })
  ok(_req: Request, res: Response) {
    res.json({ ok: true })
  }

  @Get('gone')
  gone() {
    throw new NotFoundError('It is gone')
  }

  @Get('stream')
  @ApiResponseDoc({ status: 200, description: 'Bit by bit', contentType: 'text/plain' })
  stream(_req: Request, res: Response) {
    res.type('text').write('a')
    setImmediate(() => res.end('b'))
  }
}

const controllers = defineControllers(LoggedController)

describe('the morgan package', () => {
  const apps = appsOfTest()

  async function logged(path: string, format: string, immediate = false) {
    const stream = new PassThrough({ encoding: 'utf8' })
    const app = await apps.inProcess({
      controllers,
      middlewares: [morgan(format, { stream, immediate })],
    })
    const [[line], answer] = await Promise.all([once(stream, 'data'), app.request().get(path)])
    return { line: (line as string).trimEnd(), answer }
  }

  it.each(['/json', '/ok', '/gone', '/missing'])(
    'logs the status, the length and the response time of %s',
    async (path) => {
      const format = ':method :url :status :res[content-length] :response-time ms'
      const { line, answer } = await logged(path, format)
      const [method, url, status, length, time, unit] = line.split(' ')
      expect([method, url, unit]).toEqual(['GET', path, 'ms'])
      expect(status).toBe(String(answer.status))
      expect(length).toBe(answer.headers['content-length'])
      expect(Number(time)).toBeGreaterThan(0)
    },
  )

  it('logs a stream when it has ended', async () => {
    const { line } = await logged('/stream', ':status :total-time')
    expect(line).toMatch(/^200 \d+\.\d+$/)
  })

  it('logs the original URL and the client address of the request', async () => {
    const { line } = await logged('/json?a=1', ':remote-addr ":method :url HTTP/:http-version"')
    expect(line).toBe('127.0.0.1 "GET /json?a=1 HTTP/1.1"')
  })

  it('logs before the response is sent with the option `immediate`', async () => {
    const { line } = await logged('/json', ':method :url :status', true)
    expect(line).toBe('GET /json -')
  })
})

describe('a middleware that logs when the response ends', () => {
  const apps = appsOfTest()

  it.each(['finish', 'close'])(
    'can read the status and the headers in the event %s',
    async (event) => {
      const seen: unknown[] = []
      const app = await apps.inProcess({
        controllers,
        security: { helmet: true },
        middlewares: [
          (_req, res, next) => {
            res.on(event, () => {
              const { statusCode } = res
              const [type, length] = ['content-type', 'content-length'].map((name) => res.get(name))
              seen.push({ statusCode, type, length, frame: res.getHeaders()['x-frame-options'] })
            })
            next()
          },
        ],
      })
      const { headers } = await app.request().get('/ok')
      await expect.poll(() => seen).toHaveLength(1)
      expect(seen[0]).toEqual({
        statusCode: 200,
        type: 'application/json; charset=utf-8',
        length: Number(headers['content-length']),
        frame: 'SAMEORIGIN',
      })
    },
  )
})
