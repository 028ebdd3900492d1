import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import {
  App,
  type AppOptions,
  BaseController,
  Body,
  Controller,
  csv,
  Delete,
  Envelope,
  file,
  fileResponse,
  Get,
  HttpCode,
  JsonLines,
  NotFoundError,
  Post,
  Produces,
  type Req,
  type Request,
  type RequestHandler,
  type Response,
  Sse,
  Upload,
} from 'blazon'
import compression from 'compression'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ADAPTERS, type Asked } from './events.js'
import { overSocket, type Reachable, type Received, TRANSPORTS } from './transports.js'

const folder = mkdtempSync(join(tmpdir(), 'responses-'))
writeFileSync(join(folder, 'note.txt'), 'To pay: 12 EUR')

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
const LARGE = 'é'.repeat(100_000)
const Step = z.object({ step: z.number() })
const Form = { title: z.string(), scan: file({ types: ['image/png'] }) }

@Controller('things')
class ThingsController extends BaseController {
  @Get('json')
  json() {
    return { name: 'é' }
  }

  @Get('cookies')
  cookies(_: Request, res: Response) {
    res.cookie('a', '1').cookie('b', 'é', { signed: true }).clearCookie('c')
    return 'set'
  }

  @Get('redirect')
  redirect(_: Request, res: Response) {
    res.redirect('/elsewhere')
  }

  @Get('format')
  format(_: Request, res: Response) {
    const text = () => res.send('text')
    res.format({ text, html: () => res.send('<p>html</p>'), json: () => res.json({ json: true }) })
  }

  @Get('send')
  send(_: Request, res: Response) {
    res.set('Last-Modified', 'Mon, 05 Jan 2026 00:00:00 GMT').send('text')
  }

  @Get('send-file')
  sendFile(_: Request, res: Response) {
    res.sendFile('note.txt', { root: folder })
  }

  @Get('download')
  download(_: Request, res: Response) {
    res.download(join(folder, 'note.txt'), 'é.txt')
  }

  @Get('missing-file')
  missingFile(_: Request, res: Response) {
    res.sendFile('missing.txt', { root: folder })
  }

  @Get('file')
  file() {
    return fileResponse('note.txt', { root: folder, name: 'Note.txt' })
  }

  @Get('produced')
  @Produces('application/json', csv({ columns: ['id'] }))
  produced() {
    return [{ id: 1 }, { id: 2 }]
  }

  @Get('bare')
  @Envelope(false)
  bare() {
    return { name: 'bare' }
  }

  @Get('bare-ok')
  @Envelope(false)
  bareOk(_: Request, res: Response) {
    return this.ok(res, 'The message has no place', { name: 'bare' })
  }

  @Get('produced-ok')
  @Produces('application/json', csv({ columns: ['id'] }))
  producedOk(_: Request, res: Response) {
    return this.ok(res, 'Two', [{ id: 1 }, { id: 2 }])
  }

  @Get('events')
  @Sse(Step)
  async *events() {
    yield { step: 1 }
    await new Promise((resolve) => setImmediate(resolve))
    yield { step: 2 }
  }

  @Get('lines')
  @JsonLines(z.object({ step: z.number(), text: z.string() }))
  async *lines() {
    for (let step = 0; step < 300; step++) yield { step, text: 'x'.repeat(1000) }
  }

  @Get('failing-lines')
  @JsonLines(Step)
  async *failingLines() {
    if (LARGE.length > 0) throw new NotFoundError('No such lines')
    yield { step: 1 }
  }

  @Get('readable')
  readable() {
    return Readable.from([Buffer.from('one,'), 'two,', BYTES])
  }

  @Get('large-readable')
  largeReadable() {
    return Readable.from(Array.from({ length: 200 }, () => Buffer.alloc(5000, 'é')))
  }

  @Get('piped')
  piped(_: Request, res: Response) {
    Readable.from(['one,', Buffer.from('two,'), 'three']).pipe(res.type('text/plain'))
  }

  @Get('web')
  web() {
    return new globalThis.Response('from the web', { status: 202, headers: { 'X-Web': 'yes' } })
  }

  @Get('bytes')
  bytes() {
    return BYTES
  }

