import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { App, Body, Controller, defineControllers, Post, type Request } from 'blazon'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appsOfTest, send } from './support.js'

const Order = z.object({ sku: z.string(), amount: z.coerce.number().positive() })

@Controller()
class BodiesController {
  @Post('any')
  any(req: Request) {
    const { body } = req
    const isBuffer = Buffer.isBuffer(body)
    return { type: isBuffer ? 'buffer' : typeof body, body: isBuffer ? body.toString() : body }
  }

  @Post('orders')
  @Body(Order)
  order(req: Request<unknown, z.infer<typeof Order>>) {
    return req.body
  }
}

const controllers = defineControllers(BodiesController)

describe('the body parsers of Express in `middlewares`', () => {
  const apps = appsOfTest()

  it('parse a body once with express.json(), and the route validates the result', async () => {
    const app = await apps.inProcess({ controllers, middlewares: [express.json()] })
    const order = { sku: 'a', amount: '2' }
    const { body } = await app.request().post('/orders').send(order)
    expect(body.data).toEqual({ sku: 'a', amount: 2 })
    const wrong = await app.request().post('/orders').send({ sku: 1, amount: 0 })
    expect(wrong.status).toBe(400)
    expect(wrong.body.errors).toHaveLength(2)
  })

  it('apply the limits of express.json(), and their errors are sent in the envelope', async () => {
    const app = await apps.inProcess({ controllers, middlewares: [express.json({ limit: 50 })] })
    const large = await app
      .request()
      .post('/orders')
      .send({ sku: 'x'.repeat(100), amount: 1 })
    expect([large.status, large.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    const malformed = await app.request().post('/any').type('json').send('{"a":')
    expect([malformed.status, malformed.body.statusCode]).toEqual([400, 'error'])
    const charset = await app
      .request()
      .post('/any')
      .set('Content-Type', 'application/json; charset=none')
      .send('{}')
    expect([charset.status, charset.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  it('decompress a gzip body with express.json()', async () => {
    const app = await apps.inProcess({ controllers, middlewares: [express.json()] })
    const { body } = await app
      .request()
      .post('/any')
      .set({ 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
      .serialize((bytes) => bytes as never)
      .send(gzipSync('{"a":1}') as never)
    expect(body.data).toEqual({ type: 'object', body: { a: 1 } })
  })

  it('leave content types that express.json() does not match to the route', async () => {
    const app = await apps.inProcess({
      controllers,
      middlewares: [express.json({ type: 'application/x-mine' })],
    })
    const { body } = await app.request().post('/orders').send({ sku: 'a', amount: 1 })
    expect(body.data).toEqual({ sku: 'a', amount: 1 })
    const mine = app.request().post('/orders').set('Content-Type', 'application/x-mine')
    expect((await mine.send('{"sku":"m","amount":1}')).body.data.sku).toBe('m')
  })

  it('parse forms with express.urlencoded(), and the route validates and coerces them', async () => {
    const app = await apps.inProcess({
      controllers,
      middlewares: [express.urlencoded({ extended: true })],
    })
    const form = () => app.request().post('/orders').type('form')
    expect((await form().send('sku=a&amount=3')).body.data).toEqual({ sku: 'a', amount: 3 })
    expect((await form().send('sku=a&amount=x')).status).toBe(400)
    const nested = await app.request().post('/any').type('form').send('a[b]=1&a[c][]=2')
    expect(nested.body.data.body).toEqual({ a: { b: '1', c: ['2'] } })
  })

  it('are required for forms, which result in a 415 response without them', async () => {
    const app = await apps.inProcess({ controllers })
    const { status } = await app.request().post('/orders').type('form').send('sku=a&amount=3')
    expect(status).toBe(415)
  })

  it('create strings with express.text() and buffers with express.raw()', async () => {
    const middlewares = [express.text(), express.raw({ type: 'application/octet-stream' })]
    const app = await apps.inProcess({ controllers, middlewares })
    const text = await app.request().post('/any').type('text/plain').send('words')
    expect(text.body.data).toEqual({ type: 'string', body: 'words' })
    const raw = app.request().post('/any').set('Content-Type', 'application/octet-stream')
    expect((await raw.send(Buffer.from('bytes'))).body.data).toEqual({
      type: 'buffer',
      body: 'bytes',
    })
  })

  it('set a body in the outer application that stays replaced if a mounted App has replaced it', async () => {
    const app = apps.track(
      new App({
        controllers: [],
        logger: false,
        middlewares: [
          (req, _res, next) => {
            if (req.path === '/replaced') req.body = { b: 2 }
            next()
          },
        ],
      }),
    )
    const host = express().use(express.json(), app.handler)
    host.post('/:path', (req, res) => void res.json(req.body))
    const port = await apps.serving(createServer(host))
    const headers = { 'content-type': 'application/json' }
    const post = async (path: string) =>
      (await send(port, { method: 'POST', path, headers, body: '{"a":1}' })).text
    expect([await post('/kept'), await post('/replaced')]).toEqual(['{"a":1}', '{"b":2}'])
  })

  it('pass the raw bytes to `verify` of express.json(), and result in 403 if it throws', async () => {
    const verify = (req: object, _res: unknown, bytes: Buffer) => {
      Object.assign(req, { raw: bytes.toString() })
      if (bytes.includes('forged')) throw new Error('The signature does not match')
    }
    const app = await apps.inProcess({ controllers, middlewares: [express.json({ verify })] })
    expect((await app.request().post('/any').send({ a: 1 })).status).toBe(200)
    const forged = await app.request().post('/any').send({ a: 'forged' })
    expect([forged.status, forged.body.statusCode]).toEqual([403, 'error'])
  })
})
