import { Body, Controller, defineControllers, Post, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

let calls = 0

@Controller()
class NotesController {
  @Post('notes')
  @Body(z.object({ title: z.string(), data: z.unknown().optional() }))
  create(req: Request) {
    calls++
    return req.body
  }

  @Post('anything')
  anything(req: Request) {
    calls++
    return { body: req.body }
  }
}

let app: TestApp

beforeEach(async () => {
  calls = 0
  app = await TestApp.create({
    contract: 'throw',
    controllers: defineControllers(NotesController),
    logger: false,
  })
})
afterEach(() => app.close())

function send(body: string | Buffer, path = '/notes') {
  const test = app.request().post(path).set('Content-Type', 'application/json')
  // This serializer prevents supertest from changing the body.
  return test.serialize((data) => data).send(body)
}

/** The response to a body that must not reach the handler. */
async function refusal(body: string | Buffer, path?: string) {
  const answer = await send(body, path)
  expect(calls).toBe(0)
  expect(answer.body).toMatchObject({ statusCode: 'error', status: answer.status })
  return { status: answer.status, code: answer.body.code }
}

const MALFORMED = { status: 400, code: 'MALFORMED_JSON' }

describe('a JSON body', () => {
  it.each([
    '{',
    '{"title":}',
    "{'title':'x'}",
    '{"title":"x",}',
    '[1,]',
    'NaN',
    'undefined',
    '{"title":"x"} trailing',
    '\u0000',
    '   ',
    '"\t"',
    '01',
    '{"a" "b"}',
  ])('results in a 400 response if it is malformed: %j', async (body) => {
    expect(await refusal(body)).toEqual(MALFORMED)
    expect(await refusal(body, '/anything')).toEqual(MALFORMED)
  })

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong encoding of a slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['an incomplete UTF-8 sequence', [0xe2, 0x82]],
    ['UTF-16 bytes', [0x00, 0x61]],
  ])('results in a 400 response if a string contains %s', async (_, bytes) => {
    const [head, tail] = [Buffer.from('{"title":"'), Buffer.from('"}')]
    expect(await refusal(Buffer.concat([head, Buffer.from(bytes), tail]))).toEqual(MALFORMED)
  })

  it('results in a 400 response if it is empty and the route has @Body', async () => {
    expect(await refusal('')).toEqual(MALFORMED)
    expect((await send('', '/anything')).status).toBe(200)
    const headers = { 'content-type': 'application/json' }
    const answer = await app.fetch('/notes', { method: 'POST', headers })
    expect(await answer.json()).toMatchObject({ code: 'MALFORMED_JSON' })
  })

  it('is accepted with a byte order mark', async () => {
    const { status, body } = await send('\ufeff{"title":"x"}')
    expect({ status, data: body.data }).toEqual({ status: 200, data: { title: 'x' } })
  })
})

describe('JSON keys that could change prototypes', () => {
  const payloads = [
    '{"__proto__":{"x":1}}',
    '{"title":"x","__proto__":null}',
    '{"\\u005f_proto__":{"x":1}}',
    '{"\\u005F\\u005fpr\\u006Fto\\u005f_":{"x":1}}',
    '{"__proto__" \n\t :{"x":1}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"c\\u006fnstructor":{"protot\\u0079pe":{"x":1}}}',
    '[[{"__proto__":{"x":1}}]]',
    '{"a":{"b":{"c":{"d":{"__proto__":{"x":1}}}}}}',
    '{"a":[0,{"b":[{"constructor":{"prototype":{"x":1}}}]}]}',
  ]

  it.each(payloads)('are refused: %s', async (body) => {
    expect(await refusal(body)).toEqual(MALFORMED)
    expect(await refusal(body, '/anything')).toEqual(MALFORMED)
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it('are accepted as string values, and `constructor` is accepted without `prototype`', async () => {
    const data = { text: '"__proto__":', constructor: 'Wayne & Sons' }
    const { status, body } = await send(JSON.stringify({ title: 'x', data }))
    expect({ status, data: body.data.data }).toEqual({ status: 200, data })
  })
})

describe('the nesting of a JSON body', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

  it('is accepted up to 64 levels and refused at 65 levels', async () => {
    expect((await send(nested(64), '/anything')).status).toBe(200)
    calls = 0
    expect(await refusal(nested(65), '/anything')).toEqual(MALFORMED)
  })

  it('is refused at tens of thousands of levels, even if arrays or objects are unclosed', async () => {
    const bodies = [nested(50_000), '['.repeat(50_000), '{"a":'.repeat(20_000)]
    for (const body of bodies) expect(await refusal(body)).toEqual(MALFORMED)
  })

  it('is not increased by brackets in strings, even with escaped quotes and backslashes', async () => {
    const data = `${'['.repeat(500)}"\\${'{'.repeat(500)}`
    const { status, body } = await send(JSON.stringify({ title: 'x', data }))
    expect({ status, data: body.data.data }).toEqual({ status: 200, data })
  })

  it('is not reduced by closing brackets in strings', async () => {
    const body = `[${`"${']'.repeat(200)}",`}${nested(64)}]`
    expect(await refusal(body)).toEqual(MALFORMED)
  })
})

describe('unusual JSON values', () => {
  it('include duplicate keys, of which the schema and the handler receive the last value', async () => {
    const { body } = await send('{"title":1,"title":"last"}')
    expect(body.data).toEqual({ title: 'last' })
    expect((await send('{"title":"first","title":2}')).status).toBe(400)
  })

  it('are refused if a number is infinite or another type is sent instead of a number', async () => {
    const controller = defineControllers(CountController)
    const counts = await TestApp.create({
      contract: 'throw',
      controllers: controller,
      logger: false,
    })
    const answerTo = async (count: string) => {
      const type = { 'Content-Type': 'application/json' }
      const text = `{"count":${count}}`
      return (await counts.request().post('/count').set(type).send(text)).body
    }
    for (const count of ['1e400', '-1e400']) {
      expect(await answerTo(count)).toMatchObject({ status: 400, code: 'MALFORMED_JSON' })
    }
    for (const count of ['"1"', '[]', 'null', '{}', '[1]', 'true']) {
      const errors = [{ in: 'body', path: 'count' }]
      expect(await answerTo(count)).toMatchObject({ status: 400, errors })
    }
    await counts.close()
  })

  it('can be objects with keys that have a meaning in JavaScript', async () => {
    const data = {
      then: 'x',
      toJSON: 'x',
      hasOwnProperty: 'x',
      toString: null,
      valueOf: 1,
      length: -1,
      constructor: {},
      prototype: {},
    }
    for (const path of ['/notes', '/anything']) {
      const { status, body } = await send(JSON.stringify({ title: 'x', data, ...data }), path)
      expect(status).toBe(200)
      expect((body.data.body ?? body.data).data).toEqual(data)
    }
  })

  it('result in a 400 response with at most 20 errors, even for 5,000 invalid items', async () => {
    const lists = await TestApp.create({
      contract: 'throw',
      controllers: defineControllers(CountController),
      logger: false,
    })
    const { status, body, text } = await lists
      .request()
      .post('/counts')
      .send(Array.from({ length: 5000 }, () => 'wrong'))
    expect(status).toBe(400)
    expect(body.errors).toHaveLength(20)
    expect(text.length).toBeLessThan(8192)
    await lists.close()
  })
})

@Controller()
class CountController {
  @Post('count')
  @Body(z.object({ count: z.number() }))
  count(req: Request) {
    return req.body
  }

  @Post('counts')
  @Body(z.array(z.number()))
  counts(req: Request) {
    return req.body
  }
}
