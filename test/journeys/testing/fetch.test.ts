import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import {
  ApiResponseDoc,
  BaseController,
  Body,
  Controller,
  Delete,
  Get,
  Head,
  NotFoundError,
  Post,
  type Req,
  type Response as Res,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import compression from 'compression'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const Note = z.object({ text: z.string() })
let gone: Promise<unknown> | undefined
let chunksRead = 0

@Controller('notes')
class NotesController extends BaseController {
  @Get()
  list(req: Req, res: Res) {
    return this.ok(res, 'Notes', { url: req.url, host: req.get('host'), auth: req.get('x-one') })
  }

  @Post()
  @Body(Note)
  create(req: Req<{ body: typeof Note }>, res: Res) {
    return this.ok(res, 'Created', { ...req.body, length: req.get('content-length') }, 201)
  }

  @Post('raw')
  @Delete('raw')
  async raw(req: Req, res: Res) {
    let text = ''
    for await (const chunk of req) {
      chunksRead++
      text += chunk
    }
    const { 'content-type': type = null, 'transfer-encoding': coding = null } = req.headers
    return this.ok(res, 'Read', { text, type, coding })
  }

  @Delete()
  clear(_: Req, res: Res) {
    res.cookie('a', '1').cookie('b', '2').status(204).end()
  }

  @Get('moved')
  moved(_: Req, res: Res) {
    res.redirect('/notes?from=moved')
  }

  @Post('moved')
  movedPost(req: Req, res: Res) {
    res.redirect(Number(req.query['status']), '/notes/raw')
  }

  @Get('away')
  away(_: Req, res: Res) {
    res.redirect('https://elsewhere.example/')
  }

  @Get('round')
  round(_: Req, res: Res) {
    res.redirect('/notes/round')
  }

  @Get('events')
  @ApiResponseDoc({ status: 200, description: 'Events', contentType: 'text/event-stream' })
  events(req: Req, res: Res) {
    gone = once(res, 'close')
    res.type('text/event-stream').write('data: 1\n\n')
    req.signal.addEventListener('abort', () => res.end())
    return res
  }

  @Get('big')
  @ApiResponseDoc({ status: 200, description: 'A long text', contentType: 'text/plain' })
  big(_: Req, res: Res) {
    res.type('text/plain').send('ü'.repeat(500_000))
  }

  @Head('only')
  only(_: Req, res: Res) {
    res.set('x-head', 'yes').end()
  }

  @Get('missing')
  missing() {
    throw new NotFoundError('No such note')
  }

  @Get('slow')
  async slow(_: Req, res: Res) {
    gone = once(res, 'close')
    await gone
  }

  @Get('reset')
  reset(_: Req, res: Res) {
    res.destroy()
  }
}

let app: TestApp
beforeEach(async () => {
  gone = undefined
  chunksRead = 0
  app = await TestApp.create({ controllers: [NotesController], logger: false, contract: 'throw' })
})
afterEach(() => app.close())

const dataOf = async (response: Response) => ((await response.json()) as { data: unknown }).data

describe('the fetch method of a TestApp', () => {
  it('accepts a path, a URL or a Request, with any host', async () => {
    const { fetch } = app
    const first = await fetch('/notes?a=1#b')
    expect(first.url).toBe('http://in-process/notes?a=1')
    expect(await dataOf(first)).toEqual({ url: '/notes?a=1', host: 'in-process' })
    const second = await fetch(new URL('https://api.example:8443/notes'))
    expect(await dataOf(second)).toMatchObject({ host: 'api.example:8443' })
    const third = await fetch(new Request('http://in-process/notes', { headers: { 'X-One': '1' } }))
    expect(await dataOf(third)).toMatchObject({ auth: '1' })
  })

  it('returns a standard Response, even for a 404', async () => {
    const response = await app.fetch('/notes/missing')
    expect(response).toBeInstanceOf(Response)
    expect(response).toMatchObject({ status: 404, ok: false, statusText: 'Not Found' })
    expect(response.redirected).toBe(false)
    expect(response.headers.get('content-type')).toMatch('application/json')
    expect(await response.json()).toMatchObject({ statusCode: 'error', message: 'No such note' })
  })

  it('sends the headers set with withHeaders(), which a request can override', async () => {
    app.withHeaders({ 'x-one': 'set' })
    expect(await dataOf(await app.fetch('/notes'))).toMatchObject({ auth: 'set' })
    const response = await app.fetch('/notes', { headers: { 'x-one': 'own' } })
    expect(await dataOf(response)).toMatchObject({ auth: 'own' })
  })

  it('sends every type of body, with Content-Length if the length is known', async () => {
    const json = JSON.stringify({ text: 'ü' })
    const headers = { 'content-type': 'application/json' }
    const created = await app.fetch('/notes', { method: 'POST', body: json, headers })
    expect(await dataOf(created)).toEqual({ text: 'ü', length: '13' })
    const send = async (body: NonNullable<RequestInit['body']>) =>
      await dataOf(await app.fetch('/notes/raw', { method: 'POST', body }))
    expect(await send(new URLSearchParams({ a: 'b' }))).toMatchObject({ text: 'a=b', coding: null })
    expect(await send(new Blob(['x'], { type: 'text/x' }))).toMatchObject({
      text: 'x',
      type: 'text/x',
    })
    expect(await send(Buffer.from('bytes'))).toMatchObject({ text: 'bytes' })
    const form = new FormData()
    form.append('file', new Blob(['content']), 'a.txt')
    expect(await send(form)).toMatchObject({ text: expect.stringContaining('filename="a.txt"') })
  })

  it('sends a stream in chunks', async () => {
    const body = new ReadableStream({
      async start(controller) {
        for (const text of ['a', 'b', 'c']) {
          controller.enqueue(new TextEncoder().encode(text))
          await delay(1)
        }
        controller.close()
      },
    })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    const data = await dataOf(await app.fetch('/notes/raw', init))
    expect(data).toMatchObject({ text: 'abc', coding: 'chunked' })
    expect(chunksRead).toBe(3)
  })

  it('also sends a stream as the body of a DELETE request', async () => {
    const body = new Blob(['words']).stream()
    const init = { method: 'DELETE', body, duplex: 'half' } as RequestInit
    const data = await dataOf(await app.fetch('/notes/raw', init))
    expect(data).toMatchObject({ text: 'words', coding: 'chunked' })
  })

  it('reads a large body completely, and can request a compressed one', async () => {
    const squeezed = await TestApp.create({
      controllers: [NotesController],
      contract: 'throw',
      middlewares: [compression()],
    })
    for (const each of [app, squeezed]) {
      const response = await each.fetch('/notes/big')
      expect((await response.text()).length).toBe(500_000)
    }
    const response = await squeezed.fetch('/notes/big', { headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    await response.body?.cancel()
    await squeezed.close()
  })

  it('returns all cookies, and null as the body of a 204', async () => {
    const response = await app.fetch('/notes', { method: 'DELETE' })
    expect(response.status).toBe(204)
    expect(response.body).toBeNull()
    expect(response.headers.getSetCookie().map((cookie) => cookie.slice(0, 3))).toEqual([
      'a=1',
      'b=2',
    ])
  })

  it('returns a refusal that arrives before the whole body is sent', async () => {
    const text = 'x'.repeat(5_000_000)
    const headers = { 'content-type': 'application/json' }
    const whole = { method: 'POST', headers, body: JSON.stringify({ text }) }
    expect((await app.fetch('/notes', whole)).status).toBe(413)
    const body = new Blob([JSON.stringify({ text })]).stream()
    const streamed = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    expect((await app.fetch('/notes', streamed)).status).toBe(413)
    expect((await app.fetch('/notes')).status).toBe(200)
  })

  it('rejects if the stream of the request body fails', async () => {
    const body = new ReadableStream({
      pull() {
        throw new Error('no more')
      },
    })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    await expect(app.fetch('/notes/raw', init)).rejects.toThrow('fetch failed: no more')
  })

  it('returns no body for HEAD', async () => {
    const response = await app.fetch('/notes/only', { method: 'HEAD' })
    expect(response.headers.get('x-head')).toBe('yes')
    expect(await response.text()).toBe('')
    const implied = await app.fetch('/notes', { method: 'HEAD' })
    expect(Number(implied.headers.get('content-length'))).toBeGreaterThan(10)
    expect(await implied.text()).toBe('')
  })

  it('rejects with a TypeError if the server closes the connection without a response', async () => {
    await expect(app.fetch('/notes/reset')).rejects.toThrow(TypeError)
  })
})

describe('redirects in the fetch method of a TestApp', () => {
  it('are followed by default', async () => {
    const response = await app.fetch('/notes/moved')
    expect(response).toMatchObject({ status: 200, redirected: true })
    expect(response.url).toBe('http://in-process/notes?from=moved')
  })

  it("are returned with redirect: 'manual', and make fetch reject with redirect: 'error'", async () => {
    const response = await app.fetch('/notes/moved', { redirect: 'manual' })
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe('/notes?from=moved')
    await expect(app.fetch('/notes/moved', { redirect: 'error' })).rejects.toThrow(TypeError)
  })

  it('keep the body with 307, unless it is a stream, and become a GET request with 303', async () => {
    const post = { method: 'POST', body: 'kept' }
    const kept = await app.fetch('/notes/moved?status=307', post)
    expect(await dataOf(kept)).toMatchObject({ text: 'kept' })
    const got = await app.fetch('/notes/moved?status=303', post)
    expect(got.status).toBe(405)
    const body = new Blob(['x']).stream()
    const streamed = { method: 'POST', body, duplex: 'half' } as RequestInit
    await expect(app.fetch('/notes/moved?status=307', streamed)).rejects.toThrow('stream')
  })

  it('make fetch reject if they lead to another host, or if there are more than 20', async () => {
    await expect(app.fetch('/notes/away')).rejects.toThrow('https://elsewhere.example/')
    await expect(app.fetch('/notes/round')).rejects.toThrow('more than 20 redirects')
  })
})

describe('the fetch method of a TestApp with a stream or a signal', () => {
  it('returns a response while its body is still being written', async () => {
    const response = await app.fetch('/notes/events')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toBe('data: 1\n\n')
    await reader.cancel()
    await gone
  })

  it('closes the connection if the signal is aborted before or during the response', async () => {
    const waiting = new AbortController()
    const answer = app.fetch('/notes/slow', { signal: waiting.signal })
    while (gone === undefined) await delay(1)
    waiting.abort(new Error('enough'))
    await expect(answer).rejects.toThrow('enough')
    await gone
    const reading = new AbortController()
    const response = await app.fetch('/notes/events', { signal: reading.signal })
    reading.abort()
    await expect(response.text()).rejects.toThrow()
    await gone
  })

  it('sends nothing if the signal is already aborted', async () => {
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(app.fetch('/notes/slow', { signal })).rejects.toThrow('too late')
    expect(gone).toBeUndefined()
  })
})
