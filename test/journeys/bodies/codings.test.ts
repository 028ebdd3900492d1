import zlib from 'node:zlib'
import { Body, Controller, Post, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compressZstd } from '../zstd.js'

@Controller('coded')
class CodedController {
  @Post('json')
  @Body(z.object({ text: z.string() }))
  json(req: Request) {
    return { length: req.body.text.length }
  }

  @Post('text')
  @Body({ type: 'text', limit: '64kb' })
  text(req: Request) {
    return { length: req.body.length }
  }
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({ controllers: [CodedController], contract: 'throw' })
})
afterAll(() => app.close())

const CODINGS: readonly (readonly [name: string, encode: (bytes: Buffer) => Buffer])[] = [
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['br', zlib.brotliCompressSync],
  ...(compressZstd === undefined ? [] : [['zstd', compressZstd] as const]),
]

async function send(path: string, type: string, coding: string, bytes: Buffer) {
  const response = await app.fetch(`/coded/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': type, 'Content-Encoding': coding },
    body: new Uint8Array(bytes),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

describe.each(CODINGS)('a body with the coding %s', (coding, encode) => {
  it('is decompressed', async () => {
    const json = encode(Buffer.from('{"text":"abc"}'))
    expect((await send('json', 'application/json', coding, json)).body.data).toEqual({ length: 3 })
    const text = encode(Buffer.from('x'.repeat(60_000)))
    expect((await send('text', 'text/plain', coding, text)).body.data).toEqual({ length: 60_000 })
  })

  it('is refused if it is too large after decompression, or if it is damaged', async () => {
    const bomb = encode(Buffer.alloc(20 << 20, 'x'))
    expect(bomb.length).toBeLessThan(60_000)
    for (const [path, type] of [
      ['json', 'application/json'],
      ['text', 'text/plain'],
    ] as const) {
      expect((await send(path, type, coding, bomb)).status).toBe(413)
      expect((await send(path, type, coding, bomb.subarray(0, 12))).status).toBe(400)
      expect((await send(path, type, coding, Buffer.from('plain'))).body.code).toBe(
        'MALFORMED_BODY',
      )
    }
  })
})

it('an unsupported coding and several codings at once result in a 415 response', async () => {
  const unknown = compressZstd === undefined ? ['compress', 'zstd'] : ['compress']
  for (const coding of [...unknown, 'gzip, gzip', '__proto__']) {
    expect((await send('text', 'text/plain', coding, Buffer.from('x'))).status).toBe(415)
  }
})
