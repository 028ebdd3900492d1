import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { App, Body, Controller, Limits, Post, Put, type Req, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const Order = z.object({ item: z.string().min(1), count: z.coerce.number().int().default(1) })
const Tags = z.object({ tag: z.array(z.string()) })
const AGE = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] } as const
const described = {
  body: [
    { schema: Order, type: 'form', limit: 60 },
    { type: 'text', contentType: ['text/csv', 'text/tab-separated-values'] },
  ],
} as const

@Controller('bodies')
class BodiesController {
  @Post('form')
  @Body(Order, { type: 'form' })
  form(req: Req<{ body: typeof Order }>) {
    return req.body
  }

  @Post('tags')
  @Body(Tags, { type: ['json', 'form'] })
  tags(req: Req<{ body: typeof Tags }>) {
    return req.body
  }

  @Post('age')
  @Body(AGE, { type: 'form' })
  age(req: Req<{ body: typeof AGE }>) {
    return req.body
  }

  @Post('raw-form')
  @Body({ type: 'form' })
  rawForm(req: Request) {
    return { ...req.body }
  }

  @Post('text')
  @Body(z.string().max(5), { type: 'text' })
  text(req: Req<{ body: z.ZodString }>) {
    return { text: req.body }
  }

  @Put('bytes')
  @Limits({ body: 9 })
  @Body({ type: 'bytes', contentType: ['image/*', 'application/octet-stream'] })
  bytes(req: Req<{ body: { type: 'bytes' } }>) {
    return { hex: req.body.toString('hex') }
  }

  @Put('anything')
  @Body({ type: 'bytes', contentType: '*/*', limit: 8 })
  anything(req: Req<{ body: { type: 'bytes' } }>) {
    return { size: req.body.length }
  }

  @Post('many')
  @Body(Order)
  @Body(Order, { type: 'form' })
  @Body({ type: 'text', limit: 10 })
  many(req: Request) {
    return { got: req.body }
  }

  @Post('options', described)
  options({ body }: Req<typeof described>) {
    return typeof body === 'string' ? { csv: body } : { item: body.item }
  }

  @Post('json')
  @Body(Order, { limit: 40 })
  json(req: Req<{ body: typeof Order }>) {
    return req.body
  }
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({ controllers: [BodiesController], contract: 'throw' })
})
afterAll(() => app.close())

/** Sends bytes, so that nothing adds a type or changes the body. */
async function send(path: string, body: string | Buffer, type?: string, method = 'POST') {
  const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type }
  const bytes = new Uint8Array(Buffer.from(body))
  const response = await app.fetch(`/bodies/${path}`, { method, headers, body: bytes })
  return { status: response.status, body: JSON.parse(await response.text()) }
}
const FORM = 'application/x-www-form-urlencoded'

