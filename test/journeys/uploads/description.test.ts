import { Body, Controller, file, Get, Limits, Post, type Req, Upload, Webhook } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'
import { FORM_TYPE, form, png } from './form.js'

const Profile = {
  title: z.string().min(2),
  avatar: file({ maxSize: '5kb', types: ['image/png', 'image/jpeg'] }),
  papers: file({ max: 3, optional: true, maxSize: 10 }),
}

@Controller('profiles')
class ProfilesController {
  @Post()
  @Limits({ body: 1000 })
  @Upload(Profile)
  create({ body }: Req<{ upload: typeof Profile }>) {
    return { title: body.title }
  }

  @Get()
  list() {
    return []
  }

  @Post('plain')
  @Upload({ title: z.string() })
  plain({ body }: Req<{ upload: { title: z.ZodString } }>) {
    return { title: body.title }
  }
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({
    controllers: [ProfilesController],
    contract: 'throw',
    errors: { status: { validation: 422 } },
  })
})
afterAll(() => app.close())

describe('the document of an upload', () => {
  it('describes the form, the types of its files, their sizes, and its errors', () => {
    const operation = app.document.paths['/profiles']?.post
    expect(operation?.requestBody).toEqual({
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: {
              title: { type: 'string', minLength: 2 },
              avatar: { type: 'string', format: 'binary' },
              papers: {
                type: 'array',
                items: { type: 'string', format: 'binary' },
                maxItems: 3,
              },
            },
            required: ['title', 'avatar'],
          },
          encoding: {
            avatar: { contentType: 'image/png, image/jpeg' },
          },
          'x-max-file-bytes': { avatar: 5120, papers: 10 },
        },
      },
    })
    expect(Object.keys(operation?.responses ?? {})).toEqual(
      expect.arrayContaining(['400', '413', '415', '422']),
    )
    // Three papers, one avatar, the text, and 64 kB for boundaries and heads.
    const maxBytes = 5120 + 30 + 1000 + 65_536
    expect(operation?.responses['413']).toMatchObject({ 'x-max-body-bytes': maxBytes })
    const plain = app.document.paths['/profiles/plain']?.post
    expect(plain?.requestBody?.content['multipart/form-data']).not.toHaveProperty('encoding')
  })

  it('contains media types in lower case, as they are compared', async () => {
    @Controller('scans')
    class Scans {
      @Post()
      @Upload({ scan: file({ types: ['IMAGE/PNG'] }) })
      create() {
        return 1
      }
    }
    await using other = await TestApp.create({ controllers: [Scans], logger: false })
    const content = other.document.paths['/scans']?.post?.requestBody?.content
    expect(content?.['multipart/form-data']?.encoding).toEqual({
      scan: { contentType: 'image/png' },
    })
    const body = form([{ name: 'scan', value: png(), filename: 'a', type: 'image/png' }])
    const headers = { 'Content-Type': FORM_TYPE }
    const init = { method: 'POST', headers, body: new Uint8Array(body) }
    expect((await other.fetch('/scans', init)).status).toBe(200)
  })

  it('matches the responses: 422 for missing parts, and 400 for a missing form', async () => {
    const send = async (body: Buffer) => {
      const headers = { 'Content-Type': FORM_TYPE }
      const init = { method: 'POST', headers, body: new Uint8Array(body) }
      return (await app.fetch('/profiles', init)).status
    }
    const avatar = { name: 'avatar', value: png(), filename: 'a', type: 'image/png' }
    const title = { name: 'title', value: 'Me' }
    expect(await send(form([title, avatar]))).toBe(200)
    expect(await send(form([title]))).toBe(422)
    expect(await send(form([title, avatar, avatar]))).toBe(422)
    expect(await send(form([title, { ...avatar, name: 'other' }]))).toBe(422)
    expect(await send(Buffer.from('no form'))).toBe(400)
    expect(await send(form([title, { ...avatar, value: png(6000) }]))).toBe(413)
    expect(await send(form([title, { ...avatar, type: 'image/gif' }]))).toBe(415)
    expect(app.contractReport()).toEqual([])
  })
})

