import { type } from 'arktype'
import { App, Controller, Get, Query, type Request, type Schema } from 'blazon'
import Type from 'typebox'
import * as v from 'valibot'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../../src/cli/client/emit-client.js'
import { importClient } from '../../cli/import-client.js'

const texts = { type: 'array', items: { type: 'string' } }
const Item = z.object({ sku: z.string(), tags: z.array(z.string()).optional() })

/** `ids` and `filter.tags` are lists, `lines` is a list of objects with lists, `by` is a record of lists. */
const SCHEMAS: Record<string, Schema> = {
  zod: z.object({
    ids: z.array(z.string()).optional(),
    filter: z.object({ tags: z.array(z.string()).optional(), q: z.string().optional() }).optional(),
    lines: z.array(Item).optional(),
    by: z.record(z.string(), z.array(z.string())).optional(),
  }),
  valibot: v.object({
    ids: v.optional(v.array(v.string())),
    filter: v.optional(
      v.object({ tags: v.optional(v.array(v.string())), q: v.optional(v.string()) }),
    ),
    lines: v.optional(
      v.array(v.object({ sku: v.string(), tags: v.optional(v.array(v.string())) })),
    ),
    by: v.optional(v.record(v.string(), v.array(v.string()))),
  }),
  arktype: type({
    'ids?': 'string[]',
    'filter?': { 'tags?': 'string[]', 'q?': 'string' },
    'lines?': type({ sku: 'string', 'tags?': 'string[]' }).array(),
    'by?': 'Record<string, string[]>',
  }) as unknown as Schema,
  TypeBox: Type.Object({
    ids: Type.Optional(Type.Array(Type.String())),
    filter: Type.Optional(
      Type.Object({
        tags: Type.Optional(Type.Array(Type.String())),
        q: Type.Optional(Type.String()),
      }),
    ),
    lines: Type.Optional(
      Type.Array(
        Type.Object({ sku: Type.String(), tags: Type.Optional(Type.Array(Type.String())) }),
      ),
    ),
    by: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
  }),
  'JSON Schema': {
    type: 'object',
    $defs: { texts },
    properties: {
      ids: { $ref: '#/$defs/texts' },
      filter: {
        type: 'object',
        properties: { tags: { $ref: '#/$defs/texts' }, q: { type: 'string' } },
      },
      lines: {
        type: 'array',
        items: { type: 'object', properties: { sku: { type: 'string' }, tags: texts } },
      },
      by: { type: 'object', additionalProperties: texts },
    },
  },
}

let app: App
afterEach(() => app.close())

function start(schema: Schema, parser = 'extended') {
  @Controller('things')
  class ThingsController {
    @Get()
    @Query(schema)
    list({ query }: Request) {
      return query
    }
  }
  app = new App({ controllers: [ThingsController], logger: false })
  app.express.set('query parser', parser)
  return async (query: string) => {
    const response = await app.fetch(new globalThis.Request(`http://things.test/things?${query}`))
    const { data, errors } = (await response.json()) as { data: unknown; errors: unknown }
    return data ?? errors
  }
}

const values = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`)
const written = (count: number, name: (index: number) => string) =>
  values(count)
    .map((value, index) => `${name(index)}=${value}`)
    .join('&')

describe.each(Object.entries(SCHEMAS))(
  'a list in a nested query, with a schema in %s',
  (_, schema) => {
    it.each([1, 20, 21, 500])('can have %d values', async (count) => {
      const get = start(schema)
      const all = values(count)
      for (const name of ['', '[]']) {
        expect(await get(written(count, () => `ids${name}`))).toEqual({ ids: all })
        const nested = written(count, () => `filter[tags]${name}`)
        expect(await get(`${nested}&filter[q]=a`)).toEqual({ filter: { tags: all, q: 'a' } })
        expect(await get(written(count, () => `by[any]${name}`))).toEqual({ by: { any: all } })
        const inList = written(count, () => `lines[0][tags]${name}`)
        expect(await get(`lines[0][sku]=a&${inList}`)).toEqual({ lines: [{ sku: 'a', tags: all }] })
      }
      expect(await get(written(count, (index) => `ids[${index}]`))).toEqual({ ids: all })
      const lines = written(count, (index) => `lines[${index}][sku]`)
      expect(await get(lines)).toEqual({ lines: all.map((sku) => ({ sku })) })
    })

    it('is refused if its items have names instead of numbers', async () => {
      const get = start(schema)
      for (const query of ['ids[a]=1', 'ids[0]=1&ids[a]=2', 'filter[tags][a]=1']) {
        expect(await get(query)).toMatchObject([{ in: 'query' }])
      }
    })
  },
)

describe.each(['simple', 'extended'])('the query parser %s', (parser) => {
  it('converts one or many values to a list, for every library', async () => {
    for (const schema of Object.values(SCHEMAS)) {
      const get = start(schema, parser)
      for (const count of [1, 25]) {
        expect(await get(written(count, () => 'ids'))).toEqual({ ids: values(count) })
      }
      await app.close()
    }
  })
})

it('a string stays a string in a union with a list, and names beside lists are kept', async () => {
  const Tree: z.ZodType = z.object({
    name: z.string().optional(),
    get children() {
      return z.array(Tree).optional()
    },
    either: z.union([z.string(), z.array(z.string())]).optional(),
    open: z.object({ one: z.string() }).catchall(z.array(z.string())).optional(),
  })
  const get = start(Tree)
  expect(await get('either=a')).toEqual({ either: 'a' })
  expect(await get('either=a&either=b')).toEqual({ either: ['a', 'b'] })
  expect(await get('open[one]=1&open[other]=2')).toEqual({ open: { one: '1', other: ['2'] } })
  expect(await get('children[0][children][0][name]=a')).toEqual({
    children: [{ children: [{ name: 'a' }] }],
  })
})

it('each alternative of a union can contain a list', async () => {
  const schema = z.union([
    z.object({ kind: z.literal('a'), list: z.array(z.string()) }),
    z.object({ kind: z.literal('b'), list: z.array(z.coerce.number()), one: z.string() }),
  ])
  const get = start(schema)
  expect(await get('kind=a&list=1')).toEqual({ kind: 'a', list: ['1'] })
  expect(await get('kind=b&list=1&one=x')).toEqual({ kind: 'b', list: [1], one: 'x' })
})

it('the generated client sends lists that the server accepts', async () => {
  start(SCHEMAS['zod'] as Schema)
  const { createClient } = await importClient('query-lists', emitClient(app.document as never))
  const client = createClient({
    baseUrl: 'http://things.test',
    fetch: (...request) => app.fetch(new globalThis.Request(...request)),
  })
  for (const count of [1, 25]) {
    const query = { ids: values(count), filter: { tags: values(count) } }
    expect(await client['things']?.['list']?.({ query })).toMatchObject({ ok: true, data: query })
  }
})
