import { type AppOptions, Body, Controller, defineControllers, Post, type Schema } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

function controllersOf(schema: Schema) {
  @Controller('items')
  class ItemsController {
    @Post()
    @Body(schema)
    create() {
      return { created: true }
    }
  }
  return defineControllers(ItemsController)
}

describe('the response to an invalid body', () => {
  const refuse = async (schema: Schema, body: object) => {
    const app = await TestApp.create({ controllers: controllersOf(schema), logger: false })
    const answer = await app.request().post('/items').send(body)
    await app.close()
    expect(answer.status).toBe(400)
    return answer
  }

  it('does not repeat the whole body', async () => {
    const body = { ['k'.repeat(50_000)]: 1, ['\u0001'.repeat(5000)]: 1 }
    const { text } = await refuse(z.strictObject({}), body)
    expect(Buffer.byteLength(text)).toBeLessThan(9000)
    const { errors } = JSON.parse(text)
    expect(errors).toEqual([
      { in: 'body', path: '', message: expect.stringMatching(/^Unrec.{900,}…$/) },
    ])
  })

  it('limits the bytes of an error, not its characters', async () => {
    // As JSON, each of these characters has six bytes.
    const name = '\u0001'.repeat(3000)
    const message = await refuse(z.strictObject({}), { [name]: 1 })
    expect(message.body.errors[0].message).toHaveLength(1000)
    const path = await refuse(z.record(z.string(), z.string()), { [name]: 1 })
    expect(path.body.errors[0].path).toHaveLength(250)
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`${n}`.padEnd(240, '\u0001'), 1]),
    )
    const { text } = await refuse(z.record(z.string(), z.string()), many)
    expect(Buffer.byteLength(text)).toBeLessThan(9000)
  })

  it('truncates long names in paths', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `${n}${'é'.repeat(1000)}`)
    const body = Object.fromEntries(names.map((name) => [name, 1]))
    const { text } = await refuse(
      { type: 'object', additionalProperties: { type: 'string' } },
      body,
    )
    expect(Buffer.byteLength(text)).toBeLessThan(9000)
    const { errors } = JSON.parse(text)
    expect(errors.length).toBeGreaterThan(10)
    expect(errors[0].path).toBe(`0${'é'.repeat(248)}…`)
  })

  it('does not change errors of normal length', async () => {
    const long = z.string({ error: 'm'.repeat(400) })
    const { body } = await refuse(z.object({ a: long, b: long }), {})
    expect(body.errors.map(({ message }: { message: string }) => message.length)).toEqual([
      400, 400,
    ])
  })
})

describe('recursive alternatives', () => {
  it('are refused when their validation becomes too complex', async () => {
    const tree = {
      $ref: '#/$defs/tree',
      $defs: {
        tree: {
          anyOf: ['left', 'right'].map((side) => ({
            properties: { child: { $ref: '#/$defs/tree' }, [side]: { type: 'string' } },
            required: [side],
          })),
        },
      },
    }
    const app = await TestApp.create({ controllers: controllersOf(tree), logger: false })
    let body: object = {}
    for (let depth = 0; depth < 60; depth++) body = { child: body, left: 'x', right: 'x' }
    const answer = await app.request().post('/items').send(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_TOO_COMPLEX'])
    expect((await app.request().post('/items').send({ left: 'x' })).status).toBe(200)
    await app.close()
  })
})

describe('a list in a body schema', () => {
  const Orders = z.object({
    lines: z.array(z.object({ tags: z.array(z.string()), more: z.any() })),
  })
  const warnings = (schema: Schema, limits?: AppOptions['limits']) =>
    bootWarnings({ controllers: controllersOf(schema), ...(limits && { limits }) })

  it('causes a warning if it has no maximum and limits.body allows very many items', async () => {
    const found = await warnings(Orders, { body: '1mb' })
    expect(found.map(({ code, text }) => `${code} ${/'[^']*'/.exec(text)}`)).toEqual([
      "W_LIST_UNBOUNDED 'lines.*.tags'",
    ])
  })

  it.each([
    ['items that can be null', z.array(z.string().min(50).nullable()), { body: '1mb' }],
    ['a limit for one more than 100,000 items', z.array(z.boolean()), { body: 500_005 }],
  ] as [string, Schema, AppOptions['limits']][])(
    'causes a warning with %s',
    async (_what, schema, limits) => {
      const found = await warnings(schema, limits)
      expect(found.map(({ code }) => code)).toEqual(['W_LIST_UNBOUNDED'])
    },
  )

  it('causes a boot error if it has no maximum and `strict` is set', async () => {
    const options = { controllers: controllersOf(z.array(z.number())), limits: { body: '1mb' } }
    const problems = await bootProblems({ ...options, strict: true })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'W_LIST_UNBOUNDED ItemsController.create @Body',
    ])
    expect(problems[0]?.cause).toContain('more than 100,000 items in its list, which')
  })

  it.each([
    ['a maximum', z.array(z.number()).max(1000), { body: '10mb' }],
    ['long items', z.array(z.string().min(50)), { body: '1mb' }],
    ['long lists as items', z.array(z.array(z.number()).min(20).max(30)), { body: '1mb' }],
    ['a limit for exactly 100,000 items', z.array(z.boolean()), { body: 500_000 }],
    ['the default limit', z.array(z.number()), undefined],
    ['a limit near the default limit', z.array(z.number()), { body: '190kb' }],
  ] as [string, Schema, AppOptions['limits']][])(
    'causes no warning with %s',
    async (_what, schema, limits) => {
      expect(await warnings(schema, limits)).toEqual([])
    },
  )
})
