import { inspect } from 'node:util'
import { type } from 'arktype'
import { type AppOptions, Controller, Get, Paged, page } from 'blazon'
import { TestApp } from 'blazon/testing'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Note, notesTo } from './notes-app.js'

const Counted = page(Note, {
  max: 10,
  pageSize: 3,
  maxPage: 50,
  filter: { color: Note.shape.color.optional() },
})
const Uncounted = page(Note, { total: false, max: 10, pageSize: 3 })

function notesApp(notes: readonly Note[], options: AppOptions = {}) {
  @Controller()
  class Notes {
    @Get('notes')
    @Paged(Counted)
    counted({ page, query }: Paged<typeof Counted>) {
      const { offset, take } = page
      const { color } = query
      const found = notes.filter((note) => color === undefined || note.color === color)
      return page.of(found.slice(offset, offset + take), BigInt(found.length))
    }

    @Get('uncounted')
    @Paged(Uncounted)
    uncounted({ page }: Paged<typeof Uncounted>) {
      const { offset, take } = page
      return page.of(notes.slice(offset, offset + take))
    }
  }
  return TestApp.create({ controllers: [Notes], envelope: false, ...options })
}

async function get(app: TestApp, path: string) {
  const { body, headers } = await app.request().get(path).expect(200)
  const links = [...String(headers['link']).matchAll(/<([^>]*)>; rel="(\w+)"/g)]
  return {
    ...body,
    items: body.items.map(({ id }: Note) => id),
    links: Object.fromEntries(links.map(([, url, relation]) => [relation, url])),
  }
}

describe('a list with numbered pages', () => {
  it('contains the number, the size, the total, and links to other pages', async () => {
    await using app = await notesApp(notesTo(8))
    expect(await get(app, '/notes')).toEqual({
      items: [1, 2, 3],
      page: 1,
      pageSize: 3,
      next: 2,
      total: 8,
      links: { first: '?page=1', next: '?page=2', last: '?page=3' },
    })
    expect(await get(app, '/notes?pageSize=2&page=2&color=red')).toEqual({
      items: [5, 7],
      page: 2,
      pageSize: 2,
      next: null,
      total: 4,
      links: {
        first: '?pageSize=2&page=1&color=red',
        prev: '?pageSize=2&page=1&color=red',
        last: '?pageSize=2&page=2&color=red',
      },
    })
  })

  it('can be read to its end through its links', async () => {
    await using app = await notesApp(notesTo(8))
    for (const path of ['/notes', '/uncounted']) {
      const found: number[] = []
      let url: string | undefined = `http://localhost${path}`
      while (url !== undefined) {
        const { pathname, search } = new URL(url)
        const { items, links } = await get(app, pathname + search)
        found.push(...items)
        url = links.next === undefined ? undefined : new URL(links.next, url).href
      }
      expect(found).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    }
  })

  it('ends without another page if the last page is full', async () => {
    await using app = await notesApp(notesTo(6))
    expect(await get(app, '/notes?page=2')).toMatchObject({ items: [4, 5, 6], next: null })
    expect(await get(app, '/uncounted?page=2')).toEqual({
      items: [4, 5, 6],
      page: 2,
      pageSize: 3,
      next: null,
      links: { first: '?page=1', prev: '?page=1' },
    })
  })

  it('returns an empty page after its end, with a link to its last page', async () => {
    await using app = await notesApp(notesTo(4))
    const after = { items: [], page: 40, next: null, total: 4 }
    expect(await get(app, '/notes?page=40')).toMatchObject({
      ...after,
      links: { first: '?page=1', prev: '?page=2', last: '?page=2' },
    })
    await using empty = await notesApp([])
    expect(await get(empty, '/notes')).toMatchObject({
      items: [],
      total: 0,
      links: { first: '?page=1', last: '?page=1' },
    })
  })

  it.each([
    ['page=0&pageSize=11', { page: '1 to 50', pageSize: '1 to 10' }],
    ['page=51', { page: '1 to 50' }],
    ['page=two', { page: '1 to 50' }],
    ['page=1e1', { page: '1 to 50' }],
    ['page=1&page=2', { page: '1 to 50' }],
    ['pageSize=', { pageSize: '1 to 10' }],
    ['pageSize=-3', { pageSize: '1 to 10' }],
  ])('refuses %s and reports all errors', async (query, errors) => {
    await using app = await notesApp(notesTo(3))
    const { body } = await app.request().get(`/notes?${query}`).expect(400)
    expect(body.code).toBe('VALIDATION_FAILED')
    expect(body.errors).toEqual(
      Object.entries(errors).map(([path, range]) => ({
        in: 'query',
        path,
        message: `must be a whole number from ${range}`,
      })),
    )
  })

  it('is documented, and matches its OpenAPI document', async () => {
    await using app = await notesApp(notesTo(20), { responses: { fields: 'check' } })
    const { parameters, responses } = app.document.paths['/notes']?.get ?? { responses: {} }
    expect(parameters).toMatchObject([
      { name: 'page', schema: { type: 'integer', minimum: 1, maximum: 50, default: 1 } },
      { name: 'pageSize', schema: { type: 'integer', minimum: 1, maximum: 10, default: 3 } },
      { name: 'color' },
    ])
    expect(responses['200']).toMatchObject({
      headers: { Link: { schema: { type: 'string' } } },
      content: {
        'application/json': {
          schema: {
            required: ['items', 'page', 'pageSize', 'next', 'total'],
            properties: {
              items: { type: 'array', maxItems: 10, items: { $ref: '#/components/schemas/Note' } },
              total: { type: 'integer', minimum: 0 },
            },
          },
        },
      },
    })
    expect(JSON.stringify(app.document.paths['/uncounted'])).not.toContain('"total"')
    const { requests } = await app.fuzz({ seed: 1, runs: 60 })
    expect(requests).toBeGreaterThan(100)
  })

  it('requires no cookie keys', async () => {
    await using app = await notesApp(notesTo(3), { strict: true })
    await get(app, '/notes')
  })

  it.each([undefined, Number.NaN, -1, 1.5, 2 ** 53, '3'])(
    'logs an error if the total is %j',
    async (total) => {
      @Controller('notes')
      class Notes {
        @Get()
        @Paged(Counted)
        list({ page }: Paged<typeof Counted>) {
          return page.of([], total as number)
        }
      }
      await using app = await TestApp.create({ controllers: [Notes] })
      await app.request().get('/notes').expect(500)
      expect(inspect(app.logs, { depth: 5 })).toContain('page.of(rows, total): the total is')
    },
  )
})

