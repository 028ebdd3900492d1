import type { AddressInfo } from 'node:net'
import { App, ConflictError, Controller, type ErrorFormat, Get, Post, type Request } from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { rawExchange } from './raw-exchange.js'

@Controller('errors')
class ErrorsController {
  @Get('headers') headers() {
    throw new ConflictError('Taken', {
      headers: { 'X-Name': ['one', 'two'], 'X-Number': 7, 'X-Nothing': undefined } as never,
    })
  }

  @Get('wrong-header') wrongHeader() {
    throw new ConflictError('Taken', { headers: { 'X-Line': 'a\r\nb', 'X-Good': 'kept' } })
  }
}

const open: { close(): Promise<unknown> }[] = []
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())))

async function start(options: TestOptions = {}): Promise<TestApp> {
  const controllers = [ErrorsController]
  const app = await TestApp.create({ controllers, logger: false, contract: 'off', ...options })
  open.push(app)
  return app
}

const format = (mediaType?: string): ErrorFormat => ({
  format: ({ status }) => ({ text: `größer ✓ ${status}` }),
  schema: { type: 'object' },
  ...(mediaType && { mediaType }),
})

describe('the length of an error response', () => {
  it('is counted in bytes, even for a request that is not HTTP', async () => {
    const served = new App({ controllers: [ErrorsController], errors: format(), logger: false })
    open.push(served)
    const { port }: AddressInfo = await served.listen(0, '127.0.0.1')
    for (const request of [
      'no HTTP\r\n\r\n',
      'GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ]) {
      const [head = '', body = ''] = (await rawExchange(port, request)).split('\r\n\r\n')
      const [, length] = /^Content-Length: (\d+)$/im.exec(head) ?? []
      expect(Number(length)).toBe(Buffer.byteLength(body))
      expect(JSON.parse(body).text).toMatch(/^größer ✓ 40[04]$/)
    }
  })

  it('matches the body, and is the same for HEAD', async () => {
    const app = await start({ errors: format() })
    const { headers, text } = await app.request().get('/nowhere')
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text))
    const head = await app.request().head('/nowhere')
    expect(head.headers['content-length']).toBe(headers['content-length'])
    expect(head.text ?? '').toBe('')
  })
})

describe('the status of the response to a request that the Node.js parser refuses', () => {
  const post = 'POST /errors HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'

  it.each([
    ['not HTTP', 'no HTTP\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'a head that is too long',
      `GET / HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      431,
      'REQUEST_HEADER_FIELDS_TOO_LARGE',
    ],
    [
      'a chunk extension that is too long',
      `${post}1;${'x'.repeat(100_000)}\r\n`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  ])('matches the problem: %s', async (_, bytes, status, code) => {
    @Controller('errors')
    class Waiting {
      @Post() wait(req: Request) {
        return new Promise((resolve) => req.once('end', resolve).resume())
      }
    }
    const served = new App({ controllers: [Waiting], logger: false })
    open.push(served)
    const { port }: AddressInfo = await served.listen(0, '127.0.0.1')
    const [head = '', body = ''] = (await rawExchange(port, bytes)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(JSON.parse(body)).toMatchObject({ statusCode: 'error', status, code })
  })
})

describe('a chunked body', () => {
  it.each(['chunked', 'Chunked', 'CHUNKED'])(
    'is accepted with the transfer coding %s',
    async (coding) => {
      @Controller('echo')
      class Echo {
        @Post() echo(req: Request) {
          return { got: req.body }
        }
      }
      const served = new App({ controllers: [Echo], logger: false })
      open.push(served)
      const { port }: AddressInfo = await served.listen(0, '127.0.0.1')
      const head = `POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n`
      const bytes = `${head}Transfer-Encoding: ${coding}\r\n\r\n3\r\n[1]\r\n0\r\n\r\n`
      expect(await rawExchange(port, bytes)).toContain('"data":{"got":[1]}')
    },
  )
})

describe('the media type of an error response', () => {
  it.each([
    [undefined, 'application/json; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
    ['application/vnd.api+json', 'application/vnd.api+json'],
  ])('if it is set to %s, is sent as %s', async (mediaType, sent) => {
    const app = await start({ errors: format(mediaType) })
    expect((await app.request().get('/nowhere')).headers['content-type']).toBe(sent)
  })
})

describe('the headers of an error', () => {
  it('can be lists and numbers, and are omitted if they are undefined', async () => {
    const app = await start()
    const { headers } = await app.request().get('/errors/headers')
    expect(headers).toMatchObject({ 'x-name': 'one, two', 'x-number': '7' })
    expect(headers).not.toHaveProperty('x-nothing')
  })

  it('are omitted individually if Node.js rejects them', async () => {
    const app = await start()
    const { status, headers } = await app.request().get('/errors/wrong-header')
    expect(status).toBe(409)
    expect(headers['x-good']).toBe('kept')
    expect(headers).not.toHaveProperty('x-line')
  })
})

describe('the message of a 404', () => {
  it('contains the path without the query, which may contain secrets', async () => {
    const app = await start()
    const { body } = await app.request().get('/nowhere/1?token=secret')
    expect(body.message).toBe('Cannot GET /nowhere/1')
  })
})
