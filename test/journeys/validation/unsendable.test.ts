import { type } from 'arktype'
import {
  App,
  Body,
  type Class,
  Controller,
  Cookies,
  Get,
  Post,
  Query,
  type Schema,
  Upload,
  Use,
} from 'blazon'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootWarnings } from '../../support.js'

type Place = 'query' | 'params' | 'headers' | 'cookies'

/** A route with one field in a part of the request. */
function routeWith(place: Place, schema: Schema): Class {
  const path = place === 'params' ? ':a' : ''
  const options = { [place]: schema } as { query: Schema }
  @Controller('x')
  class XController {
    @Get(path, options)
    read() {
      return 'read'
    }
  }
  return XController
}

const NAMES = { query: 'a', params: 'a', headers: 'x-a', cookies: 'a' } as const

/** The status of a request with a text in the field, and what boot says about the field. */
async function outcome(place: Place, schema: Schema, text: string) {
  const warnings: [{ code: string }, string][] = []
  const logger = {
    info() {},
    error() {},
    warn: (...line: [{ code: string }, string]) => warnings.push(line),
  }
  const app = await App.create({ controllers: [routeWith(place, schema)], logger })
  const value = encodeURIComponent(text)
  const path = { params: `/x/${value}`, query: `/x?a=${value}`, headers: '/x', cookies: '/x' }
  const headers = {
    ...(place === 'headers' && { 'x-a': text }),
    ...(place === 'cookies' && { cookie: `a=${value}` }),
  }
  const { status } = await app.fetch(new Request(`http://localhost${path[place]}`, { headers }))
  await app.close()
  const found = warnings.filter(([{ code }]) => code === 'W_INPUT_UNSENDABLE')
  return { isAccepted: status === 200, texts: found.map(([, line]) => line) }
}

const inObject = {
  zod: (place: Place, field: z.ZodType) => z.object({ [NAMES[place]]: field }),
  valibot: (place: Place, field: v.GenericSchema) => v.object({ [NAMES[place]]: field }),
  arktype: (place: Place, field: unknown) => type({ [NAMES[place]]: field as string }),
  json: (place: Place, field: object) => ({
    type: 'object',
    properties: { [NAMES[place]]: field },
    required: [NAMES[place]],
  }),
} as const

const DATE = '2026-01-02T03:04:05.000Z'

/** A schema of a field that no text satisfies, a text, the schema that the warning recommends, and a part of the warning. */
type Mistake = readonly [
  library: keyof typeof inObject,
  bad: unknown,
  text: string,
  good: unknown,
  part: string,
]

const MISTAKES: readonly Mistake[] = [
  ['zod', z.number(), '7', z.coerce.number(), 'z.coerce.number()'],
  ['zod', z.int().optional(), '7', z.coerce.number().int().optional(), 'a number'],
  ['zod', z.number().nullable().default(1), '7', z.coerce.number().nullable(), 'a number'],
  ['zod', z.boolean(), 'true', z.stringbool(), 'z.stringbool()'],
  [
    'zod',
    z.date(),
    DATE,
    z.iso.datetime().transform((text) => new Date(text)),
    'z.iso.datetime().transform((text) => new Date(text))',
  ],
  ['zod', z.bigint(), '7', z.coerce.bigint(), 'z.coerce.bigint()'],
  ['zod', z.literal([1, 2]), '2', z.coerce.number().pipe(z.literal([1, 2])), 'z.literal([1, 2])'],
  [
    'zod',
    z.enum({ Low: 1, High: 2 }),
    '2',
    z.coerce.number().pipe(z.enum({ Low: 1, High: 2 })),
    '1 or 2',
  ],
  [
    'zod',
    z.union([z.number(), z.literal('all')]),
    '7',
    z.union([z.coerce.number(), z.literal('all')]),
    'a number',
  ],
  ['zod', z.number().transform(String), '7', z.coerce.number().transform(String), 'a number'],
  ['valibot', v.number(), '7', v.pipe(v.string(), v.toNumber()), 'v.toNumber()'],
  [
    'valibot',
    v.optional(v.boolean()),
    'true',
    v.pipe(
      v.picklist(['true', 'false']),
      v.transform((text) => text === 'true'),
    ),
    "v.picklist(['true', 'false'])",
  ],
  ['valibot', v.date(), DATE, v.pipe(v.string(), v.toDate()), 'v.toDate()'],
  ['valibot', v.bigint(), '7', v.pipe(v.string(), v.toBigint()), 'v.toBigint()'],
  [
    'valibot',
    v.picklist([1, 2]),
    '2',
    v.pipe(v.string(), v.toNumber(), v.picklist([1, 2])),
    'v.picklist([1, 2])',
  ],
  ['valibot', v.union([v.literal(1), v.literal('a')]), '1', v.picklist(['1', 'a']), 'the number 1'],
  ['arktype', 'number', '7', 'string.numeric.parse', "'string.numeric.parse'"],
  [
    'arktype',
    'boolean',
    'true',
    type("'true' | 'false'").pipe((text) => text === 'true'),
    "'true' | 'false'",
  ],
  ['arktype', 'Date', DATE, 'string.date.parse', "'string.date.parse'"],
  ['arktype', 'bigint', '7', type('string.integer').pipe(BigInt), '.pipe(BigInt)'],
  ['arktype', '1 | 2', '2', type('string.numeric.parse').to('1 | 2'), "to('1 | 2')"],
  ['json', { enum: [1, 'all'] }, '1', { enum: ['1', 'all'] }, 'Write the values as strings'],
]