const ITEMS = {
  zod: z.object({ id: z.int() }),
  valibot: v.object({ id: v.number() }),
  arktype: type({ id: 'number' }),
  typebox: Type.Object({ id: Type.Number() }),
}

it.each(Object.entries(ITEMS))('page() supports items of %s', async (_, Item) => {
  const Pages = page(Item as typeof ITEMS.zod)

  @Controller('items')
  class Items {
    @Get()
    @Paged(Pages)
    list({ page }: Paged<typeof Pages>) {
      return page.of([{ id: 1 }], 1)
    }
  }
  await using app = await TestApp.create({ controllers: [Items] })
  const { body } = await app.request().get('/items').expect(200)
  expect(body.data).toEqual({ items: [{ id: 1 }], page: 1, pageSize: 20, next: null, total: 1 })
  expect(JSON.stringify(app.document)).toContain('"maxItems":100')
})

it.each([
  [{ order: ['--id'] }, '`order` must be a list'],
  [{ max: 0 }, '`max`'],
  [{ max: 10, pageSize: 11 }, '`pageSize`'],
  [{ maxPage: 1_000_001 }, '`maxPage` must be a whole number from 1 to 1,000,000'],
  [{ total: 'yes' }, '`total`'],
  [{ filter: { page: z.string() } }, '`filter` cannot contain `page`'],
])('page() refuses %j', (options, cause) => {
  expect(() => page(Note, options as Parameters<typeof page<typeof Note>>[1])).toThrow(
    `page(): ${cause}`,
  )
})

it.each([
  [{ cors: true }, 'Link'],
  [{ cors: { origin: ['https://a.test'], exposedHeaders: ['X-Own'] } }, 'X-Own,Link'],
  [{ cors: { origin: 'https://a.test', exposedHeaders: 'Link' } }, 'Link'],
])('scripts of other origins can read the links with %j', async (security, exposed) => {
  await using app = await notesApp(notesTo(3), { security })
  const response = await app.request().get('/notes').set('origin', 'https://a.test').expect(200)
  expect(response.headers['access-control-expose-headers']).toBe(exposed)
})