  @Get('large')
  large() {
    return LARGE
  }

  @Get('written')
  async written(_: Request, res: Response) {
    res.type('text/plain')
    for (let i = 0; i < 3; i++) {
      // A writer waits until the client has taken the bytes.
      if (!res.write('x'.repeat(10))) await new Promise((resolve) => res.once('drain', resolve))
    }
    res.end()
  }

  @Get('head')
  head(_: Request, res: Response) {
    res.setHeader('X-Two', 'set')
    res.writeHead(202, 'Fine', { 'X-One': '1', 'X-Two': 'over' }).end('accepted')
  }

  @Get('hints')
  hints(_: Request, res: Response) {
    res.append('Vary', 'Accept').links({ next: '/things/2' })
    return { locals: 1 }
  }

  @Delete('json')
  @HttpCode(204)
  remove() {}

  @Post('json')
  @Body(z.object({ name: z.string() }))
  create({ body }: Request, res: Response) {
    res.status(201).location('/things/1')
    return body
  }

  @Post('upload')
  @Upload(Form)
  async upload({ body }: Req<{ upload: typeof Form }>) {
    return { title: body.title, size: (await body.scan.bytes()).length }
  }

  @Get('error')
  error() {
    throw new Error('A secret of the server')
  }

  @Get('not-found')
  notFound() {
    throw new NotFoundError('No such thing')
  }
}

const json = { 'content-type': 'application/json' }
const boundary = 'a-boundary'
const part = (head: string, body: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ])
const upload = (scan: Buffer): Asked => ({
  method: 'POST',
  path: '/things/upload',
  headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  body: Buffer.concat([
    part('name="title"', 'A scan'),
    part('name="scan"; filename="a.png"\r\nContent-Type: image/png', scan),
    Buffer.from(`--${boundary}--\r\n`),
  ]),
})
const get = (path: string, headers: Asked['headers'] = {}): Asked => ({
  path: `/things/${path}`,
  headers,
})

/** Every kind of response. */
const ASKED: Readonly<Record<string, Asked>> = {
  JSON: get('json'),
  'JSON of a HEAD request': { ...get('json'), method: 'HEAD' },
  'a new resource': { method: 'POST', path: '/things/json', headers: json, body: '{"name":"é"}' },
  'a response without content': { ...get('json'), method: 'DELETE' },
  'an object without the envelope': get('bare'),
  'this.ok without the envelope': get('bare-ok'),
  cookies: get('cookies'),
  'a redirect': get('redirect'),
  'text of res.format': get('format', { accept: 'text/plain' }),
  'HTML of res.format': get('format', { accept: 'text/html' }),
  'a refusal of res.format': get('format', { accept: 'image/png' }),
  'text of res.send': get('send'),
  'a 304 of res.send': get('send', { 'if-modified-since': 'Mon, 05 Jan 2026 00:00:00 GMT' }),
  'headers of writeHead': get('head'),
  'headers of res.append': get('hints'),
  'a file of res.sendFile': get('send-file'),
  'a part of res.sendFile': get('send-file', { range: 'bytes=3-5' }),
  'a range that res.sendFile refuses': get('send-file', { range: 'bytes=99-' }),
  'the head of res.sendFile': { ...get('send-file'), method: 'HEAD' },
  'a 304 of res.sendFile': get('send-file', { 'if-none-match': '*' }),
  'a file that res.sendFile does not find': get('missing-file'),
  'a file of res.download': get('download'),
  'a file': get('file'),
  'a part of a file': get('file', { range: 'bytes=8-' }),
  'a 304 of a file': get('file', { 'if-none-match': '*' }),
  'a 412 of a file': get('file', { 'if-match': '"other"' }),
  'a 416 of a file': get('file', { range: 'bytes=99-' }),
  'a produced type': get('produced', { accept: 'text/csv' }),
  'a produced type of this.ok': get('produced-ok', { accept: 'text/csv' }),
  'no acceptable type': get('produced', { accept: 'image/png' }),
  'server-sent events': get('events'),
  'lines of JSON': get('lines'),
  'an error before the first line': get('failing-lines'),
  'a stream': get('readable'),
  'a large stream': get('large-readable'),
  'a stream of a HEAD request': { ...get('readable'), method: 'HEAD' },
  'a piped stream': get('piped'),
  'written parts': get('written'),
  'a Response': get('web'),
  bytes: get('bytes'),
  'a large body': get('large'),
  'an uploaded file': upload(Buffer.from('89504e470d0a1a0a', 'hex')),
  'an uploaded file of a wrong type': upload(Buffer.from('<html>')),
  'a refused body': { method: 'POST', path: '/things/json', headers: json, body: '{"name":1}' },
  'malformed JSON': { method: 'POST', path: '/things/json', headers: json, body: '{"name":' },
  'a body that is too large': {
    method: 'POST',
    path: '/things/json',
    headers: json,
    body: `{"name":"${'x'.repeat(200_000)}"}`,
  },
  'a body of an unknown type': {
    method: 'POST',
    path: '/things/json',
    headers: { 'content-type': 'text/plain' },
    body: 'text',
  },
  'an error of a client': get('not-found'),
  'an error of the server': get('error'),
  'no route': get('nowhere'),
  'a wrong method': { ...get('json'), method: 'PUT' },
  'the methods of a path': { ...get('json'), method: 'OPTIONS' },
  'problem details': get('not-found', { accept: 'application/problem+json' }),
}