describe('an input that no request can satisfy', () => {
  it.each(MISTAKES.map((mistake, index) => ({ name: `${mistake[0]} ${index}`, mistake })))(
    'causes a warning that suggests a schema for it: $name',
    async ({ mistake: [library, bad, text, good, part] }) => {
      const make = inObject[library] as (place: Place, field: unknown) => Schema
      const refused = await outcome('query', make('query', bad), text)
      expect(refused.isAccepted).toBe(false)
      expect(refused.texts).toEqual([expect.stringContaining(part)])
      expect(refused.texts[0]).toContain("XController.read `query` in @Get() at 'a'")
      const accepted = await outcome('query', make('query', good), text)
      expect(accepted).toEqual({ isAccepted: true, texts: [] })
    },
  )

  it.each(['params', 'headers', 'cookies'] as const)('causes a warning in %s', async (place) => {
    const number = await outcome(place, inObject.zod(place, z.number()), '7')
    expect(number.isAccepted).toBe(false)
    expect(number.texts).toEqual([expect.stringContaining(`at '${NAMES[place]}'`)])
    const lists = [
      inObject.zod(place, z.array(z.string())),
      inObject.valibot(place, v.array(v.string())),
      inObject.arktype(place, 'string[]'),
      inObject.json(place, { type: 'array', minItems: 2 }),
      inObject.json(place, { type: 'object' }),
    ]
    for (const list of lists) {
      const { isAccepted, texts } = await outcome(place, list, 'a')
      expect(isAccepted).toBe(false)
      expect(texts).toEqual([expect.stringMatching(/requires (a list|an object)/)])
    }
  })

  it('causes a warning for the items of a list, and for a key of @Query', async () => {
    @Controller('x')
    class XController {
      @Get()
      @Query('ids', z.array(z.number()))
      @Query('page', { type: 'integer' })
      @Query('size', v.number())
      read() {}
    }
    const warnings = await bootWarnings({ controllers: [XController] })
    expect(warnings.map(({ text }) => / at '([^']*)'/.exec(text)?.[1])).toEqual(['ids.*', 'size'])
  })

  it('causes a warning for fields of forms', async () => {
    @Controller('x')
    class XController {
      @Post('form')
      @Body(z.object({ age: z.number(), tags: z.array(z.string()) }), { type: 'form' })
      form() {}

      @Post('upload')
      @Upload({ count: v.number(), title: v.string() })
      upload() {}

      @Post('text')
      @Body(z.number(), { type: 'text' })
      text() {}
    }
    const warnings = await bootWarnings({ controllers: [XController] })
    const texts = warnings.map(({ text }) => text)
    expect(texts).toHaveLength(3)
    expect(texts[0]).toContain("at 'age'")
    expect(texts[1]).toContain("at 'count'")
    expect(texts[2]).toContain('the body is a string')
  })

  it('causes a warning in a JSON body for values that only JavaScript can create', async () => {
    @Controller('x')
    class XController {
      @Post()
      @Body(
        z.object({
          at: z.date(),
          lines: z.array(z.object({ photo: z.file().optional() })),
          tags: z.set(z.string()),
          times: z.record(z.string(), z.date()),
          pair: z.tuple([z.string(), z.bigint()]),
        }),
      )
      create() {}

      @Post('valibot')
      @Body(v.object({ photo: v.file(), amount: v.bigint() }))
      valibot() {}

      @Post('arktype')
      @Body(type({ photo: 'File', at: 'Date' }))
      arktype() {}
    }
    const warnings = await bootWarnings({ controllers: [XController] })
    const places = warnings
      .filter(({ code }) => code === 'W_INPUT_UNSENDABLE')
      .map(({ text }) => /at '([^']*)'.*requires a (\w+)/s.exec(text)?.slice(1).join(' '))
    expect(places).toEqual([
      'at Date',
      'lines.*.photo File',
      'tags Set',
      'times.* Date',
      'pair.* bigint',
      'photo File',
      'amount bigint',
      'at Date',
      'photo File',
    ])
    expect(warnings[1]?.text).toContain('@Upload')
  })
})

