import { once } from 'node:events'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { BaseController, Controller, fileResponse, Get, type Request, type Response } from 'blazon'
import compression from 'compression'
import { describe, expect, it } from 'vitest'
import { hasNoProc } from '../../platform.js'
import { folder, open, openBelow, serve, state } from './files-app.js'

const MIB = 1 << 20

async function received(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(socket, 'close')
  return Buffer.concat(chunks)
}

describe('a file that is sent', () => {
  it('ends the connection if it becomes shorter during the transfer', async () => {
    const root = folder({ 'big.bin': Buffer.alloc(64 * MIB) })
    const served = await serve()
    const socket = await open(served, '/files/big.bin')
    await once(socket, 'readable')
    truncateSync(join(root, 'big.bin'), MIB)
    const bytes = await received(socket)
    expect(bytes.includes('Content-Length: 67108864')).toBe(true)
    expect(bytes.length).toBeLessThan(64 * MIB)
    expect(served.errors).toMatchObject([{ err: { message: expect.stringContaining('67108864') } }])
  })

  it('is sent with its original length if it becomes longer during the transfer', async () => {
    const root = folder({ 'a.txt': 'a'.repeat(8 * MIB) })
    const served = await serve()
    const response = await fetch(`${served.url}/files/a.txt`)
    writeFileSync(join(root, 'a.txt'), 'more', { flag: 'a' })
    expect((await response.text()).length).toBe(8 * MIB)
    expect(served.errors).toEqual([])
  })
})

describe.skipIf(hasNoProc)('the handle of a file', () => {
  it('is closed after every kind of response', async () => {
    const root = folder({ 'a.txt': 'text', 'empty.txt': '' })
    mkdirSync(join(root, 'sub'))
    const { url } = await serve()
    const etag = (await fetch(`${url}/files/a.txt`)).headers.get('etag') as string
    for (const [path, init] of [
      ['a.txt', {}],
      ['empty.txt', {}],
      ['a.txt', { method: 'HEAD' }],
      ['a.txt', { headers: { range: 'bytes=0-0' } }],
      ['a.txt', { headers: { range: 'bytes=9-' } }],
      ['a.txt', { headers: { 'if-none-match': etag } }],
      ['a.txt', { headers: { 'if-match': '"other"' } }],
      ['missing.txt', {}],
      ['sub', {}],
    ] as const) {
      await (await fetch(`${url}/files/${path}`, init)).arrayBuffer()
    }
    await expect.poll(() => openBelow(root)).toEqual([])
  })
})

describe('the compression package', () => {
  const TEXT = 'a line of text\n'.repeat(1000)

  it('does not compress files that support ranges, or parts of them', async () => {
    folder({ 'a.txt': TEXT })
    const { url } = await serve({ middlewares: [compression({ threshold: 0 })] })
    const whole = await fetch(`${url}/files/a.txt`)
    expect(await whole.text()).toBe(TEXT)
    const headers = { range: 'bytes=0-99', 'accept-encoding': 'gzip' }
    const part = await fetch(`${url}/files/a.txt`, { headers })
    expect([part.status, await part.text()]).toEqual([206, TEXT.slice(0, 100)])
    for (const { headers } of [whole, part]) expect(headers.has('content-encoding')).toBe(false)
  })

  it('compresses files without ranges, which have a weak ETag', async () => {
    folder({ 'a.txt': TEXT })
    const { url } = await serve({ middlewares: [compression({ threshold: 0 })] })
    state.make = () => fileResponse('a.txt', { root: state.root, ranges: false })
    const headers = { range: 'bytes=0-1', 'accept-encoding': 'gzip' }
    const response = await fetch(`${url}/made`, { headers })
    expect([response.status, await response.text()]).toEqual([200, TEXT])
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.has('accept-ranges')).toBe(false)
    const etag = response.headers.get('etag') as string
    expect(etag).toMatch(/^W\/"/)
    const again = await fetch(`${url}/made`, { headers: { 'if-none-match': etag } })
    expect([again.status, again.headers.has('content-encoding')]).toEqual([304, false])
  })
})

describe('the Cache-Control, ETag and Last-Modified headers of a handler', () => {
  it.each([
    ['private, max-age=60', 'private, max-age=60, no-transform'],
    ['No-Transform, max-age=60', 'No-Transform, max-age=60'],
  ])('are kept for a file, with no-transform: %s', async (given, sent) => {
    folder({ 'a.txt': 'a' })
    const date = 'Sun, 09 Sep 2001 01:46:40 GMT'
    @Controller('kept')
    class Kept {
      @Get() get(_req: Request, res: Response) {
        res.set({ 'Cache-Control': given, ETag: '"own"', 'Last-Modified': date })
        return fileResponse('a.txt', { root: state.root })
      }
    }
    const { url } = await serve({ controllers: [Kept] })
    const { headers } = await fetch(`${url}/kept`)
    const names = ['cache-control', 'etag', 'last-modified']
    expect(names.map((name) => headers.get(name))).toEqual([sent, '"own"', date])
  })
})

describe('a file response that is not sent', () => {
  it('destroys its stream if it was passed to this.ok(), or returned after another response', async () => {
    const streams: PassThrough[] = []
    const make = () => {
      const stream = new PassThrough()
      streams.push(stream)
      return fileResponse(stream)
    }
    @Controller()
    class Unsent extends BaseController {
      @Get('ok') okay(_req: Request, res: Response) {
        return this.ok(res, 'OK', make())
      }
      @Get('after') after(_req: Request, res: Response) {
        res.json({})
        return make()
      }
    }
    const { url, errors } = await serve({ controllers: [Unsent] })
    expect((await fetch(`${url}/ok`)).status).toBe(500)
    expect((await fetch(`${url}/after`)).status).toBe(200)
    await expect.poll(() => streams.map(({ destroyed }) => destroyed)).toEqual([true, true])
    expect(errors).toMatchObject([{ err: { message: expect.stringContaining('return it') } }])
  })
})