const zipped = { 'accept-encoding': 'gzip' }
const COMPRESSED: typeof ASKED = {
  JSON: get('json', zipped),
  'a stream': get('readable', zipped),
  'lines of JSON': get('lines', zipped),
  'server-sent events': get('events', zipped),
  'a file': get('file', zipped),
  'a large body': get('large', zipped),
  'an error': get('error', zipped),
}

const options: AppOptions = {
  controllers: [ThingsController],
  cookies: { keys: ['a key for the signatures of cookies'] },
  etag: true,
  logger: false,
}

/** A kind of application, the requests to it, and the ways on which they are sent. */
interface Kind {
  readonly middlewares?: readonly RequestHandler[]
  /** Middlewares of an Express application around it. */
  readonly host?: readonly RequestHandler[]
  readonly asked: typeof ASKED
  readonly ways: readonly string[]
}

const zip = compression({ threshold: 0 })
const ALL = Object.keys(TRANSPORTS)
// `light-my-request` changes the prototypes of Express for the whole process, and `app.fetch` passes no host.
const ADAPTED = Object.keys(ADAPTERS)

describe.each<[string, Kind]>([
  ['a response', { asked: ASKED, ways: ALL }],
  ['a compressed response', { middlewares: [zip], asked: COMPRESSED, ways: ALL }],
  ['a response behind Express', { host: [], asked: ASKED, ways: ADAPTED }],
  ['a response that Express compresses', { host: [zip], asked: COMPRESSED, ways: ADAPTED }],
])('%s', (_, { middlewares = [], host, asked, ways }) => {
  const app = new App({ ...options, middlewares })
  const outer =
    host &&
    express()
      .set('etag', false)
      .use(...host, app.handler)
  const server = createServer(outer ?? app.handler)
  let reachable: Reachable
  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const handler = (outer as App['handler'] | undefined) ?? app.handler
    const { port } = server.address() as AddressInfo
    reachable = { handler, fetch: app.fetch, port }
  })
  afterAll(async () => {
    server.close()
    await app.close()
  })

  const rows = Object.keys(asked).flatMap((name) => ways.map((way) => [name, way] as const))

  it.each(rows)('with %s is the same through %s as through a socket', async (name, transport) => {
    const request = asked[name] as Asked
    const expected = comparable(await overSocket(reachable, request))
    const received = comparable((await TRANSPORTS[transport]?.(reachable, request)) as Received)
    expect(received).toEqual(expected)
  })
})

afterAll(() => rmSync(folder, { recursive: true }))

/** The ids of errors differ in each response. */
function comparable({ status, headers, body }: Received) {
  const isZipped = headers['content-encoding'] === 'gzip'
  const text = (isZipped ? gunzipSync(body) : body).toString('latin1')
  return { status, headers, text: text.replace(/"requestId":"[^"]*"/, '"requestId":"…"') }
}
