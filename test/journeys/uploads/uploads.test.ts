import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  ApiResponseDoc,
  Auth,
  Controller,
  file,
  Limits,
  Post,
  type Req,
  type Request,
  Upload,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FORM_TYPE, form, type Part, png } from './form.js'

const Profile = {
  title: z.string().min(2),
  age: z.coerce.number().int().optional(),
  avatar: file({ maxSize: '200kb', types: ['image/png'] }),
}
const Album = {
  tags: z.array(z.string()).default([]),
  photos: file({ types: ['image/*'], max: 3 }),
  notes: file({ types: ['text/plain', 'text/x-own'], max: 2, optional: true, maxSize: 10 }),
}
const Loose = { any: file({ optional: true }), count: { type: 'integer' } as const }

const folder = mkdtempSync(join(tmpdir(), 'blazon-uploads-'))
let handled = 0

@Controller('uploads')
class UploadsController {
  @Post('profile')
  @Upload(Profile)
  async profile({ body, validated }: Req<{ upload: typeof Profile }>) {
    handled++
    const { avatar, ...fields } = body
    const bytes = await avatar.bytes()
    const { field, originalName, type, size, name } = avatar
    const isSame = validated.body.avatar === avatar
    return { fields, field, originalName, type, size, name, length: bytes.length, isSame }
  }

  @Post('album')
  @Upload(Album)
  async album({ body }: Req<{ upload: typeof Album }>) {
    const read = async (each: { bytes(): Promise<Buffer> }) => (await each.bytes()).length
    const photos = await Promise.all(body.photos.map(read))
    return { tags: body.tags, photos, notes: await Promise.all(body.notes.map(read)) }
  }

  @Post('loose')
  @Upload(Loose)
  loose(req: Request) {
    return { body: req.body }
  }

  @Post('save')
  @Upload(Profile)
  async save({ body }: Req<{ upload: typeof Profile }>) {
    return await body.avatar.save(folder)
  }

  @Post('twice')
  @Upload(Profile)
  async twice({ body }: Req<{ upload: typeof Profile }>) {
    const out = new PassThrough()
    const [bytes] = await Promise.all([buffer(out), body.avatar.pipe(out)])
    const second = await body.avatar.bytes().catch((error: Error) => error.message)
    const saved = await body.avatar.save(folder).catch((error: Error) => error.message)
    return { length: bytes.length, second, isSaved: saved !== second }
  }

  @Post('echo')
  @ApiResponseDoc({ status: 200, contentType: 'application/octet-stream' })
  @Upload(Profile)
  echo({ body }: Req<{ upload: typeof Profile }>) {
    return body.avatar.stream()
  }

  @Post('ignored')
  @Upload(Profile)
  ignored() {
    return { ignored: true }
  }