describe('a form body', () => {
  it('is validated and coerced like a query', async () => {
    const { body } = await send('form', 'item=a+b%20%C3%A9&count=3', FORM)
    expect(body.data).toEqual({ item: 'a b é', count: 3 })
    expect((await send('age', 'age=30', FORM)).body.data).toEqual({ age: 30 })
    // One value becomes a list where the schema wants one.
    expect((await send('tags', 'tag=a', FORM)).body.data).toEqual({ tag: ['a'] })
    expect((await send('tags', 'tag=a&tag=b', FORM)).body.data).toEqual({ tag: ['a', 'b'] })
    expect((await send('tags', '{"tag":["a"]}', 'application/json')).body.data.tag).toEqual(['a'])
    // JSON is not coerced.
    expect((await send('tags', '{"tag":"a"}', 'application/json')).status).toBe(400)
  })

  it('is refused with the names of the invalid fields', async () => {
    const { status, body } = await send('form', 'count=x', FORM)
    expect(status).toBe(400)
    expect(body.code).toBe('VALIDATION_FAILED')
    expect(body.errors.map((each: { in: string; path: string }) => [each.in, each.path])).toEqual([
      ['body', 'item'],
      ['body', 'count'],
    ])
    expect((await send('age', 'age=x', FORM)).body.errors[0]).toMatchObject({ path: 'age' })
    // A scalar that is repeated is not one of its values.
    expect((await send('form', 'item=a&item=b', FORM)).status).toBe(400)
  })

  it('keeps all values of a name in their order, and decodes names like values', async () => {
    const { body } = await send('raw-form', 'a+b=1&x=y&a%20b=2&a+b=3', FORM)
    expect(body.data).toEqual({ 'a b': ['1', '2', '3'], x: 'y' })
  })

  it('can have names with up to five brackets', async () => {
    const { body } = await send('raw-form', 'a[b][c][d][e][f]=1', FORM)
    expect(body.data).toEqual({ 'a[b][c][d][e][f]': '1' })
    expect((await send('raw-form', 'a[b][c][d][e][f][g]=1', FORM)).status).toBe(400)
  })

  it('keeps names with brackets, and names of built-in properties such as toString', async () => {
    const { body } = await send('raw-form', 'a[b]=1&toString=2&empty&=x&&a[b]=3', FORM)
    expect(body.data).toEqual({ 'a[b]': ['1', '3'], toString: '2', empty: '', '': 'x' })
    expect((await send('raw-form', '', FORM)).body.data).toEqual({})
  })

  it.each([
    ['__proto__=1'],
    ['a[__proto__]=1'],
    ['%5F_proto__=1'],
    ['constructor[prototype]=1'],
    ['constructor.prototype.x=1'],
    ['a[b][c][d][e][f][g]=1'],
    ['a=%ff'],
    ['a=%'],
    ['%zz=1'],
  ])('is refused if it is malicious: %s', async (text) => {
    const { status, body } = await send('raw-form', text, FORM)
    expect([status, body.code]).toEqual([400, 'MALFORMED_BODY'])
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('is refused if it has too many fields or bytes that are not valid UTF-8', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=1`).join('&')
    expect((await send('raw-form', many(1000), FORM)).status).toBe(200)
    expect((await send('raw-form', many(10_000), FORM)).body.code).toBe('TOO_MANY_PARAMETERS')
    expect((await send('raw-form', many(1001), FORM)).status).toBe(400)
    const bytes = await send('raw-form', Buffer.from([0x61, 0x3d, 0xff]), FORM)
    expect(bytes.body.code).toBe('MALFORMED_BODY')
  })

  it.each([
    ['application/json'],
    ['text/plain'],
    ['multipart/form-data; boundary=x'],
    [`${FORM}; charset=latin1`],
    [`${FORM} x`],
    [undefined],
  ])('is refused with 415 if its Content-Type is %s', async (type) => {
    const { status, body } = await send('form', 'item=a', type)
    expect(status).toBe(415)
    expect(body.message).toContain(FORM)
  })

  it('is accepted if its type has a UTF-8 charset, capital letters or a trailing semicolon', async () => {
    for (const type of [
      `${FORM}; charset=UTF-8`,
      `${FORM}; charset=utf8`,
      FORM.toUpperCase(),
      `${FORM};`,
    ]) {
      expect((await send('form', 'item=a', type)).status).toBe(200)
    }
  })
})

describe('text and binary bodies', () => {
  it('are passed to the handler as a validated string if they are text', async () => {
    expect((await send('text', 'häl', 'text/plain; charset=utf-8')).body.data).toEqual({
      text: 'häl',
    })
    expect((await send('text', 'too long', 'text/plain')).body.errors[0].in).toBe('body')
    expect((await send('text', Buffer.from([0xff]), 'text/plain')).body.code).toBe('MALFORMED_BODY')
    expect((await send('text', 'a', 'text/plain; charset=utf-16')).status).toBe(415)
    expect((await send('text', '', 'text/plain')).body.data).toEqual({ text: '' })
  })

  it('are passed to the handler as unchanged bytes if they are binary', async () => {
    const bytes = Buffer.from([0, 255, 1, 254])
    for (const type of ['image/png', 'IMAGE/x', 'application/octet-stream; charset=latin1']) {
      expect((await send('bytes', bytes, type, 'PUT')).body.data).toEqual({ hex: '00ff01fe' })
    }
    expect((await send('bytes', bytes, 'text/plain', 'PUT')).status).toBe(415)
    expect((await send('bytes', Buffer.alloc(10), 'image/png', 'PUT')).status).toBe(413)
  })

  it('are refused when they are missing, with or without a schema', async () => {
    for (const path of ['raw-form', 'text', 'bytes', 'anything']) {
      const method = path === 'bytes' || path === 'anything' ? 'PUT' : 'POST'
      const response = await app.fetch(`/bodies/${path}`, { method })
      expect(await response.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    }
  })

  it('are accepted by a route for any type if the request declares no type', async () => {
    const response = await app.fetch('/bodies/anything', {
      method: 'PUT',
      body: new Uint8Array([1, 2, 3]),
    })
    expect(((await response.json()) as { data: unknown }).data).toEqual({ size: 3 })
    expect((await send('anything', Buffer.alloc(9), 'a/b', 'PUT')).status).toBe(413)
  })
})

describe('several body types on one route', () => {
  it('are distinguished by Content-Type', async () => {
    const order = { got: { item: 'a', count: 2 } }
    expect((await send('many', 'item=a&count=2', FORM)).body.data).toEqual(order)
    for (const type of [
      'application/json',
      'application/vnd.api+json',
      'application/json; profile="x"',
      'application/json;',
    ]) {
      expect((await send('many', '{"item":"a","count":2}', type)).body.data).toEqual(order)
    }
    expect((await send('many', 'item=a', 'text/plain')).body.data).toEqual({ got: 'item=a' })
    for (const type of ['application/xml', 'text/x+json', 'application/a+b+json']) {
      expect((await send('many', '{"item":"a"}', type)).status).toBe(415)
    }
  })

  it('have separate limits', async () => {
    expect((await send('many', 'x'.repeat(11), 'text/plain')).status).toBe(413)
    expect((await send('many', `item=${'x'.repeat(11)}`, FORM)).status).toBe(200)
    expect((await send('options', `item=${'x'.repeat(60)}`, FORM)).status).toBe(413)
    expect((await send('options', 'a,b', 'text/csv')).body.data).toEqual({ csv: 'a,b' })
    expect((await send('options', 'item=a', FORM)).body.data).toEqual({ item: 'a' })
    expect(
      (await send('json', JSON.stringify({ item: 'x'.repeat(40) }), 'application/json')).status,
    ).toBe(413)
  })

  it('can include JSON, for which an empty body is malformed and a missing body is invalid', async () => {
    const empty = await send('many', '', 'application/json')
    expect(empty.body.code).toBe('MALFORMED_JSON')
    const missing = await app.fetch('/bodies/many', { method: 'POST' })
    expect(((await missing.json()) as { code: string }).code).toBe('VALIDATION_FAILED')
  })

  it.each([['text/plain'], [FORM], ['application/json'], ['application/xml']])(
    'result in a validation by the first type if the body is missing and the Content-Type is %s',
    async (type) => {
      // Other clients add `Content-Length: 0`, which is an empty body.
      const app = new App({ controllers: [BodiesController], logger: false })
      const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
      const socket = connect(port, '127.0.0.1')
      socket.write(
        `POST /bodies/many HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\n\r\n`,
      )
      const response = await text(socket)
      expect(response).toMatch(/^HTTP\/1.1 400 /)
      expect(response).toContain('VALIDATION_FAILED')
      await app.close()
    },
  )
})

it('the limit of a body does not replace the other limits of its route', async () => {
  @Controller('limited')
  class Limited {
    @Post()
    @Limits({ depth: 2 })
    @Body(z.any(), { limit: 40 })
    add() {
      return 1
    }
  }
  await using limited = await TestApp.create({ controllers: [Limited], logger: false })
  const send = async (body: object) => (await limited.request().post('/limited').send(body)).status
  expect(await send({ a: [1] })).toBe(200)
  expect(await send({ a: [[1]] })).toBe(400)
  expect(await send({ a: 'x'.repeat(40) })).toBe(413)
})

it('the document lists each body type, its limit and the 415 response', () => {
  const { paths } = app.document
  const many = paths['/bodies/many']?.post
  expect(Object.keys(many?.requestBody?.content ?? {})).toEqual([
    'application/json',
    FORM,
    'text/plain',
  ])
  expect(many?.requestBody?.content['text/plain']).toEqual({
    schema: { type: 'string' },
    'x-max-body-bytes': 10,
  })
  expect(many?.responses).toHaveProperty('415')
  const bytes = paths['/bodies/bytes']?.put?.requestBody?.content
  expect(bytes).toEqual({
    'image/*': { schema: { type: 'string', format: 'binary' } },
    'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
  })
  expect(paths['/bodies/json']?.post?.responses['413']).toMatchObject({ 'x-max-body-bytes': 40 })
  expect(paths['/bodies/anything']?.put?.responses['413']).toMatchObject({ 'x-max-body-bytes': 8 })
})

describe('the validation of body decorators at boot', () => {
  const problemsOf = (...decorators: readonly (() => unknown)[]) => {
    class Wrong {
      create() {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Wrong.prototype, 'create')
    // Applied as the legacy dialect applies them, so that wrong arguments need no types.
    for (const make of [() => Post(), ...decorators]) {
      const decorate = make() as (...args: unknown[]) => void
      decorate(Wrong.prototype, 'create', descriptor)
    }
    Controller('wrong')(Wrong)
    return bootProblems({ controllers: [Wrong] })
  }
  const body = Body as unknown as (...args: unknown[]) => unknown

  it.each<[string, readonly (() => unknown)[], string]>([
    ['an unknown type', [() => body(Order, { type: 'xml' })], 'E_OPTION_INVALID'],
    ['no type', [() => body(Order, { type: [] })], 'E_OPTION_INVALID'],
    ['an invalid limit', [() => body(Order, { limit: '1 potato' })], 'E_OPTION_INVALID'],
    [
      'a range of types for a form',
      [() => body(Order, { type: 'form', contentType: 'a/*' })],
      'E_OPTION_INVALID',
    ],
    [
      'a type with parameters',
      [() => body({ type: 'text', contentType: 'text/csv; a=b' })],
      'E_OPTION_INVALID',
    ],
    [
      'a type for one field of the body',
      [() => body('name', Order, { type: 'form' })],
      'E_OPTION_INVALID',
    ],
    [
      'a JSON Schema for bytes',
      [() => body({ type: 'string' }, { type: 'bytes' })],
      'E_OPTION_INVALID',
    ],
    ['no schema', [() => body(undefined, { type: 'form' })], 'E_SCHEMA_INVALID'],
    [
      'fields without a schema around them',
      [() => body({ a: z.string() }, { type: 'form' })],
      'E_SCHEMA_INVALID',
    ],
    [
      'one type twice',
      [() => body({ type: 'text' }), () => body({ type: 'text' })],
      'E_INPUT_TWICE',
    ],
    ['JSON twice', [() => body(Order), () => body(Order, { type: 'json' })], 'E_INPUT_TWICE'],
  ])('refuses %s', async (_, decorators, code) => {
    expect((await problemsOf(...decorators)).map((problem) => problem.code)).toEqual([code])
  })

  it('reports an empty list of types', async () => {
    const [problem] = await problemsOf(() => body(Order, { type: [] }))
    expect(problem?.cause).toBe('Its list of body types is empty.')
  })

  it('names the method whose JSON Schema does not compile', async () => {
    const problems = await problemsOf(() => body({ type: 'object', required: 1 }, { type: 'form' }))
    expect(problems[0]).toMatchObject({ code: 'E_SCHEMA_INVALID', subject: 'Wrong.create' })
  })
})

it('@Body on an overriding method replaces the body types of the original method', async () => {
  @Controller('derived')
  class Derived extends BodiesController {
    @Body(z.object({ only: z.string() }))
    override form(req: Request) {
      return req.body
    }
  }
  const other = await TestApp.create({ controllers: [Derived] })
  const send = () => other.request().post('/derived/form')
  expect((await send().send({ only: 'json' })).body.data).toEqual({ only: 'json' })
  expect((await send().type('form').send('item=a')).status).toBe(415)
  await other.close()
})
