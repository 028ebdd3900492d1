import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Controller, defineControllers, Get, type Request, type Response } from 'blazon'
import compression from 'compression'
import { beforeEach, describe, expect, it } from 'vitest'
import { appsOfTest, ItemsController, send } from './support.js'

@Controller('streams')
class StreamsController {
  @Get()
  async stream(_req: Request, res: Response) {
    res.type('text/plain')
    for (let line = 0; line < 200; line++) res.write(`line ${line}\n`)
    res.end()
  }
}

describe.each([true, false])('the compression middleware with `helmet: %s`', (helmet) => {
  const apps = appsOfTest()
  let port: number

  beforeEach(async () => {
    const controllers = defineControllers(ItemsController, StreamsController)
    const middlewares = [compression()]
    port = (await apps.listening({ controllers, middlewares, security: { helmet } })).port
  })

  const get = (path: string, encoding: string, method = 'GET') =>
    send(port, { method, path, headers: { 'accept-encoding': encoding } })

  it('sends a gzip body that decodes to the same JSON', async () => {
    const plain = await get('/items', 'identity')
    const { headers, body } = await get('/items', 'gzip')
    expect(headers['content-encoding']).toBe('gzip')
    expect(headers['content-length']).toBeUndefined()
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['x-frame-options']).toBe(helmet ? 'SAMEORIGIN' : undefined)
    expect(body.length).toBeLessThan(plain.body.length / 2)
    expect(gunzipSync(body).toString()).toBe(plain.text)
    expect(JSON.parse(plain.text).data).toHaveLength(100)
  })

  it('sends a brotli body that decodes to the same JSON', async () => {
    const plain = await get('/items', 'identity')
    const { headers, body } = await get('/items', 'br')
    expect(headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(body).toString()).toBe(plain.text)
  })

  it('compresses a stream', async () => {
    const { headers, body } = await get('/streams', 'gzip')
    expect(headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(body).toString().split('\n')).toHaveLength(201)
  })

  it('sends a body below the threshold unchanged, with its Content-Length', async () => {
    const { headers, text } = await get('/items/1', 'gzip')
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers['content-length']).toBe(String(text.length))
    expect(JSON.parse(text).data).toEqual({ id: '1' })
  })

  it('sends Vary: Accept-Encoding', async () => {
    expect((await get('/items', 'identity')).headers.vary).toBe('Accept-Encoding')
    expect((await get('/items', 'gzip')).headers.vary).toBe('Accept-Encoding')
  })

  it('responds to HEAD without a body and without Content-Encoding', async () => {
    const { status, headers, body } = await get('/items', 'gzip', 'HEAD')
    expect(status).toBe(200)
    expect(body).toHaveLength(0)
    expect(headers['content-encoding']).toBeUndefined()
  })

  it('sends error responses as readable JSON', async () => {
    const { status, text } = await get('/missing', 'gzip')
    expect(status).toBe(404)
    expect(JSON.parse(text)).toMatchObject({ statusCode: 'error', code: 'NOT_FOUND' })
  })
})
