import { App, Controller, file, Post, type Req, Upload } from 'blazon'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../src/cli/client/emit-client.js'
import { type AnyClient, importClient } from './import-client.js'

const Claim = {
  title: z.string().min(2),
  pages: z.coerce.number().int(),
  tags: z.array(z.string()).optional(),
  receipt: file({ types: ['application/pdf'], maxSize: 2_000 }),
  photos: file({ max: 2, optional: true }),
}

@Controller('claims')
class ClaimsController {
  @Post()
  @Upload(Claim)
  async send({ body }: Req<{ upload: typeof Claim }>) {
    const { title, pages, tags = [], receipt, photos } = body
    const files = await Promise.all(
      [receipt, ...photos].map(async (each) => {
        const hex = (await each.bytes()).toString('hex')
        return `${each.originalName} ${each.type} ${hex}`
      }),
    )
    return { title, pages, tags, files }
  }
}

const app = new App({ controllers: [ClaimsController], logger: false })
let claims: AnyClient[string] = {}

beforeAll(async () => {
  const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
  const { createClient } = await importClient('uploads', emitClient(app.document))
  claims = createClient({ baseUrl: `http://127.0.0.1:${port}` })['claims'] as AnyClient[string]
})
afterAll(() => app.close())

const send = (body: unknown) => {
  const method = claims['send']
  if (method === undefined) throw new Error('The client has no send')
  return method({ body })
}

const PDF = Buffer.from('%PDF-\x00\xff', 'latin1')
const receipt = new File([PDF], 'R 1.pdf', { type: 'application/pdf' })
const claim = { title: 'Tea', pages: 2, tags: ['a', 'b'], receipt }

it('a client sends File and Blob, several files, and other fields', async () => {
  const photos = [new Blob([Uint8Array.of(0, 255)], { type: 'image/x' }), new File(['x'], 'ä.txt')]
  const { ok, data } = await send({ ...claim, photos })
  expect({ ok, data }).toEqual({
    ok: true,
    data: {
      title: 'Tea',
      pages: 2,
      tags: ['a', 'b'],
      files: [
        `R 1.pdf application/pdf ${PDF.toString('hex')}`,
        'blob image/x 00ff',
        'ä.txt application/octet-stream 78',
      ],
    },
  })
})

it('a client sends a FormData unchanged', async () => {
  const form = new FormData()
  form.append('title', 'Tea')
  form.append('pages', '1')
  form.append('receipt', receipt)
  expect(await send(form)).toMatchObject({ ok: true, data: { tags: [], pages: 1 } })
})

it.each([
  ['an invalid field', { ...claim, title: '' }, 400, 'VALIDATION_FAILED'],
  ['no file', { ...claim, receipt: undefined }, 400, 'VALIDATION_FAILED'],
  ['too many files', { ...claim, photos: [receipt, receipt, receipt] }, 400, 'VALIDATION_FAILED'],
  [
    'a file that is too large',
    { ...claim, receipt: new File([PDF, 'x'.repeat(2_000)], 'r.pdf', { type: receipt.type }) },
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  [
    'a file of another type',
    { ...claim, receipt: new Blob(['<html>'], { type: 'text/html' }) },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'a file whose content does not match its type',
    { ...claim, receipt: new Blob(['<html>'], { type: 'application/pdf' }) },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
])('a client returns the server error for %s', async (_, body, status, code) => {
  expect(await send(body)).toMatchObject({ ok: false, status, error: { code } })
})
