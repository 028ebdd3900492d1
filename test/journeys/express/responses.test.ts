import { createReadStream } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { Controller, defineControllers, Get, HttpCode, type Request, type Response } from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url))
const events: string[] = []

@Controller()
class AnswersController {
  @Get('file/:name')
  file(req: Request, res: Response) {
    res.sendFile(req.params.name, { root: fixtures, dotfiles: 'ignore' })
  }

  @Get('async-file')
  async asyncFile(_req: Request, res: Response) {
    await null
    res.sendFile('hello.txt', { root: fixtures })
  }

  @Get('download')
  download(_req: Request, res: Response) {
    res.download(`${fixtures}/hello.txt`, 'greeting.txt')
  }

  @Get('download/missing')
  noDownload(_req: Request, res: Response) {
    res.download(`${fixtures}/missing.txt`)
  }

  @Get('format')
  format(_req: Request, res: Response) {
    res.format({
      json: () => res.json({ format: 'json' }),
      html: () => res.send('<p>html</p>'),
    })
  }

  @Get('cookies')
  @HttpCode(201)
  cookies(_req: Request, res: Response) {
    res.cookie('a', '1', { maxAge: 1000, sameSite: 'lax' }).cookie('b', '2').clearCookie('c')
    return { set: true }
  }

  @Get('redirect')
  redirect(_req: Request, res: Response) {
    res.redirect(307, '/elsewhere')
  }

  @Get('jsonp')
  jsonp(_req: Request, res: Response) {
    res.jsonp({ a: 1 })
  }

  @Get('written')
  written(_req: Request, res: Response) {
    res.type('text/plain').write('one,')
    setTimeout(() => res.end('two'), 5)
  }

  @Get('piped')
  piped(_req: Request, res: Response) {
    createReadStream(`${fixtures}/hello.txt`).pipe(res.type('text/plain'))
  }

  @Get('pipeline')
  async pipeline(_req: Request, res: Response) {
    await pipeline(Readable.from(['x', 'y', 'z']), res)
  }

  @Get('events')
  events(req: Request, res: Response) {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' })
    res.flushHeaders()
    const timer = setInterval(() => res.write('data: tick\n\n'), 5)
    req.signal.addEventListener('abort', () => events.push('signal'))
    req.on('close', () => events.push('req close'))
    res.on('close', () => {
      clearInterval(timer)
      events.push(`res close ${res.writableFinished}`)
    })
  }
}

const controllers = defineControllers(AnswersController)

describe('responses that are sent by Express methods', () => {
  const apps = appsOfTest()
  const start = () => apps.listening({ controllers, security: {} })

  it('can be files, ranges of files and 304 responses of res.sendFile()', async () => {
    const { port } = await start()
    const file = await send(port, { path: '/file/hello.txt' })
    expect([file.status, file.text]).toEqual([200, 'hello, file\n'])
    expect(file.headers['x-frame-options']).toBe('SAMEORIGIN')
    const part = await send(port, { path: '/file/hello.txt', headers: { range: 'bytes=0-4' } })
    expect([part.status, part.text]).toEqual([206, 'hello'])
    const since = String(file.headers['last-modified'])
    const same = await send(port, {
      path: '/file/hello.txt',
      headers: { 'if-modified-since': since },
    })
    expect([same.status, same.text]).toEqual([304, ''])
    expect((await send(port, { path: '/async-file' })).text).toBe('hello, file\n')
  })

  it.each(['/file/missing.txt', '/file/..%2fsupport.ts', '/file/.env', '/download/missing'])(
    'contain an error in the envelope if the file cannot be sent: %s',
    async (path) => {
      const { port } = await start()
      const { status, headers, text } = await send(port, { path })
      expect([403, 404]).toContain(status)
      expect(JSON.parse(text)).toMatchObject({ statusCode: 'error', status })
      expect(text).not.toContain(fixtures)
      expect(headers).not.toHaveProperty('content-disposition')
    },
  )

  it('contain a file name with res.download()', async () => {
    const { port } = await start()
    const { headers, text } = await send(port, { path: '/download' })
    expect(headers['content-disposition']).toBe('attachment; filename=greeting.txt')
    expect(text).toBe('hello, file\n')
  })

  it('depend on the Accept header with res.format(), and can have status 406', async () => {
    const { port } = await start()
    const ask = (accept: string) => send(port, { path: '/format', headers: { accept } })
    expect((await ask('text/html')).text).toBe('<p>html</p>')
    const json = await ask('application/json')
    expect(json.text).toBe('{"format":"json"}')
    expect(json.headers.vary).toBe('Accept')
    const neither = await ask('image/png')
    expect(JSON.parse(neither.text)).toMatchObject({ status: 406, code: 'NOT_ACCEPTABLE' })
  })

  it('contain the cookies of res.cookie() and res.clearCookie() even if a value is returned', async () => {
    const { port } = await start()
    const { status, headers, text } = await send(port, { path: '/cookies' })
    expect([status, JSON.parse(text).data]).toEqual([201, { set: true }])
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^a=1; Max-Age=1; Path=\/; Expires=.*; HttpOnly; SameSite=Lax$/),
      'b=2; Path=/; HttpOnly; SameSite=Lax',
      'c=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
    ])
  })

  it('are the same as in Express for res.redirect() and res.jsonp()', async () => {
    const { port } = await start()
    const moved = await send(port, { path: '/redirect' })
    expect([moved.status, moved.headers.location]).toEqual([307, '/elsewhere'])
    const { headers, text } = await send(port, { path: '/jsonp?callback=take' })
    expect(text).toBe('/**/ typeof take === \'function\' && take({"a":1});')
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
  })

  it.each([
    ['/written', 'one,two'],
    ['/piped', 'hello, file\n'],
    ['/pipeline', 'xyz'],
  ])('are sent in chunks if they are written or piped: %s', async (path, text) => {
    const { port } = await start()
    const answer = await send(port, { path })
    expect([answer.status, answer.text]).toEqual([200, text])
    expect(answer.headers['transfer-encoding']).toBe('chunked')
    expect(answer.headers['x-frame-options']).toBe('SAMEORIGIN')
  })

  it('have no body for HEAD requests, even if they are streams or files', async () => {
    const { port } = await start()
    for (const path of ['/piped', '/file/hello.txt', '/written']) {
      const { status, body } = await send(port, { method: 'HEAD', path })
      expect([status, body.length]).toEqual([200, 0])
    }
  })

  it('emit `close` and abort req.signal when the client of a stream disconnects', async () => {
    events.length = 0
    const { port } = await start()
    const req = request({ host: '127.0.0.1', port, path: '/events', agent: false })
    const res = await new Promise<IncomingMessage>((resolve, reject) => {
      req.on('response', resolve).on('error', reject).end()
    })
    await new Promise((resolve) => res.once('data', resolve))
    req.on('error', () => {}).destroy()
    await expect.poll(() => [...events].sort()).toEqual(['req close', 'res close false', 'signal'])
  })
})
