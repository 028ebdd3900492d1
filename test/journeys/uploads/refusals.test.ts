import { Controller, file, Limits, Post, type Req, Upload } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BOUNDARY, FORM_TYPE, form, type Part, png } from './form.js'

const Form = {
  title: z.string().max(100),
  tags: z.array(z.string()).optional(),
  image: file({ maxSize: 2000, types: ['image/png'] }),
}

@Controller('forms')
class FormsController {
  @Post()
  @Limits({ body: 5000 })
  @Upload(Form)
  create({ body }: Req<{ upload: typeof Form }>) {
    return { title: body.title, tags: body.tags, name: body.image.originalName }
  }
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({ controllers: [FormsController] })
})
afterAll(() => app.close())

interface Answer {
  readonly status: number
  readonly code?: string
  readonly message?: string
  readonly errors?: object[]
  readonly data?: { readonly tags?: string[]; readonly name: string }
}

async function send(body: Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await app.fetch('/forms', {
    method: 'POST',
    headers: { 'Content-Type': FORM_TYPE, ...headers },
    body: new Uint8Array(body),
  })
  return { status: response.status, ...((await response.json()) as object) }
}

const title = { name: 'title', value: 'a' }
const image = { name: 'image', value: png(), filename: 'a.png', type: 'image/png' }
const valid = form([title, image])
const text = (value: string): Part => ({ name: 'other', value })
/** A valid form with one more part, which has this head. */
const withHead = (head: string) =>
  Buffer.concat([
    form([title, image], ''),
    Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\nx\r\n--${BOUNDARY}--\r\n`, 'latin1'),
  ])
const OTHER = 'Content-Disposition: form-data; name="other"'
const lines = (count: number) => Array.from({ length: count }, (_, n) => `X-${n}: y`).join('\r\n')

describe('the reason for which a form is refused', () => {
  it.each<[string, Buffer]>([
    ['The form ends without its closing boundary', form([title, image], '')],
    [
      'The form has a part without headers',
      Buffer.concat([
        form([title, image], `--${BOUNDARY}\r\n`),
        Buffer.from(`--${BOUNDARY}--\r\n`),
      ]),
    ],
    ['The form has a part with two Content-Disposition headers', withHead(`${OTHER}\r\n${OTHER}`)],
    ['The form has a part without a valid Content-Disposition', withHead('X: y')],
    ['The form has a part without a name', withHead('Content-Disposition: form-data; filename=a')],
    [
      'The form has a part with a Content-Transfer-Encoding header',
      withHead(`${OTHER}\r\nContent-Transfer-Encoding: base64`),
    ],
    ['The form has a part with an invalid Content-Type', withHead(`${OTHER}\r\nContent-Type: x`)],
    [
      'The form has a field that is neither UTF-8 nor ISO-8859-1',
      withHead(`${OTHER}\r\nContent-Type: text/plain; charset=utf-16`),
    ],
    ['The form has a part with too many or too long headers', withHead(`${lines(15)}\r\n${OTHER}`)],
    [
      'The form has a part with too many or too long headers',
      withHead(`X: ${'y'.repeat(8200)}\r\n${OTHER}`),
    ],
    [
      'The form has a field with a forbidden name',
      form([title, image, { name: '__proto__', value: '' }]),
    ],
    [
      'The form has a field that is not valid UTF-8',
      form([{ name: 'title', value: Buffer.from([255]) }, image]),
    ],
    ['The form has a file without a name', form([title, { ...image, filename: '' }])],
  ])('is in the response: %s', async (message, body) => {
    expect(await send(body)).toMatchObject({ status: 400, code: 'MALFORMED_BODY', message })
  })

  it.each<[string, number, string, Buffer, Record<string, string>?]>([
    [
      'The text fields of the form are larger than 5000 bytes',
      413,
      'PAYLOAD_TOO_LARGE',
      form([title, image, text('x'.repeat(5000))]),
    ],
    [
      'The form is larger than 72536 bytes',
      413,
      'PAYLOAD_TOO_LARGE',
      form([title, image, text('x'.repeat(80_000))]),
    ],
    [
      'A file is too large',
      413,
      'PAYLOAD_TOO_LARGE',
      form([title, { ...image, value: png(2001) }]),
    ],
    [
      'A file has a type that is not accepted',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      form([title, { ...image, type: 'a/b' }]),
    ],
    [
      'The body must be multipart/form-data',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      valid,
      { 'Content-Type': 'text/plain' },
    ],
    [
      'A form with files must not be compressed',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      valid,
      { 'Content-Encoding': 'gzip' },
    ],
    [
      'The form has no valid boundary',
      400,
      'MALFORMED_BODY',
      valid,
      { 'Content-Type': 'multipart/form-data' },
    ],
    [
      'The form has more than 1002 parts',
      400,
      'TOO_MANY_PARAMETERS',
      form(Array.from({ length: 1003 }, () => text(''))),
    ],
  ])(
    'is in the response with its status and code: %s',
    async (message, status, code, body, headers) => {
      expect(await send(body, headers)).toMatchObject({ status, code, message })
    },
  )

  it.each<[string, string, Buffer]>([
    ['image', 'must be a file', form([title, { name: 'image', value: 'x' }])],
    ['title', 'must be text, not a file', form([{ ...image, name: 'title' }, image])],
    ['', 'has a file with an unknown name', form([title, image, { ...image, name: 'other' }])],
    ['image', 'must be at most 1 files', form([title, image, image])],
  ])('names the field: "%s" %s', async (path, message, body) => {
    expect(await send(body)).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      errors: [{ in: 'body', path, message }],
    })
  })

  it('is a missing body', async () => {
    const response = await app.fetch('/forms', { method: 'POST' })
    expect(await response.json()).toMatchObject({
      errors: [{ in: 'body', path: '', message: 'is required' }],
    })
  })
})

describe('a form is accepted', () => {
  it.each<[string, Buffer, Record<string, string>?]>([
    ['with the content coding `identity`', valid, { 'Content-Encoding': 'Identity' }],
    [
      'with its media type in capital letters',
      valid,
      { 'Content-Type': FORM_TYPE.replace('multipart/form-data', 'Multipart/Form-Data') },
    ],
    ['with 14 header lines in a part', withHead(`${lines(14)}\r\n${OTHER}`)],
    [
      'with a part whose encoding changes nothing',
      withHead(`${OTHER}\r\nContent-Transfer-Encoding: 7BIT `),
    ],
    ['with exactly 5,000 bytes of text', form([title, image, text('x'.repeat(4999))])],
  ])('%s', async (_, body, headers) => {
    expect((await send(body, headers)).status).toBe(200)
  })

  it.each(['a known', 'an unknown'])('with the largest size, and %s length', async (kind) => {
    const sized = async (size: number) => {
      const bytes = new Uint8Array(Buffer.concat([valid, Buffer.alloc(size - valid.length, 'e')]))
      const body = kind === 'a known' ? bytes : new Blob([bytes]).stream()
      const headers = { 'Content-Type': FORM_TYPE }
      const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
      const response = await app.fetch('/forms', init)
      return [response.status, ((await response.json()) as { message?: string }).message]
    }
    expect(await sized(72_536)).toEqual([200, 'OK'])
    expect(await sized(72_537)).toEqual([413, 'The form is larger than 72536 bytes'])
  })

  it('with a field that occurs three times', async () => {
    const tags = ['a', 'b', 'c'].map((value) => ({ name: 'tags', value }))
    expect((await send(form([title, ...tags, image]))).data?.tags).toEqual(['a', 'b', 'c'])
  })

  it.each([
    ['a quote after a backslash', 'a\\"b.png', 'a"b.png'],
    ['two backslashes', 'C:\\\\a.png', 'a.png'],
    ['300 characters', `${'😀'.repeat(300)}`, '😀'.repeat(255)],
    ['a folder of each kind', 'a\\b/c.png', 'c.png'],
  ])('with a file name that has %s', async (_, filename, name) => {
    expect((await send(form([title, { ...image, filename }]))).data?.name).toBe(name)
  })

  it('with a file name of at most 1,024 characters', async () => {
    const names = [1024, 1025].map((length) => ({ ...image, filename: 'n'.repeat(length) }))
    const [right, long] = await Promise.all(names.map((each) => send(form([title, each]))))
    expect(right?.data?.name).toBe('n'.repeat(255))
    expect(long).toMatchObject({ status: 400, code: 'MALFORMED_BODY' })
  })
})
