import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { compressZstd } from '../zstd.js'
import { expectFailure, type ListeningApp, start } from './listening-app.js'
import { exchange, post, request } from './raw-connection.js'
import { CHUNKED, calls, chunked, controllers, json, LIMIT, startTexts } from './texts-app.js'

const MIB = 1024 * 1024

let app: ListeningApp

beforeEach(async () => {
  app = await startTexts()
})

describe('a content coding', () => {
  // The best quality takes seconds for the largest body.
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
  const compress = {
    gzip: (data: string | Buffer) => gzipSync(data),
    deflate: (data: string | Buffer) => deflateSync(data),
    br: (data: string | Buffer) => brotliCompressSync(data, brotli),
    ...(compressZstd === undefined ? {} : { zstd: compressZstd }),
  }

  function coded(coding: string, body: Buffer) {
    return exchange(
      app.port,
      post('/texts', body.toString('latin1'), [`Content-Encoding: ${coding}`]),
    )
  }

  it.each(Object.entries(compress))('is decoded if it is %s', async (coding, encode) => {
    const [answer] = await coded(coding.toUpperCase(), encode(json(LIMIT)))
    expect({ status: answer?.status, calls }).toEqual({ status: 200, calls: 1 })
  })

  it.each(Object.entries(compress))(
    'results in a 413 response if a %s body is larger than the limit after decoding',
    async (coding, encode) => {
      expectFailure((await coded(coding, encode(json(LIMIT + 1))))[0], 413, 'PAYLOAD_TOO_LARGE')
      const bomb = encode(Buffer.alloc(100 * MIB))
      const [answer] = await coded(coding, bomb.length > LIMIT ? bomb.subarray(0, LIMIT) : bomb)
      expectFailure(answer, 413, 'PAYLOAD_TOO_LARGE')
      expect(calls).toBe(0)
    },
  )

  it.each(Object.entries(compress))(
    'results in a 400 response if a %s body is corrupt or incomplete',
    async (coding, encode) => {
      const good = encode(json(900))
      const cut = good.subarray(0, good.length - 5)
      for (const body of [Buffer.from('{"text":"plain"}'), cut]) {
        expectFailure((await coded(coding, body))[0], 400, 'MALFORMED_BODY')
      }
      expect(calls).toBe(0)
    },
  )

  const unknown = compressZstd === undefined ? ['zstd'] : []

  it.each([...unknown, 'gzip, gzip', 'br, gzip', 'compress', 'x', '__proto__', 'constructor', ','])(
    'results in a 415 response if it is %j',
    async (coding) => {
      const [answer] = await coded(coding, gzipSync(gzipSync(json(50))))
      expectFailure(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
      expect(calls).toBe(0)
    },
  )
})

describe('the content type of a body', () => {
  const body = json(50)

  function typed(...types: string[]) {
    const lines = types.map((type) => `Content-Type: ${type}`)
    lines.push(`Content-Length: ${body.length}`)
    return exchange(app.port, request('/texts', lines, { method: 'POST', body }))
  }

  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json;Charset="UTF8"',
    'application/vnd.api+json',
    'application/merge-patch+json',
    'application/json;',
    'application/json ; ; ',
    'application/json; profile="https://example.com/a;b"',
    'application/json;profile="a\\"; charset=latin1"; charset=utf-8',
    'Application/JSON; Odata.Metadata=minimal;CharSet="UTF-8" ; q=1;',
    'application/json\t;\tv=1',
    'application/vnd.api+json; ext="https://example.com/bulk"; charset=utf-8',
  ])('is treated as JSON if it is %j', async (type) => {
    expect((await typed(type))[0]?.status).toBe(200)
  })

  it.each([
    [''],
    ['application/json\tx'],
    ['application/json garbage'],
    ['application/json; garbage'],
    ['application/json; a=b garbage'],
    ['application/json; a=b, text/plain'],
    ['application/json; a="b'],
    ['application/json; a="b"c'],
    ['application/json; a ="b"'],
    ['application/json; =b'],
    ['application/json; charset'],
    ['application/json; charset='],
    ['application/json; charset=""'],
    ['application/json; charset="utf-16"'],
    ['application/json; charset=utf-8x'],
    ['application/json; charset=utf8x'],
    ['application/json; charset=utf--8'],
    ['application/json; profile=a; charset=latin1'],
    ['application/json; CHARSET=latin1; charset=utf-8'],
    [`application/json;${' ;\t'.repeat(4000)}x`],
    ['application/json,text/plain'],
    ['application/json; charset=utf-7'],
    ['application/json; charset=utf-16'],
    ['application/json; charset=latin1'],
    ['application/json; charset=utf-8; charset=utf-7'],
    ['application/jsonx'],
    ['application/x+json+xml'],
    ['text/json'],
    ['text/plain'],
    ['multipart/form-data; boundary=x'],
    ['application/x-www-form-urlencoded'],
    ['*/*'],
    ['application/json\u00a0'],
    ['text/plain', 'application/json'],
  ])('results in a 415 response if it is %j', async (...types) => {
    expectFailure((await typed(...types))[0], 415, 'UNSUPPORTED_MEDIA_TYPE')
    expect(calls).toBe(0)
  })

  it('results in a 415 response if it is missing, with Content-Length or with chunks', async () => {
    expectFailure((await typed())[0], 415, 'UNSUPPORTED_MEDIA_TYPE')
    const lines = ['Transfer-Encoding: chunked']
    const [answer] = await exchange(
      app.port,
      request('/texts', lines, { method: 'POST', body: chunked(body) }),
    )
    expectFailure(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
  })
})

