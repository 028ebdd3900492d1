import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { App, Body, Controller, file, Post, type Request, secret, Upload } from 'blazon'
import express from 'express'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'

const Order = z.object({
  sku: z.string().transform((sku) => sku.length),
  count: z.coerce.number().default(1),
  pin: secret(z.string().transform(() => 'canary-made-pin')).optional(),
})

let folder: string
let app: App | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'blazon-bytes-'))
})
afterEach(async () => {
  await app?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Takes everything out of the body that it has got. */
function fail(req: Request): never {
  if (typeof req.body === 'object') for (const name of Object.keys(req.body)) delete req.body[name]
  throw new Error('No stock')
}

@Controller()
class SentController {
  @Body(Order) @Post('json') json(req: Request) {
    fail(req)
  }

  @Body(z.looseObject({}), { type: 'form' }) @Post('form') form(req: Request) {
    fail(req)
  }

  @Body({ type: 'text' }) @Post('text') text(req: Request) {
    fail(req)
  }

  @Body({ type: 'bytes' }) @Post('bytes') bytes(req: Request) {
    fail(req)
  }

  @Upload({
    file: file({ maxSize: '2mb' }),
    note: z.string().optional(),
    password: z.string().optional(),
  })
  @Post('upload')
  upload(req: Request) {
    fail(req)
  }

  @Post('unread') async unread(req: Request) {
    fail(req)
  }
}

async function capsuleOf(path: string, type: string, body: string | Buffer, more = {}) {
  const made = await App.create({
    controllers: [SentController],
    logger: false,
    records: { capsules: { folder } },
    ...more,
  })
  app = made
  const { port } = await made.listen(0, '127.0.0.1')
  const url = `http://127.0.0.1:${port}/${path}`
  const coding = Buffer.isBuffer(body) && body[0] === 0x1f ? { 'content-encoding': 'gzip' } : {}
  const headers = { 'content-type': type, ...coding }
  const response = await fetch(url, { method: 'POST', headers, body: new Blob([body]) })
  expect(response.status).toBe(500)
  await made.close()
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.json'))
  const text = readFileSync(join(folder, name), 'utf8')
  return { text, capsule: JSON.parse(text) }
}

const JSON_TYPE = 'application/json; charset=utf-8'
const partsOf = (value: string, name: string, content = 'x') =>
  `--b\r\ncontent-disposition: form-data; name="file"; filename="session.bin"\r\n\r\n${content}\r\n--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b--\r\n`

it.each([
  [
    'JSON',
    'json',
    JSON_TYPE,
    '{ "count": 2e0,\n\t"sku": "\\u0041-1", "sku": "B", "more": [1,2.0] }',
  ],
  ['a form', 'form', 'application/x-www-form-urlencoded', 'b=%41+1&a=&b=2&&c'],
  ['text', 'text', 'text/plain', ' Ümlaut\r\n\u0000'],
  ['a form with files', 'upload', 'multipart/form-data; boundary=b', partsOf('Tür', 'note')],
])('a capsule contains the bytes of a request unchanged: %s', async (_, path, type, body) => {
  const { capsule } = await capsuleOf(path, type, body)
  expect(capsule).toMatchObject({ sent: { body, omitted: null }, cut: [], hidden: [] })
})

it('a capsule contains bytes that are not valid text', async () => {
  const bytes = Buffer.from([0, 255, 254, 1])
  const { capsule } = await capsuleOf('bytes', 'application/octet-stream', bytes)
  expect(capsule).toMatchObject({ sent: { body: null, base64: bytes.toString('base64') }, cut: [] })
})

it('a capsule contains the decompressed body that a middleware has read', async () => {
  const body = '{ "sku": "A" }'
  const middlewares = [express.json()]
  const { capsule } = await capsuleOf('json', JSON_TYPE, gzipSync(body), { middlewares })
  expect(capsule).toMatchObject({ sent: { body, omitted: null }, cut: [] })
})

it('a capsule contains a body that no handler has read', async () => {
  const { capsule } = await capsuleOf('unread', 'text/plain', 'hello')
  expect(capsule).toMatchObject({ sent: { body: 'hello' }, cut: [] })
})

it('a capsule reports that a long body was omitted', async () => {
  const body = partsOf('', 'note', 'x'.repeat(1_000_001))
  const { capsule } = await capsuleOf('upload', 'multipart/form-data; boundary=b', body)
  const omitted = 'Its body has more than 1000000 bytes.'
  expect(capsule).toMatchObject({ sent: { body: null, omitted }, cut: [omitted] })
})

it.each([
  [
    'a field that its schema marks as secret and transforms',
    'json',
    JSON_TYPE,
    '{"sku":"canary-1", "pin" : "canary-\\u0031"}',
    '{"sku":"[secret]", "pin" : "[secret]"}',
  ],
  [
    'fields with the names of secrets, at any depth, repeated or escaped',
    'json',
    JSON_TYPE,
    '{ "sku": "a", "p\\u0061ssword": 123456, "password": {"a": ["canary-2", true, null]}, "user": {"token":"canary-3"}, "user": 1 }',
    '{ "sku": "a", "p\\u0061ssword": "[secret]", "password": {"a": ["[secret]", true, null]}, "user": {"token":"[secret]"}, "user": 1 }',
  ],
  [
    'a form',
    'form',
    'application/x-www-form-urlencoded',
    'a=%31&my%5Ftoken=canary%2D4&b=x+canary-4',
    'a=%31&my%5Ftoken=[secret]&b=[secret]',
  ],
])('a capsule hides only the secrets in a body: %s', async (_, path, type, body, shown) => {
  const { text, capsule } = await capsuleOf(path, type, body)
  expect(capsule.sent.body).toBe(shown)
  expect(text).not.toMatch(/canary/)
  expect(capsule.hidden).toContain('body')
})

it.each([
  [
    'a part of a form with files',
    'upload',
    'multipart/form-data; boundary=b',
    partsOf('canary-5', 'password'),
  ],
  [
    'bytes',
    'bytes?token=canary-6',
    'application/octet-stream',
    Buffer.from('\u0000canary-6\xff', 'latin1'),
  ],
])('a capsule omits a body with a secret in %s', async (_, path, type, body) => {
  const { text, capsule } = await capsuleOf(path, type, body)
  expect(text).not.toMatch(/canary/)
  const omitted = 'Its body contains secrets.'
  expect(capsule).toMatchObject({ sent: { body: null, omitted }, cut: [omitted] })
})
