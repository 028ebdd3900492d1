import { AsyncLocalStorage } from 'node:async_hooks'
import { getEventListeners, once } from 'node:events'
import {
  App,
  type AppOptions,
  Controller,
  Get,
  Post,
  type Request as Req,
  type Response as Res,
} from 'blazon'
import { afterEach, describe, expect, it } from 'vitest'
import { gate } from '../gate.js'
import { turns } from '../turns.js'
import { echoApp } from './echo-app.js'

const storage = new AsyncLocalStorage<string>()
let started = 0

class Starts {
  onInit() {
    started += 1
  }
}

@Controller()
class PlainController {
  @Get('hello')
  hello() {
    return { hello: true }
  }

  @Get('context')
  async context() {
    await new Promise(setImmediate)
    return storage.getStore()
  }

  @Post('refused')
  refused(_: Req, res: Res) {
    res.status(403).end('no')
  }

  @Post('count')
  async count(req: Req) {
    let bytes = 0
    for await (const chunk of req) bytes += (chunk as Buffer).length
    return { bytes }
  }

  @Get('status/:status')
  status({ params }: Req, res: Res) {
    res.status(Number(params['status'])).end()
  }

  @Get('reset')
  reset(_: Req, res: Res) {
    res.destroy()
  }
}

const running: App[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()))
})

function appOf(options: AppOptions = {}): App {
  const app = new App({ controllers: [PlainController], logger: false, ...options })
  running.push(app)
  return app
}

const at = (path: string, init?: RequestInit) => new Request(`http://shop.example${path}`, init)

/** A request as a host may create it, with what the class `Request` refuses. */
function foreign(fields: object): Request {
  const { url, method, headers, body, bodyUsed, signal } = at('/hello')
  return { url, method, headers, body, bodyUsed, signal, ...fields } as Request
}

/** A stream of these bytes, and whether its reader has cancelled it. */
function streamOf(...texts: string[]): ReadableStream<Uint8Array> {
  return new Blob(texts).stream() as ReadableStream<Uint8Array>
}

describe('the method app.fetch', () => {
  it('starts the application once at its first call', async () => {
    started = 0
    const { fetch } = appOf({ providers: [Starts] })
    const both = await Promise.all([fetch(at('/hello')), fetch(at('/hello'))])
    expect([started, ...both.map(({ status }) => status)]).toEqual([1, 200, 200])
    expect(await both[0]?.json()).toMatchObject({ status: 200, data: { hello: true } })
  })

  it('rejects with the problems that prevent startup', async () => {
    const app = new App({ controllers: [class NoController {}], logger: false })
    const code = 'E_DECORATORS_NOT_APPLIED'
    await expect(app.fetch(at('/hello'))).rejects.toMatchObject({ problems: [{ code }] })
  })

  it.each([
    ['a string', 'http://shop.example/hello', /needs a Request/],
    ['undefined', undefined, /needs a Request/],
    [
      'a URL with another scheme',
      new Request('ftp://shop.example/'),
      /http and https URLs, not ftp:/,
    ],
    ['a relative URL', foreign({ url: '/hello' }), /Invalid URL/],
    [
      'a method that is not a name',
      foreign({ method: 'A B' }),
      /Method must be a valid HTTP token/,
    ],
    [
      'a control character in a header',
      at('/hello', { headers: { 'x-a': '\u0001' } }),
      /Invalid character/,
    ],
  ])('rejects %s', async (_, request, message) => {
    const rejected = expect(appOf().fetch(request as Request)).rejects
    await rejected.toThrow(message)
    await rejected.toBeInstanceOf(TypeError)
  })

  it('rejects when the application is closed, whether it was started or not', async () => {
    const app = appOf()
    expect((await app.fetch(at('/hello'))).status).toBe(200)
    for (const each of [app, appOf()]) {
      await each.close()
      await expect(each.fetch(at('/hello'))).rejects.toThrow('The application is closed')
    }
  })

  it('rejects when the application is closed during the start that the call has caused', async () => {
    const started = gate()
    const app = appOf({ plugins: [{ name: 'slow', onInit: () => started.opened }] })
    const called = app.fetch(at('/hello')).catch((error) => error)
    await turns()
    const closing = app.close()
    started.open()
    expect(await called).toEqual(new Error('The application is closed.'))
    await closing
  })

  it('rejects when the application sends no response', async () => {
    const message = 'The application ended the connection without a response'
    await expect(appOf().fetch(at('/reset'))).rejects.toThrow(message)
  })

  it('rejects if the handler sets a status that a Response cannot have', async () => {
    await expect(appOf().fetch(at('/status/999'))).rejects.toBeInstanceOf(RangeError)
  })

  it('keeps the async context of its caller', async () => {
    const { fetch } = appOf()
    const contexts = ['a', 'b', 'c'].map((name) => storage.run(name, () => fetch(at('/context'))))
    const bodies = await Promise.all(contexts.map(async (response) => (await response).json()))
    expect(bodies.map((body) => (body as { data: string }).data)).toEqual(['a', 'b', 'c'])
  })

  it('removes the connection headers that the host has received', async () => {
    const headers = { connection: 'upgrade, keep-alive', 'keep-alive': 'timeout=5', upgrade: 'h2c' }
    const framing = { 'transfer-encoding': 'gzip', 'proxy-connection': 'close' }
    const response = await appOf().fetch(at('/hello', { headers: { ...headers, ...framing } }))
    const names = ['connection', 'keep-alive', 'transfer-encoding']
    expect([response.status, ...names.map((name) => response.headers.get(name))]).toEqual([
      200,
      null,
      null,
      null,
    ])
  })
})