describe('an empty or consumed body', () => {
  const ask = async (path: string, lines: readonly string[], body = '') =>
    (await exchange(app.port, request(path, lines, { method: 'POST', body })))[0]

  it.each([
    ['no length', []],
    ['no length, with a content type', ['Content-Type: application/json']],
    ['a length of 0', ['Content-Length: 0']],
    ['a length of 0 and a type other than JSON', ['Content-Length: 0', 'Content-Type: text/plain']],
  ])('is treated as missing, and validated as undefined, with %s', async (_, lines) => {
    const refused = await ask('/texts', lines)
    expect(expectFailure(refused, 400, 'VALIDATION_FAILED')['errors']).toMatchObject([
      { in: 'body', path: '' },
    ])
    const taken = await ask('/optional', lines)
    expect(JSON.parse(taken?.text ?? '').data).toEqual({ isAbsent: true })
  })

  it.each([
    ['a length of 0', ['Content-Length: 0', 'Content-Type: application/json'], ''],
    ['a length of 00', ['Content-Length: 00', 'Content-Type: application/json'], ''],
    ['a type parameter', ['Content-Length: 0', 'Content-Type: application/vnd.a+json; v=1'], ''],
    ['no chunks', CHUNKED, '0\r\n\r\n'],
  ])(
    'is refused as malformed with a JSON type and %s if the route has @Body',
    async (_, lines, body) => {
      for (const path of ['/texts', '/optional']) {
        const failure = expectFailure(await ask(path, lines, body), 400, 'MALFORMED_JSON')
        expect(failure['message']).toContain('omit the Content-Type header')
      }
      expect(calls).toBe(0)
      const free = await ask('/free', lines, body)
      expect(JSON.parse(free?.text ?? '').data).toEqual({ isAbsent: true })
    },
  )

  it('is treated as missing if a middleware has already read it', async () => {
    const taking = await start({
      controllers,
      middlewares: [(req, _res, next) => void req.resume().on('end', () => next())],
    })
    const [answer] = await exchange(taking.port, post('/optional', '{}'))
    expect(JSON.parse(answer?.text ?? '').data).toEqual({ isAbsent: true })
  })
})
