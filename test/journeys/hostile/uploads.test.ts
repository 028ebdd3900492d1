import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { request } from 'node:http'
import { App, Controller, file, Limits, Post, type Req, Upload } from 'blazon'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BOUNDARY, FORM_TYPE, form, png } from '../uploads/form.js'

const Form = {
  title: z.string().max(100),
  image: file({ maxSize: 2000, types: ['image/png'], max: 2 }),
}

let handled = 0

@Controller('forms')
class FormsController {
  @Post()
  @Limits({ body: 5000 })
  @Upload(Form)
  async create({ body }: Req<{ upload: typeof Form }>) {
    handled++
    const [first] = body.image
    await Promise.all(body.image.map((each) => each.bytes()))
    return { title: body.title, name: first?.originalName, own: first?.name }
  }
}

let app: App
let port = 0
beforeAll(async () => {
  app = new App({ controllers: [FormsController], logger: false })
  port = (await app.listen(0, '127.0.0.1')).port
})
afterAll(() => app.close())

type Sent = { status: number; text: string }

/** Sends bytes as they are. A length that is too large is cut by closing the connection. */
function send(body: Buffer, headers: Record<string, string | number> = {}): Promise<Sent> {
  const all = { 'Content-Type': FORM_TYPE, 'Content-Length': body.length, ...headers }
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: '/forms',
      method: 'POST',
      headers: all,
      agent: false,
    }
    const req = request(options, (res) => {
      let text = ''
      res.on('data', (chunk) => {
        text += chunk
      })
      res.on('close', () => resolve({ status: res.statusCode ?? 0, text }))
    })
    req.on('error', () => resolve({ status: 0, text: '' }))
    req.write(body)
    if (Number(all['Content-Length']) === body.length) req.end()
    else req.once('socket', (socket) => socket.end())
  })
}