describe('the client address of app.fetch', () => {
  const clientOf = async (info?: object, url = 'http://shop.example/things/client') => {
    const app = echoApp([], { trustProxy: false })
    running.push(app)
    return ((await (await app.fetch(new Request(url), info)).json()) as { data: object }).data
  }

  it('is unknown, as on a Unix socket, if the host does not provide it', async () => {
    expect(await clientOf()).toEqual({
      protocol: 'http',
      secure: false,
      hostname: 'shop.example',
      remoteAddress: null,
      remoteFamily: null,
      method: 'GET',
    })
    // Hosts pass objects of their own: bindings, servers, contexts.
    expect(await clientOf({ waitUntil() {} })).toMatchObject({ remoteAddress: null })
  })

  it.each([
    ['9.9.9.9', 'IPv4'],
    ['2001:db8::1', 'IPv6'],
  ])('is %s if the host provides it', async (remoteAddress, remoteFamily) => {
    expect(await clientOf({ remoteAddress })).toMatchObject({
      ip: remoteAddress,
      remoteAddress,
      remoteFamily,
    })
  })

  it('has no influence on the protocol, which is the scheme of the URL', async () => {
    const url = 'https://shop.example/things/client'
    expect(await clientOf({}, url)).toMatchObject({ protocol: 'https', secure: true })
  })

  it.each([['unknown'], [42], ['9.9.9.9:80']])('cannot be %s', async (address) => {
    const called = clientOf({ remoteAddress: address })
    await expect(called).rejects.toThrow(
      `remoteAddress of app.fetch() is not an IP address: ${address}`,
    )
  })
})

