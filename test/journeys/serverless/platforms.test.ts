import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  App,
  type AppOptions,
  Body,
  Controller,
  defineControllers,
  Get,
  Post,
  Query,
  type Request,
} from 'blazon'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appsOfTest, send } from '../express/support.js'

@Controller('orders')
class OrdersController {
  @Get()
  @Query(z.strictObject({ page: z.coerce.number() }))
  list({ query }: Request) {
    return query
  }

  @Post()
  @Body(z.object({ sku: z.string() }))
  create({ body }: Request) {
    return body
  }

  @Post('anything')
  anything({ body }: Request) {
    return { type: Buffer.isBuffer(body) ? 'buffer' : typeof body, text: String(body) }
  }
}

const json = { 'content-type': 'application/json' }
const post = (body: string, headers: Record<string, string> = json, path = '/orders') => ({
  method: 'POST',
  path,
  headers,
  body,
})

/** Reads the whole stream, like a platform that parses bodies itself. */
async function bytesOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

describe('a serverless platform', () => {
  const apps = appsOfTest()
  const appOf = () =>
    apps.track(new App({ controllers: defineControllers(OrdersController), logger: false }))

  async function serve(listener: (app: App) => RequestListener) {
    const port = await apps.serving(createServer(listener(appOf())))
    return async (message: ReturnType<typeof post> | { path: string }) => {
      const { status, text } = await send(port, message)
      return { status, ...JSON.parse(text) }
    }
  }

  it('can set `body` and `rawBody`, as Google Cloud Functions does', async () => {
    const ask = await serve(({ handler }) => async (req, res) => {
      const rawBody = await bytesOf(req)
      const isJson = req.headers['content-type'] === 'application/json'
      Object.assign(req, { rawBody, body: isJson ? JSON.parse(rawBody.toString()) : rawBody })
      handler(req, res)
    })
    expect((await ask(post('{"sku":"a"}'))).data).toEqual({ sku: 'a' })
    const octets = { 'content-type': 'application/octet-stream' }
    const { data } = await ask(post('bytes', octets, '/orders/anything'))
    expect(data).toEqual({ type: 'buffer', text: 'bytes' })
  })

  it('can parse the body in a getter, as Vercel does, and its error results in a 400 response', async () => {
    const ask = await serve(({ handler }) => async (req, res) => {
      const bytes = await bytesOf(req)
      const get = () => JSON.parse(bytes.toString())
      Object.defineProperty(req, 'body', { get, configurable: true, enumerable: true })
      handler(req, res)
    })
    expect((await ask(post('{"sku":"a"}'))).data).toEqual({ sku: 'a' })
    for (const path of ['/orders', '/orders/anything']) {
      expect(await ask(post('{"sku":', json, path))).toMatchObject({
        status: 400,
        code: 'MALFORMED_JSON',
      })
    }
    expect((await ask({ path: '/orders?page=2' })).data).toEqual({ page: 2 })
  })

  it('can set the body as a string, as Next.js does', async () => {
    const ask = await serve(({ handler }) => async (req, res) => {
      Object.assign(req, { body: (await bytesOf(req)).toString() })
      handler(req, res)
    })
    const text = await ask(post('words', { 'content-type': 'text/plain' }, '/orders/anything'))
    expect(text.data).toEqual({ type: 'string', text: 'words' })
  })

  it('can leave the body unread', async () => {
    const ask = await serve(
      ({ handler }) =>
        (req, res) =>
          handler(req, res),
    )
    expect((await ask(post('{"sku":"a"}'))).data).toEqual({ sku: 'a' })
  })

  it.each(['field', 'accessor'])(
    'does not add its own fields to the validated query (%s)',
    async (as) => {
      const ask = await serve(({ handler }) => (req, res) => {
        const query = { slug: ['orders'], page: 'theirs' }
        const property = as === 'field' ? { value: query, writable: true } : { get: () => query }
        Object.defineProperty(req, 'query', { ...property, configurable: true, enumerable: true })
        handler(req, res)
      })
      expect((await ask({ path: '/orders?page=2' })).data).toEqual({ page: 2 })
    },
  )

  it('can set a string as the body while the request is still being sent', async () => {
    const ask = await serve(({ handler }) => (req, res) => {
      Object.assign(req, { body: 'from elsewhere', complete: false })
      handler(req, res)
    })
    const { data } = await ask(post('words', { 'content-type': 'text/plain' }, '/orders/anything'))
    expect(data).toEqual({ type: 'string', text: 'from elsewhere' })
  })
})

describe('a request that an adapter has created', () => {
  const apps = appsOfTest()
  // The response of this request never emits finish.
  const appOf = (options: AppOptions = {}) =>
    apps.track(
      new App({
        controllers: defineControllers(OrdersController),
        logger: false,
        timeouts: { close: '10ms' },
        ...options,
      }),
    )

  /** Makes a request without a stream: the bytes are in `req.body` only. */
  function invoke(handler: App['handler'], fields: object) {
    const socket = { remoteAddress: '9.9.9.9', readable: true, end() {}, destroy() {} }
    const req = new IncomingMessage(socket as never as Socket)
    Object.assign(req, { method: 'POST', url: '/orders', httpVersion: '1.1', complete: true })
    Object.assign(req, fields)
    const res = new ServerResponse(req)
    return new Promise<{ res: ServerResponse; text: string }>((resolve) => {
      res.end = ((chunk: unknown) => {
        resolve({ res, text: String(chunk) })
        return res
      }) as ServerResponse['end']
      handler(req, res)
    })
  }

  it.each([
    ['bytes', Buffer.from('{"sku":"a"}')],
    ['an array of bytes', new Uint8Array(Buffer.from('{"sku":"a"}'))],
    ['text', '{"sku":"a"}'],
  ])('is parsed when its body is %s', async (_, body) => {
    const app = appOf()
    const headers = { ...json, host: 'a.example', 'content-length': 11 }
    const { res, text } = await invoke(app.handler, { headers, body })
    expect(JSON.parse(text).data).toEqual({ sku: 'a' })
    expect(res.getHeaders()).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-frame-options': 'SAMEORIGIN',
    })
  })

  it('is parsed by express.urlencoded() when it is a form', async () => {
    const app = appOf({ middlewares: [express.urlencoded()] })
    const headers = {
      host: 'a.example',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': 5,
    }
    const { text } = await invoke(app.handler, { headers, body: Buffer.from('sku=a') })
    expect(JSON.parse(text).data).toEqual({ sku: 'a' })
  })
})
