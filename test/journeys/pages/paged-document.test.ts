import { inspect } from 'node:util'
import { type } from 'arktype'
import { ApiResponseDoc, Controller, cursor, Get, Paged, Query } from 'blazon'
import { TestApp } from 'blazon/testing'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'
import { KEYS, notesApp, notesTo } from './notes-app.js'

describe('the document of a list with cursors', () => {
  it('contains the parameters, the schema of a page, and the Link header', async () => {
    await using app = await notesApp(notesTo(1))
    const { paths, components } = app.document
    const { parameters = [], responses } = paths['/notes']?.get ?? { responses: {} }
    const ofQuery = parameters.flatMap((each) =>
      'in' in each && each.in === 'query' ? [each] : [],
    )
    expect(ofQuery.map(({ name, required = false }) => [name, required])).toEqual([
      ['limit', false],
      ['cursor', false],
      ['color', false],
      ['since', false],
    ])
    expect(ofQuery[0]).toMatchObject({
      schema: { type: 'integer', minimum: 1, maximum: 10, default: 3 },
    })
    expect(responses['200']).toMatchObject({
      headers: { Link: { schema: { type: 'string' } } },
      content: {
        'application/json': {
          schema: {
            required: ['items', 'next'],
            properties: {
              items: { type: 'array', maxItems: 10, items: { $ref: '#/components/schemas/Note' } },
            },
          },
        },
      },
    })
    expect(components.schemas?.['Note']).toBeDefined()
  })

  it('matches the responses of the application', async () => {
    await using app = await notesApp(notesTo(7), { responses: { fields: 'check' } })
    const { body } = await app.request().get('/notes?limit=5').expect(200)
    await app.request().get(`/notes?limit=5&cursor=${body.next}`).expect(200)
    // A coerced date accepts texts that are not dates in the document.
    const ids = ['Notes_list', 'Notes_others', 'Notes_folder']
    const allow = Object.fromEntries(ids.map((id) => [id, 'looser' as const]))
    const { requests } = await app.fuzz({ seed: 1, runs: 60, headers: { 'x-tenant': 'a' }, allow })
    expect(requests).toBeGreaterThan(100)
  })
})

const ITEMS = {
  zod: z.object({ id: z.int(), at: z.date() }),
  valibot: v.object({ id: v.number(), at: v.date() }),
  arktype: type({ id: 'number', at: 'string' }),
  typebox: Type.Object({ id: Type.Number(), at: Type.String() }),
}

describe.each(Object.entries(ITEMS))('a list with items of %s', (_, Item) => {
  it('is documented and sent', async () => {
    const Pages = cursor(Item as typeof ITEMS.zod, { order: ['-at', 'id'] })

    @Controller('items')
    class Items {
      @Get()
      @Paged(Pages)
      list({ page }: Paged<typeof Pages>) {
        const at = new Date('2026-01-01')
        return page.of(
          page.after === null
            ? [
                { id: 1, at },
                { id: 2, at },
              ].slice(0, page.take)
            : [],
        )
      }
    }
    await using app = await TestApp.create({ controllers: [Items], cookies: { keys: KEYS } })
    const { body, headers } = await app.request().get('/items?limit=1').expect(200)
    expect(body.data.items).toEqual([{ id: 1, at: '2026-01-01T00:00:00.000Z' }])
    expect(headers['link']).toContain(body.data.next)
    const { schemas = {} } = app.document.components
    expect(JSON.stringify([app.document.paths, schemas])).toContain('"maxItems":100')
  })
})

describe('the @Paged decorator', () => {
  const Pages = cursor(ITEMS.zod, { order: ['id'] })

  it('cannot be combined with @Query', async () => {
    @Controller('items')
    class Items {
      @Get()
      @Paged(Pages)
      @Query(z.object({ color: z.string() }))
      list() {
        return []
      }
    }
    const problems = await bootProblems({ controllers: [Items], cookies: { keys: KEYS } })
    expect(problems).toMatchObject([{ code: 'E_INPUT_TWICE' }])
  })

  it('keeps the responses that other decorators document', async () => {
    @Controller('items')
    class Items {
      @Get()
      @Paged(Pages)
      @ApiResponseDoc({ status: 404, description: 'No such folder' })
      list({ page }: Paged<typeof Pages>) {
        return page.of([])
      }
    }
    await using app = await TestApp.create({ controllers: [Items], cookies: { keys: KEYS } })
    const { responses } = app.document.paths['/items']?.get ?? { responses: {} }
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '404']))
  })

  it('refuses a value that is not a result of cursor() or page()', () => {
    expect(() => Paged({} as never)).toThrow('Pass the result of cursor() or page() to @Paged().')
  })

  it.each<[rows: object[], cause: string]>([
    [[{ id: null }, { id: 1 }], "The field 'id' of a row has no value to order by (null)"],
    [[{}, { id: 1 }], "The field 'id' of a row has no value to order by (undefined)"],
    [[{ id: 1 }, { id: 1 }], 'Two rows have the same values'],
    [[{ id: 'x'.repeat(1700) }, { id: 1 }], 'too long for a cursor'],
  ])('logs why the rows %j have no cursor', async (rows, cause) => {
    @Controller('items')
    class Items {
      @Get()
      @Paged(Pages)
      list({ page }: Paged<typeof Pages>) {
        return page.of(rows)
      }
    }
    await using app = await TestApp.create({ controllers: [Items], cookies: { keys: KEYS } })
    await app.request().get('/items?limit=1').expect(500)
    expect(inspect(app.logs, { depth: 5 })).toContain(cause)
  })
})