describe('a request body of app.fetch', () => {
  const stream = (body: ReadableStream, headers: Record<string, string> = {}, path = '/count') =>
    at(path, { method: 'POST', body, headers, duplex: 'half' } as RequestInit)

  it('arrives completely, with or without its length', async () => {
    const { fetch } = appOf()
    for (const headers of [{}, { 'content-length': '6' }] as Record<string, string>[]) {
      const response = await fetch(stream(streamOf('one', 'two'), headers))
      expect(await response.json()).toMatchObject({ data: { bytes: 6 } })
    }
  })

  it.each(['5', '7'])('is refused if its Content-Length is %s instead of 6', async (length) => {
    const { fetch } = appOf()
    const called = fetch(stream(streamOf('onetwo'), { 'content-length': length }))
    await expect(called).rejects.toThrow(`differs from its Content-Length, ${length}`)
    // The exceeding bytes are not read as a request.
    const smuggled = 'GET /hello HTTP/1.1\r\nHost: a\r\n\r\n'
    const headers = { 'content-length': '0' }
    await expect(fetch(stream(streamOf(smuggled), headers))).rejects.toThrow('Content-Length, 0')
  })

  it('is refused if its Content-Length is not a number', async () => {
    const called = appOf().fetch(stream(streamOf('one'), { 'content-length': '3, 3' }))
    await expect(called).rejects.toThrow('is not a number: 3, 3')
  })

  it('is refused if it was read before', async () => {
    const request = at('/count', { method: 'POST', body: 'read' })
    await request.text()
    await expect(appOf().fetch(request)).rejects.toThrow('has already been read')
  })

  it('cannot start another request if it belongs to a GET request', async () => {
    const app = appOf()
    const body = streamOf('GET /hello HTTP/1.1\r\nHost: a\r\n\r\n')
    const response = await app.fetch(foreign({ body }))
    expect([response.status, (await response.text()).includes('hello')]).toEqual([200, true])
    await app.close()
  })

  it('rejects the call and aborts the request if its stream fails', async () => {
    const failure = new Error('the disk is gone')
    const signals: AbortSignal[] = []
    const app = appOf({
      middlewares: [
        (req, _res, next) => {
          signals.push((req as Req).signal)
          next()
        },
      ],
    })
    let controller: ReadableStreamDefaultController | undefined
    const body = new ReadableStream({
      start: (made) => {
        controller = made
        made.enqueue(new Uint8Array(10))
      },
    })
    const called = app.fetch(stream(body))
    await expect.poll(() => signals.length).toBe(1)
    controller?.error(failure)
    await expect(called).rejects.toBe(failure)
    await expect.poll(() => signals[0]?.aborted).toBe(true)
  })

  it('is cancelled when the response is sent without it', async () => {
    let isCancelled = false
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1000)),
      cancel: () => {
        isCancelled = true
      },
    })
    const response = await appOf().fetch(stream(body, {}, '/refused'))
    expect([response.status, await response.text()]).toEqual([403, 'no'])
    await expect.poll(() => isCancelled).toBe(true)
  })

  it('is empty if the request has none, even with a Content-Length header', async () => {
    const headers = { 'content-length': '5' }
    const response = await appOf().fetch(at('/count', { method: 'POST', headers }))
    expect(await response.json()).toMatchObject({ data: { bytes: 0 } })
  })
})

/** Responds with a stream that a test writes. */
@Controller()
class StreamController {
  static open: { readonly req: Req; readonly res: Res } | undefined

  @Get('open')
  opened(req: Req, res: Res) {
    StreamController.open = { req, res }
    res.type('text/plain').write('first')
    return res
  }

  @Get('wait')
  @Post('wait')
  async waiting(req: Req, res: Res) {
    StreamController.open = { req, res }
    await once(req.signal, 'abort')
  }

  @Post('shout')
  async shout(req: Req, res: Res) {
    res.type('text/plain')
    for await (const chunk of req) res.write(String(chunk).toUpperCase())
    res.end()
  }
}

