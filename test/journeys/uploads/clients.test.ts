import { Controller, file, Post, type Req, Upload } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CLIENT_FORMS } from './client-forms.js'
import { BOUNDARY, form, png } from './form.js'

const Form = { title: z.string(), image: file({ types: ['image/png'] }) }

@Controller('forms')
class FormsController {
  @Post()
  @Upload(Form)
  async create({ body: { title, image } }: Req<{ upload: typeof Form }>) {
    const bytes = await image.bytes()
    return { title, fileName: image.originalName, isWhole: bytes.equals(png()) }
  }
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({ controllers: [FormsController] })
})
afterAll(() => app.close())

const send = (contentType: string, body: Buffer) =>
  app.request().post('/forms').set('Content-Type', contentType).send(body)

describe('a form of a client library', () => {
  it.each(CLIENT_FORMS)('is parsed: $client', async ({ contentType, body, fileName }) => {
    const { status, body: answer } = await send(contentType, body)
    expect([status, answer.data ?? answer]).toEqual([
      200,
      { title: 'Grüße', fileName, isWhole: true },
    ])
  })
})

describe('the media type of a form', () => {
  const valid = form([
    { name: 'title', value: 'Grüße' },
    { name: 'image', value: png(), filename: 'ä.png', type: 'image/png' },
  ])

  it.each([
    `charset=UTF-8; boundary=${BOUNDARY}`,
    `boundary=${BOUNDARY};charset="utf-8"`,
    `Charset=iso-8859-1 ; Boundary="${BOUNDARY}" ; a="b;boundary=c"`,
    `a=b;c="d"; boundary=${BOUNDARY}`,
  ])('can have more parameters than the boundary: %s', async (parameters) => {
    const { status, body } = await send(`multipart/form-data; ${parameters}`, valid)
    expect([status, body.data?.title]).toEqual([200, 'Grüße'])
  })

  it.each([
    `boundary=${BOUNDARY}; boundary=${BOUNDARY}`,
    `boundary=${BOUNDARY}; boundary*=utf-8''other`,
    `boundary*0=a; boundary=${BOUNDARY}`,
    `boundary*=utf-8''other; boundary=${BOUNDARY}`,
    `charset; boundary=${BOUNDARY}`,
    `charset="a\\"; boundary=${BOUNDARY}`,
    `charset=; boundary=${BOUNDARY}`,
    `a="b; boundary=${BOUNDARY}`,
    `a=b c; boundary=${BOUNDARY}`,
  ])('is refused if two parsers could find different boundaries: %s', async (parameters) => {
    const { status, body } = await send(`multipart/form-data; ${parameters}`, valid)
    expect([status, body.code]).toEqual([400, 'MALFORMED_BODY'])
  })
})

describe('the headers of a form part', () => {
  const title = { name: 'title', value: 'Grüße' }
  const image = { name: 'image', value: png(), type: 'image/png' }
  const withName = (filename: string) =>
    send(`multipart/form-data; boundary=${BOUNDARY}`, form([title, { ...image, filename }]))

  it.each([
    ['after the name', `a.png"; filename*="utf-8''b.png`, 200],
    ['that is longer than other parameters', `a.png"; filename*="utf-8''${'%E4'.repeat(400)}`, 200],
    ['that is not valid', `a.png"; filename*="%%%`, 200],
    ['that occurs twice', `a.png"; filename*="utf-8''b.png"; filename*="utf-8''c.png`, 400],
    ['of the field', `a.png"; name*="utf-8''other`, 400],
  ])(
    'result in the plain name or a 400 response with an extended name %s',
    async (_, filename, expected) => {
      const { status, body } = await withName(filename)
      expect([status, body.data?.fileName]).toEqual([
        expected,
        expected === 200 ? 'a.png' : undefined,
      ])
    },
  )

  it.each([
    ['UTF-8', 'Grüße', Buffer.from('Grüße')],
    ['"utf-8"', 'Grüße', Buffer.from('Grüße')],
    ['utf8', 'Grüße', Buffer.from('Grüße')],
    ['US-ASCII', 'abc', Buffer.from('abc')],
    ['ISO-8859-1', 'Grüße', Buffer.from('Grüße', 'latin1')],
  ])('can declare the charset %s for the text', async (charset, expected, value) => {
    const type = `text/plain; charset=${charset}`
    const { status, body } = await send(
      `multipart/form-data; boundary=${BOUNDARY}`,
      form([
        { name: 'title', value, type },
        { ...image, filename: 'a.png' },
      ]),
    )
    expect([status, body.data?.title]).toEqual([200, expected])
  })
})