it('fuzz() sends forms to all routes', async () => {
  const { skipped, refused } = await app.fuzz({ runs: 60, seed: 1 })
  expect([...skipped, ...refused]).toEqual([])
})

describe('the validation of uploads at boot', () => {
  const problemsOf = (...decorators: readonly (() => unknown)[]) => {
    class Wrong {
      create() {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Wrong.prototype, 'create')
    for (const make of [() => Post(), ...decorators]) {
      const decorate = make() as (...args: unknown[]) => void
      decorate(Wrong.prototype, 'create', descriptor)
    }
    Controller('wrong')(Wrong)
    return bootProblems({ controllers: [Wrong] })
  }
  const upload = Upload as unknown as (...args: unknown[]) => unknown
  const anyFile = file as unknown as (options: unknown) => unknown

  it.each<[string, readonly (() => unknown)[], string]>([
    ['no parts', [() => upload()], 'E_OPTION_INVALID'],
    ['an empty object of parts', [() => upload({})], 'E_OPTION_INVALID'],
    ['a schema in place of parts', [() => upload(z.object({}))], 'E_OPTION_INVALID'],
    ['a file in place of parts', [() => upload(file())], 'E_OPTION_INVALID'],
    ['a part without a schema', [() => upload({ a: undefined })], 'E_SCHEMA_INVALID'],
    ['an invalid size', [() => upload({ a: anyFile({ maxSize: 'x' }) })], 'E_OPTION_INVALID'],
    ['an empty list of types', [() => upload({ a: anyFile({ types: [] }) })], 'E_OPTION_INVALID'],
    [
      'a type outside of a list',
      [() => upload({ a: anyFile({ types: 'image/png' }) })],
      'E_OPTION_INVALID',
    ],
    ['the type */*', [() => upload({ a: anyFile({ types: ['*/*'] }) })], 'E_OPTION_INVALID'],
    [
      'a type with parameters',
      [() => upload({ a: anyFile({ types: ['a/b; c=d'] }) })],
      'E_OPTION_INVALID',
    ],
    ['an invalid `max`', [() => upload({ a: anyFile({ max: 0 }) })], 'E_OPTION_INVALID'],
    ['an invalid `optional`', [() => upload({ a: anyFile({ optional: 1 }) })], 'E_OPTION_INVALID'],
    ['null as file options', [() => upload({ a: anyFile(null) })], 'E_OPTION_INVALID'],
    ['a second @Upload', [() => Upload(Profile), () => Upload(Profile)], 'E_DECORATOR_CONFLICT'],
    [
      '@Body beside @Upload',
      [() => Upload(Profile), () => Body(z.string())],
      'E_DECORATOR_CONFLICT',
    ],
    [
      'a body of bytes beside @Upload',
      [() => Upload(Profile), () => Body({ type: 'bytes' })],
      'E_DECORATOR_CONFLICT',
    ],
    [
      '@Webhook beside @Upload',
      [() => Upload(Profile), () => Webhook({ verify: () => true })],
      'E_DECORATOR_CONFLICT',
    ],
  ])('refuses %s', async (_, decorators, code) => {
    expect((await problemsOf(...decorators)).map((problem) => problem.code)).toContain(code)
  })
})

it('a file outside of a form is never accepted', async () => {
  @Controller('json')
  class JsonController {
    @Post()
    @Body(z.object({ a: z.any() }))
    create() {
      return {}
    }
  }
  const other = await TestApp.create({ controllers: [JsonController] })
  expect(await file()['~standard'].validate({ field: 'a', name: 'b' })).toEqual({
    issues: [{ message: 'must be a file' }],
  })
  expect((await other.request().post('/json').attach('a', Buffer.from('x'), 'x')).status).toBe(415)
  await other.close()
})