describe('an input that a request can satisfy', () => {
  it.each([
    ['constants of JSON Schema', 'query', { enum: [1, 2] }, '2'],
    ['a constant of JSON Schema', 'params', { const: 1 }, '1'],
    ['a boolean constant of JSON Schema', 'headers', { const: true }, 'true'],
    ['an enum of TypeBox', 'query', Type.Enum({ Low: 1, High: 2 }), '2'],
    ['literals of TypeBox', 'cookies', Type.Union([Type.Literal(1), Type.Literal('a')]), '1'],
    ['a list of one constant', 'query', { type: 'array', items: { enum: [1, 2] } }, '2'],
    ['a list of JSON Schema in a header', 'headers', { type: 'array' }, 'a'],
    ['a list of at least one item in a header', 'headers', { type: 'array', minItems: 1 }, 'a'],
    ['a number of JSON Schema', 'params', { type: 'number' }, '1.5'],
  ] as const)('is converted: %s', async (_, place, field, text) => {
    const schema = inObject.json(place, field)
    expect(await outcome(place, schema, text)).toEqual({ isAccepted: true, texts: [] })
  })

  it.each([
    ['a number or any text', z.union([z.number(), z.string()])],
    ['anything', z.any()],
    ['a preprocessed number', z.preprocess(Number, z.number())],
    ['a text with a date', z.iso.datetime()],
    ['a date or its text', z.union([z.date(), z.string()])],
    ['a list of texts', z.array(z.string())],
    ['a codec', z.codec(z.string(), z.number(), { decode: Number, encode: String })],
    ['a boolean that is coerced', z.coerce.boolean()],
    ['null or a text', z.string().nullable()],
  ])('causes no warning: %s', async (_, field) => {
    const { texts } = await outcome('query', z.object({ a: field }), DATE)
    expect(texts).toEqual([])
  })

  it('causes no warning if the application itself converts the schemas of the library', async () => {
    @Controller('x')
    class XController {
      @Get()
      @Query(z.object({ a: z.number() }))
      read() {}
    }
    const options = { controllers: [XController] }
    expect(await bootWarnings(options)).toHaveLength(1)
    const properties = { a: { type: 'number' } } as const
    const converters = { zod: () => ({ type: 'object', properties }) as const }
    expect(await bootWarnings({ ...options, swagger: { converters } })).toEqual([])
  })

  it('causes no warning if application code creates the value', async () => {
    const nested = z.object({ a: z.object({ b: z.number() }) })
    @Controller('x')
    class XController {
      @Get()
      @Query(z.object({ a: z.number() }))
      read() {}

      @Post()
      @Use((req, _res, next) => {
        req.body = { photo: new File([], 'a') }
        next()
      })
      @Body(z.object({ photo: z.file() }))
      create() {}

      @Get('cookie')
      @Cookies(nested, { signed: ['a'] })
      cookie() {}
    }
    const warnings: object[] = []
    const logger = { info() {}, error() {}, warn: (facts: object) => warnings.push(facts) }
    const cookies = { keys: ['a key of at least thirty-two characters'] }
    const app = new App({ controllers: [XController], logger, cookies })
    app.express.set('query parser', () => ({ a: 1 }))
    await app.init()
    const read = await app.fetch(new Request('http://localhost/x?a=1'))
    const created = await app.fetch(new Request('http://localhost/x', { method: 'POST' }))
    await app.close()
    expect([read.status, created.status]).toEqual([204, 204])
    expect(warnings).toEqual([])
  })
})