describe('the streams of app.fetch', () => {
  const start = () => {
    StreamController.open = undefined
    return appOf({ controllers: [StreamController] })
  }
  const text = (part: { value?: Uint8Array | undefined }) =>
    Buffer.from(part.value ?? []).toString()

  it('transfer the response while the request is still being sent', async () => {
    const { readable, writable } = new TransformStream()
    const writer = writable.getWriter()
    const init = { method: 'POST', body: readable, duplex: 'half' } as RequestInit
    await Promise.all([
      writer.write(Buffer.from('one')),
      start()
        .fetch(at('/shout', init))
        .then(async ({ body }) => {
          const reader = (body as ReadableStream<Uint8Array>).getReader()
          expect(text(await reader.read())).toBe('ONE')
          void writer.write(Buffer.from('two'))
          expect(text(await reader.read())).toBe('TWO')
          void writer.close()
          expect((await reader.read()).done).toBe(true)
        }),
    ])
  })

  it('wait for a slow reader of the response', async () => {
    const { body } = await start().fetch(at('/open'))
    const { res } = StreamController.open as { res: Res }
    let written = 0
    while (res.write(Buffer.alloc(10_000))) {
      written += 10_000
      await new Promise(setImmediate)
    }
    // What fits in the buffers of both ends.
    expect(written).toBeLessThan(500_000)
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    const drained = once(res, 'drain')
    while (res.writableNeedDrain) await reader.read()
    await drained
    await reader.cancel()
  })

  it('wait for a handler that does not read the request', async () => {
    let pulled = 0
    const body = new ReadableStream({
      pull: (controller) => {
        pulled += 10_000
        controller.enqueue(new Uint8Array(10_000))
      },
    })
    const stopped = new AbortController()
    const init = { method: 'POST', body, signal: stopped.signal, duplex: 'half' } as RequestInit
    const called = start().fetch(at('/wait', init))
    await expect.poll(() => StreamController.open).toBeDefined()
    let before = -1
    while (before < pulled) {
      before = pulled
      await turns(10)
    }
    // What fits in the buffers of both ends.
    expect(pulled).toBeLessThan(500_000)
    stopped.abort('enough')
    await expect(called).rejects.toBe('enough')
    // A server that reads nothing does not see that the client has left.
    StreamController.open?.req.resume()
  })

  it('abort the signal of the handler when the reader cancels the response', async () => {
    const { body } = await start().fetch(at('/open'))
    const { req } = StreamController.open as { req: Req }
    await body?.cancel()
    await expect.poll(() => req.signal.aborted).toBe(true)
  })

  it('fail for the reader when the application cuts off the response', async () => {
    const response = await start().fetch(at('/open'))
    StreamController.open?.res.destroy()
    await expect(response.text()).rejects.toThrow('aborted')
  })

  it('are not started when the request was already aborted', async () => {
    const signal = AbortSignal.abort('changed my mind')
    await expect(start().fetch(at('/open', { signal }))).rejects.toBe('changed my mind')
    expect(StreamController.open).toBeUndefined()
  })

  it('reject the call and abort the signal of the handler when the request is aborted', async () => {
    const stopped = new AbortController()
    const called = start().fetch(at('/wait', { signal: stopped.signal }))
    await expect.poll(() => StreamController.open).toBeDefined()
    stopped.abort('enough')
    await expect(called).rejects.toBe('enough')
    await expect.poll(() => StreamController.open?.req.signal.aborted).toBe(true)
  })

  it('leave no listener on the signal of the request after their end', async () => {
    const { signal } = new AbortController()
    const { fetch } = appOf()
    for (let count = 0; count < 2; count++) await (await fetch(foreign({ signal }))).text()
    await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(0)
  })

  it('fail with the reason of the signal if the request is aborted after the response has begun', async () => {
    const stopped = new AbortController()
    const response = await start().fetch(at('/open', { signal: stopped.signal }))
    stopped.abort(new Error('enough'))
    await expect(response.text()).rejects.toThrow('enough')
    await expect.poll(() => StreamController.open?.req.signal.aborted).toBe(true)
  })

  it('are awaited when the application closes', async () => {
    const app = start()
    const response = await app.fetch(at('/open'))
    const { req, res } = StreamController.open as { req: Req; res: Res }
    req.signal.addEventListener('abort', () => res.end(`, then ${req.signal.reason.name}`))
    const closed = app.close()
    expect(await response.text()).toBe('first, then AppClosingError')
    await closed
  })
})