const end = `--${BOUNDARY}--\r\n`
const DISPOSITION = 'Content-Disposition: form-data; name="title"'
/** A part with the head and the content as they are given. */
const part = (head: string, content: string | Buffer = 'x') =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`, 'latin1'),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
const whole = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from(end)])
const image = { name: 'image', value: png(), filename: 'a.png', type: 'image/png' }
const title = { name: 'title', value: 'a' }
const valid = form([title, image])
const fileHead = (disposition: string, type = 'image/png') =>
  `Content-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}`

type Attack = [what: string, body: Buffer, headers?: Record<string, string | number>]

const BOUNDARIES: Attack[] = [
  'multipart/form-data',
  'multipart/form-data; boundary',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=""',
  `multipart/form-data; boundary=${'b'.repeat(71)}`,
  `multipart/form-data; boundary=${'b'.repeat(5000)}`,
  'multipart/form-data; boundary="a b "',
  'multipart/form-data; boundary=a b',
  'multipart/form-data; boundary=a; boundary=b',
  'multipart/form-data; boundary=a;b',
  'multipart/form-data; boundary=\u00e4',
  'multipart/form-data; boundary="a\\"b"',
  "multipart/form-data; boundary*=utf-8''a",
  'multipart/form-data boundary=a',
  'multipart/form-data; boundary=other',
].map((type) => [`boundary ${type.slice(0, 60)}`, valid, { 'Content-Type': type }])

const PNG = part(
  'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png',
  png(),
)
const OTHER = 'Content-Disposition: form-data; name="other"'

/** The rest of each form is right. */
const HEADS: Attack[] = [
  '',
  'Content-Disposition',
  'Content-Disposition:',
  'Content-Disposition: form-data',
  'Content-Disposition: form-data; name',
  'Content-Disposition: form-data; name=',
  'Content-Disposition: form-data; name="other',
  'Content-Disposition: form-data; name="other" x',
  'Content-Disposition: form-data; name="other"; name="image"',
  'Content-Disposition: form-data; name="a"; filename="b"; filename="c"',
  "Content-Disposition: form-data; name*=utf-8''other",
  'Content-Disposition: form-data; name="image"; filename*=utf-8\'\'a.png',
  'Content-Disposition: attachment; name="other"',
  'Content-Disposition: form-data, name="other"',
  `${OTHER}\r\n${OTHER}`,
  'Content-Disposition: form-data; name="\u0000"',
  'Content-Disposition: form-data; name="a\u0007b"',
  'Content-Disposition: form-data; name="\u00ff\u00fe"',
  `Content-Disposition: form-data; name="${'n'.repeat(2000)}"`,
  `Content-Disposition: form-data; name="${'n'.repeat(9000)}"`,
  `Content-Disposition: form-data; name=other${' '.repeat(7000)}x`,
  `Content-Disposition: form-data${'; a=b'.repeat(1500)}`,
  `${OTHER}\r\nContent-Transfer-Encoding: base64`,
  `${OTHER}\r\nContent-Transfer-Encoding: quoted-printable`,
  `${OTHER}\r\nContent-Type: text/plain; charset=utf-16`,
  `${OTHER}\r\nContent-Type: text/plain; charset=utf-7`,
  `${OTHER}\r\nContent-Type: nonsense`,
  `${OTHER}\r\nContent-Type: text/plain\r\nContent-Type: text/html`,
  `${OTHER}\r\n${'X-A: b\r\n'.repeat(20)}X: y`,
  `${OTHER}\r\n${'X-A: b\r\n'.repeat(2000)}X: y`,
  `${OTHER}\r\nX: ${'y'.repeat(8500)}`,
  `X: ${'y'.repeat(20_000)}\r\n${OTHER}`,
  `${'\r\n'.repeat(3)}${OTHER}`,
  `name="other"`,
  `\u0000${OTHER}`,
].map((head) => [
  `head ${JSON.stringify(head.slice(0, 60))}`,
  whole(part(DISPOSITION), PNG, part(head)),
])

const NAMES: Attack[] = [
  '__proto__',
  'a[__proto__]',
  '__proto__[x]',
  'a.__proto__.b',
  'constructor[prototype]',
  'constructor.prototype',
  'constructor[prototype][x]',
  'a[constructor][prototype][x]',
  `a${'[b]'.repeat(6)}`,
  `a${'['.repeat(300)}`,
].flatMap((name): Attack[] => [
  [`field ${name.slice(0, 40)}`, form([title, image, { name, value: '1' }])],
  [`file ${name.slice(0, 40)}`, form([title, { ...image, name }])],
])

const INHERITED: Attack[] = ['toString', 'constructor', 'valueOf', 'hasOwnProperty', 'then'].map(
  (name) => [`file ${name}`, form([title, { ...image, name }])],
)

const CONTENTS: Attack[] = [
  ['no parts', Buffer.from(end)],
  ['nothing', Buffer.alloc(0), { 'Content-Length': 0 }],
  ['text', Buffer.from('hello')],
  ['only a boundary', Buffer.from(`--${BOUNDARY}`)],
  ['only dashes', Buffer.alloc(3000, '-')],
  ['only line ends', Buffer.alloc(3000, '\r\n')],
  ['boundaries without heads', Buffer.from(`--${BOUNDARY}\r\n`.repeat(100) + end)],
  ['no final boundary', form([title, image], '')],
  ['half a final boundary', form([title, image], `--${BOUNDARY}`)],
  ['a final boundary with one dash', form([title, image], `--${BOUNDARY}-\r\n`)],
  ['line feeds only', Buffer.from(valid.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')],
  ['a field that is not UTF-8', form([{ name: 'title', value: Buffer.from([0xff, 0xfe]) }, image])],
  ['a field that is too long', form([{ name: 'title', value: 'x'.repeat(101) }, image])],
  ['text over the limit', form([{ name: 'title', value: 'x'.repeat(5001) }, image])],
  ['unknown text over the limit', form([{ name: 'u', value: 'x'.repeat(5001) }, title, image])],
  ['10,000 fields', form(Array.from({ length: 10_000 }, () => title))],
  [
    '10,000 empty unknown fields',
    form(Array.from({ length: 10_000 }, () => ({ name: 'u', value: '' }))),
  ],
  [
    '1,100 unknown fields',
    form(Array.from({ length: 1100 }, (_, i) => ({ name: `u${i}`, value: '' }))),
  ],
  ['10,000 files', form(Array.from({ length: 10_000 }, () => image))],
  ['three files', form([title, image, image, image])],
  [
    '1,100 files that a browser was not given',
    form(Array.from({ length: 1100 }, () => ({ ...image, value: '', filename: '' }))),
  ],
  ['a nested form', form([title, { ...image, type: `multipart/mixed; boundary=${BOUNDARY}` }])],
  ['a nested boundary', whole(part(DISPOSITION, `--${BOUNDARY}\r\n`), part(DISPOSITION))],
  ['a file in a field', form([{ ...image, name: 'title' }, image])],
  ['a field in a file', form([title, { name: 'image', value: 'x' }])],
  ['no file', form([title])],
  ['no field', form([image])],
  ['a repeated field', form([title, title, image])],
  ['a file without a name but with bytes', form([title, { ...image, filename: '' }])],
  ['a large preamble', Buffer.concat([Buffer.alloc(200_000, 'p'), valid])],
  ['a large epilogue', Buffer.concat([valid, Buffer.alloc(200_000, 'e')])],
]

const FILES: Attack[] = [
  ...[2001, 4096, 65_536, 70_000].flatMap((size): Attack[] => [
    [`a file of ${size} bytes`, form([title, { ...image, value: png(size) }])],
    [`a first file of ${size} bytes`, form([{ ...image, value: png(size) }, title])],
  ]),
  ...[
    'text/html',
    'image/svg+xml',
    'application/x-msdownload',
    'image/pngx',
    'image',
    '*/*',
    'image/*',
  ].map((type): Attack => [`a file of ${type}`, form([title, { ...image, type }])]),
  ...['<script>', 'MZ\u0090', '%PDF-1.7', 'GIF89a', '', '\u0089PN', ' \u0089PNG'].map(
    (value): Attack => [
      `a file that begins with ${JSON.stringify(value)}`,
      form([title, { ...image, value: Buffer.from(value, 'latin1') }]),
    ],
  ),
  ...['a\u0000.png', '\u0000', 'a\u001f.png', 'a\r.png', 'a\n.png', 'a\u007f'].map(
    (filename): Attack => [
      `a file name ${JSON.stringify(filename)}`,
      form([title, { ...image, filename }]),
    ],
  ),
  [
    'a file name that is not UTF-8',
    whole(part(DISPOSITION), part(fileHead('name="image"; filename="\u00ff"'), png())),
  ],
  ['a long file name', form([title, { ...image, filename: 'n'.repeat(5000) }])],
]

const LENGTHS: Attack[] = [
  ['a length that is too large', valid, { 'Content-Length': valid.length + 100 }],
  ['a length over the limit', valid, { 'Content-Length': 1_000_000_000 }],
  ['a length that is far too large', valid, { 'Content-Length': 1e15 }],
  ['a compressed form', valid, { 'Content-Encoding': 'gzip' }],
  ['a form that is compressed twice', valid, { 'Content-Encoding': 'gzip, gzip' }],
]

/** A valid form that ends early, at many places. */
const CUTS: Attack[] = Array.from({ length: 60 }, (_, i) => {
  const length = Math.floor((i * (valid.length - 6)) / 60)
  return [`a form of ${length} bytes`, valid.subarray(0, length)]
})

/** A valid form of which one byte is another one, where the framing is. */
const FRAMING = [...Array(BOUNDARY.length + 4).keys()].map((at): Attack => {
  const broken = Buffer.from(valid)
  broken[at] = (broken[at] as number) ^ 1
  return [`a form whose byte ${at} is wrong`, broken]
})

const ATTACKS = [
  BOUNDARIES,
  HEADS,
  NAMES,
  INHERITED,
  CONTENTS,
  FILES,
  LENGTHS,
  CUTS,
  FRAMING,
].flat()

describe('a hostile upload form', () => {
  it('is tested in more than 200 variants', () => expect(ATTACKS.length).toBeGreaterThan(200))

  it.each(ATTACKS)('is refused: %s', async (what, body, headers) => {
    const before = handled
    const { status, text } = await send(body, headers)
    // The connection of a client that closes it first has no response.
    const isCut = status === 0 && Number(headers?.['Content-Length']) > body.length
    if (!isCut) expect([400, 413, 415], text).toContain(status)
    if (HEADS.some(([each]) => each === what)) expect(text).toContain('MALFORMED_BODY')
    expect(handled).toBe(before)
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it.each([
    '../../etc/passwd',
    '..\\..\\boot.ini',
    '/etc/passwd',
    'C:\\Windows\\a.dll',
    '..',
    '.',
    'a/..',
    '...',
  ])('cannot determine the path of a stored file: %s', async (filename) => {
    const { status, text } = await send(form([title, { ...image, filename }]))
    const { name, own } = JSON.parse(text).data
    expect(status).toBe(200)
    expect(own).toMatch(/^[\da-f-]{36}\.png$/)
    expect(name).toBe(/passwd|boot\.ini|a\.dll/.exec(filename)?.[0] ?? null)
  })

  it('does not affect a later valid form, and leaves no temporary file open', async () => {
    expect(await send(valid)).toMatchObject({ status: 200 })
    if (!existsSync('/proc/self/fd')) return
    const isSpool = (fd: string) => {
      try {
        return /\/blazon-[\da-f]{8}-/.test(readlinkSync(`/proc/self/fd/${fd}`))
      } catch {
        return false
      }
    }
    await expect.poll(() => readdirSync('/proc/self/fd').filter(isSpool)).toEqual([])
  })
})