  @Post('guarded')
  @Auth()
  @Limits({ body: 100 })
  @Upload(Profile)
  guarded({ body }: Req<{ upload: typeof Profile }>) {
    return { title: body.title }
  }
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({
    controllers: [UploadsController],
    auth: { guard: { canActivate: (req: Request) => req.headers.authorization === 'Bearer yes' } },
    contract: 'throw',
  })
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

async function send(path: string, body: Buffer, type = FORM_TYPE) {
  const headers = { 'Content-Type': type }
  const response = await app.fetch(`/uploads/${path}`, {
    method: 'POST',
    headers,
    body: new Uint8Array(body),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

const title = { name: 'title', value: 'Me' }
const avatar = (value: Buffer | string = png(), more: Partial<Part> = {}) => ({
  name: 'avatar',
  value,
  filename: 'me.png',
  type: 'image/png',
  ...more,
})

describe('an upload form', () => {
  it.each([
    ['fields first', [title, { name: 'age', value: '30' }, avatar()]],
    ['files first', [avatar(), { name: 'age', value: '30' }, title]],
  ])('passes fields and files to the handler: %s', async (_, parts) => {
    const { status, body } = await send('profile', form(parts))
    expect([status, body.data]).toEqual([
      200,
      {
        fields: { title: 'Me', age: 30 },
        field: 'avatar',
        originalName: 'me.png',
        type: 'image/png',
        size: 64,
        name: expect.stringMatching(/^[\da-f-]{36}\.png$/),
        length: 64,
        isSame: true,
      },
    ])
  })

  it.each([64_000, 66_000, 140_000, 200 * 1024])('accepts files of any size: %i', async (size) => {
    const early = await send(
      'profile',
      form([title, { name: 'age', value: '3' }, avatar(png(size))]),
    )
    expect(early.body.data).toMatchObject({ length: size })
    const late = await send('profile', form([avatar(png(size)), title]))
    expect(late.body.data).toMatchObject({ length: size, fields: { title: 'Me' } })
  })

  it('accepts lists of files and of fields', async () => {
    const photo = (size: number): Part => ({
      name: 'photos',
      value: png(size),
      filename: 'p',
      type: 'image/png',
    })
    const tag = (value: string) => ({ name: 'tags', value })
    const parts = [tag('a'), photo(20), photo(100_000), photo(30), tag('b')]
    const note = { name: 'notes', value: 'hello', filename: 'n', type: 'text/plain' }
    const many = await send('album', form([...parts, note]))
    expect(many.body.data).toEqual({ tags: ['a', 'b'], photos: [20, 100_000, 30], notes: [5] })
    const one = await send('album', form([photo(20), tag('a')]))
    expect(one.body.data).toEqual({ tags: ['a'], photos: [20], notes: [] })
    // Together, they are larger than the limit for one file.
    const large = await send('album', form([photo(900_000), photo(900_000), photo(900_000)]))
    expect([large.status, large.body.data.photos]).toEqual([200, [900_000, 900_000, 900_000]])
    const four = await send('album', form([photo(20), photo(20), photo(20), photo(20)]))
    expect(four.body.errors).toEqual([
      { in: 'body', path: 'photos', message: 'must be at most 3 files' },
    ])
  })

  it('can be sent with FormData, and an input without a selected file counts as no file', async () => {
    const data = new FormData()
    data.set('title', 'Zoë')
    data.set('avatar', new File([new Uint8Array(png())], 'ä "1".png', { type: 'image/png' }))
    const response = await app.fetch('/uploads/profile', { method: 'POST', body: data })
    const { data: got } = (await response.json()) as { data: object }
    expect(got).toMatchObject({ fields: { title: 'Zoë' }, originalName: 'ä %221%22.png' })
    const none = { name: 'any', value: '', filename: '', type: 'application/octet-stream' }
    const empty = await send('loose', form([none, { name: 'count', value: '3' }]))
    expect(empty.body.data).toEqual({ body: { count: 3 } })
    const missing = await send('profile', form([title, { ...none, name: 'avatar' }]))
    expect(missing.body.errors).toEqual([{ in: 'body', path: 'avatar', message: 'is required' }])
  })

  it('excludes undeclared fields, and shows information about its files in JSON', async () => {
    const { body } = await send(
      'loose',
      form([
        { name: 'other', value: '1' },
        { name: 'any', value: 'abc', filename: 'C:\\folder\\a.txt', type: 'Text/Plain; charset=x' },
        { name: 'count', value: '1' },
      ]),
    )
    expect(body.data.body).toEqual({
      count: 1,
      any: {
        field: 'any',
        name: expect.stringMatching(/^[\da-f-]{36}$/),
        originalName: 'a.txt',
        type: 'text/plain',
        size: 3,
      },
    })
  })
})

describe('an uploaded file', () => {
  const large = form([title, { name: 'age', value: '3' }, avatar(png(150_000))])

  it('is saved under a name that the server chooses', async () => {
    for (const body of [large, form([title, avatar()]), form([avatar(png(150_000)), title])]) {
      const { data } = (await send('save', body)).body
      expect(data.path).toBe(join(folder, data.name))
      expect(readFileSync(data.path).length).toBe(data.size)
      expect(readFileSync(data.path).subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('can have 1,000 parts in addition to its files, and an empty part for each file field', async () => {
    const photos = Array.from({ length: 3 }, () => ({ ...avatar(), name: 'photos' }))
    const notes = ['a', 'b'].map((value) => ({
      ...{ name: 'notes', value, filename: 'a.txt', type: 'text/plain' },
    }))
    const empty = ['photos', 'notes'].map((name) => ({ name, value: '', filename: '' }))
    const tags = (count: number) =>
      Array.from({ length: count }, () => ({ name: 'tags', value: 'a' }))
    const all = [...photos, ...notes, ...empty]
    const { status, body } = await send('album', form([...all, ...tags(1000)]))
    expect([status, body.data?.tags.length]).toEqual([200, 1000])
    const refused = await send('album', form([...all, ...tags(1001)]))
    expect(refused).toMatchObject({ status: 400, body: { code: 'TOO_MANY_PARAMETERS' } })
    expect(refused.body.message).toBe('The form has more than 1007 parts')
  })

  it('can be read as bytes or as a stream, but only once', async () => {
    const { data } = (await send('twice', large)).body
    expect(data).toEqual({
      length: 150_000,
      second:
        "The file 'avatar' has already been read. A file can be read only once: store its bytes, or save it.",
      isSaved: false,
    })
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
    const response = await app.fetch('/uploads/echo', {
      method: 'POST',
      headers: { 'Content-Type': FORM_TYPE },
      body: new Uint8Array(large),
    })
    expect((await response.arrayBuffer()).byteLength).toBe(150_000)
  })

  it('does not have to be read', async () => {
    for (let round = 0; round < 3; round++) {
      expect((await send('ignored', large)).body.data).toEqual({ ignored: true })
    }
  })

  it('results in a 413 response with its field name if it is too large', async () => {
    const errors = [{ in: 'body', path: 'avatar', message: 'must be at most 204800 bytes' }]
    for (const parts of [
      [title, { name: 'age', value: '3' }, avatar(png(205_000))],
      [avatar(png(205_000)), title],
    ]) {
      const { status, body } = await send('profile', form(parts))
      expect([status, body.code, body.errors]).toEqual([413, 'PAYLOAD_TOO_LARGE', errors])
    }
  })

  it.each<[string, Partial<Part>]>([
    ['another declared type', { type: 'image/gif' }],
    ['bytes that do not match its type', { value: 'GIF89a, which is not a PNG' }],
    ['no bytes', { value: '' }],
    ['only a part of the signature of its type', { value: png().subarray(0, 5) }],
    ['the bytes of another type, in a large file', { value: Buffer.alloc(100_000, 'GIF89a') }],
  ])('results in a 415 response if it has %s', async (_, more) => {
    const { status, body } = await send('profile', form([title, avatar(png(), more)]))
    expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    expect(body.errors).toEqual([
      { in: 'body', path: 'avatar', message: 'must be a file of the type image/png' },
    ])
  })

  it('has the declared type if the type has no signature', async () => {
    const photo = { name: 'photos', value: png(), filename: 'p', type: 'image/png' }
    const note = { name: 'notes', value: 'x', filename: 'n', type: 'text/x-own' }
    expect((await send('album', form([photo, note]))).body.data.notes).toEqual([1])
    const html = { ...photo, type: 'text/html' }
    expect((await send('album', form([html]))).status).toBe(415)
  })
})

describe('an invalid upload', () => {
  it('is reported together with the other validation errors before the handler runs', async () => {
    const before = handled
    const { status, body } = await send('profile', form([{ name: 'title', value: 'M' }]))
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(body.errors.map((each: { path: string }) => each.path)).toEqual(['title', 'avatar'])
    const large = await send('profile', form([{ name: 'title', value: 'M' }, avatar(png(100_000))]))
    expect(large.body.errors.map((each: { path: string }) => each.path)).toEqual(['title'])
    expect(handled).toBe(before)
  })

  it.each<[string, Part]>([
    ['avatar', { name: 'avatar', value: 'text' }],
    ['title', { name: 'title', value: 'file', filename: 'f', type: 'text/plain' }],
    ['', { name: 'unknown', value: 'file', filename: 'f', type: 'text/plain' }],
  ])(
    'is refused if a file is sent as a field or the other way round, with the path "%s"',
    async (path, part) => {
      const { status, body } = await send('profile', form([title, part]))
      expect([status, body.errors[0].path]).toEqual([400, path])
    },
  )

  it('is refused if its body has another type or is missing', async () => {
    for (const type of [
      'application/json',
      'multipart/mixed; boundary=a',
      'multipart/form-data-x',
    ]) {
      expect((await send('profile', form([title]), type)).status).toBe(415)
    }
    expect((await send('profile', form([title]), 'multipart/form-data')).status).toBe(400)
    const none = await app.fetch('/uploads/profile', { method: 'POST' })
    expect(await none.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    const packed = await app.fetch('/uploads/profile', {
      method: 'POST',
      headers: { 'Content-Type': FORM_TYPE, 'Content-Encoding': 'gzip' },
      body: new Uint8Array(form([title])),
    })
    expect(packed.status).toBe(415)
  })

  it('is refused if a text field exceeds the body limit', async () => {
    const headers = { Authorization: 'Bearer yes', 'Content-Type': FORM_TYPE }
    const post = (value: string, authorization = 'Bearer yes') =>
      app.fetch('/uploads/guarded', {
        method: 'POST',
        headers: { ...headers, Authorization: authorization },
        body: new Uint8Array(form([{ name: 'title', value }, avatar()])),
      })
    expect((await post('x'.repeat(100))).status).toBe(200)
    expect((await post('x'.repeat(101))).status).toBe(413)
    expect((await post('x'.repeat(101), 'no')).status).toBe(401)
  })
})
