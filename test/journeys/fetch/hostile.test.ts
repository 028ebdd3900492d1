import {
  App,
  Controller,
  Get,
  getTenantId,
  Post,
  type Request as Req,
  type Response as Res,
  Tenant,
} from 'blazon'
import { afterEach, expect, it } from 'vitest'

let app: App
const handled: string[] = []

@Controller()
class HostileController {
  @Get('hello')
  hello(req: Req) {
    handled.push(req.originalUrl)
    return { headers: req.headers }
  }

  @Post('echo')
  async echo(req: Req) {
    handled.push(req.originalUrl)
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    return { text: Buffer.concat(chunks).toString() }
  }

  @Tenant()
  @Get('outer')
  async outer() {
    const inner = await app.fetch(at('/inner'))
    return { outer: getTenantId(), inner: ((await inner.json()) as { data: unknown }).data }
  }

  @Get('inner')
  inner() {
    return { tenant: getTenantId() ?? null }
  }

  @Get('status/:status')
  status({ params }: Req, res: Res) {
    res.status(Number(params['status'])).end('text')
  }
}

afterEach(async () => {
  handled.length = 0
  await app.close()
})

function start(): App {
  app = new App({ controllers: [HostileController], tenant: {}, logger: false })
  return app
}

const at = (path: string, init?: object) =>
  new Request(`http://shop.example${path}`, init as RequestInit)

const SMUGGLED = 'GET /hello?smuggled HTTP/1.1\r\nHost: a\r\n\r\n'

it.each([{}, { 'content-length': '0' }, { 'content-length': String(SMUGGLED.length) }])(
  'a stream of strings is refused, because its length in bytes is unknown: %o',
  async (headers) => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(SMUGGLED)
        controller.close()
      },
    })
    const request = at('/echo', { method: 'POST', body, headers, duplex: 'half' })
    await expect(start().fetch(request)).rejects.toThrow(
      'The chunks of the request body are not bytes',
    )
    expect(handled).not.toContain('/hello?smuggled')
  },
)

it('framing headers are removed in upper and lower case', async () => {
  const headers = new Map([
    ['Transfer-Encoding', 'gzip'],
    ['Connection', 'upgrade'],
    ['Upgrade', 'h2c'],
    ['Proxy-Connection', 'keep-alive'],
    ['Keep-Alive', 'timeout=5'],
    ['Content-Length', '5'],
    ['X-Kept', '1'],
  ])
  const request = foreign('/hello', { headers })
  const response = await start().fetch(request)
  const { data } = (await response.json()) as { data: { headers: object } }
  expect(data.headers).toEqual({ host: 'shop.example', connection: 'close', 'x-kept': '1' })
})

it('line breaks in a header or a URL do not create a new header', async () => {
  const headers = new Map([['x-a', 'a\r\nX-Injected: 1']])
  const request = foreign('/hello', { headers })
  await expect(start().fetch(request)).rejects.toThrow('Invalid character in header')
  const url = 'http://shop.example/hello?a= b\r\nX-Injected: 1'
  const response = await app.fetch(foreign('/hello', { url }))
  expect(await response.text()).not.toContain('injected')
})

it('a request that a handler sends with app.fetch() does not have the tenant of the handler', async () => {
  const response = await start().fetch(at('/outer', { headers: { 'x-tenant-id': 'acme' } }))
  expect(await response.json()).toMatchObject({
    data: { outer: 'acme', inner: { tenant: null } },
  })
})

it.each([100, 103, 150, 199])(
  'an interim status %i instead of a final one makes the call fail',
  async (status) => {
    await expect(start().fetch(at(`/status/${status}`))).rejects.toBeInstanceOf(TypeError)
  },
)

it.each([
  ['GET', 204],
  ['GET', 205],
  ['GET', 304],
  ['HEAD', 200],
])('a response without a body releases its connection: %s %i', async (method, status) => {
  const response = await start().fetch(at(`/status/${status}`, { method }))
  expect([response.status, response.body]).toEqual([status, null])
})

it('a response without a reader uses only the buffers of its connection', async () => {
  let written = 0
  @Controller('endless')
  class EndlessController {
    @Get()
    write(_: Req, res: Res) {
      const chunk = Buffer.alloc(10_000)
      const more = () => {
        do written += chunk.length
        while (res.write(chunk))
      }
      res.on('drain', more)
      more()
    }
  }
  app = new App({ controllers: [EndlessController], logger: false })
  const responses = await Promise.all(Array.from({ length: 100 }, () => app.fetch(at('/endless'))))
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
  expect(written / responses.length).toBeLessThan(500_000)
  await Promise.all(responses.map(({ body }) => body?.cancel()))
})

/** A request as a host may create it, with what the class `Request` refuses. */
function foreign(path: string, fields: object): Request {
  const { url, method, headers, body, bodyUsed, signal } = at(path)
  return { url, method, headers, body, bodyUsed, signal, ...fields } as Request
}
