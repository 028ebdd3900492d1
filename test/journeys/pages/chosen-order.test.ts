import { Controller, cursor, Get, Paged, page } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'
import { KEYS } from './notes-app.js'

const Tea = z.object({ id: z.int(), name: z.string(), price: z.int() }).meta({ id: 'Tea' })
type Tea = z.infer<typeof Tea>

const TEAS: Tea[] = [
  { id: 1, name: 'oolong', price: 5 },
  { id: 2, name: 'assam', price: 9 },
  { id: 3, name: 'matcha', price: 9 },
  { id: 4, name: 'chai', price: 3 },
]
const order = { newest: ['-id'], price: ['price', 'id'], '-price': ['-price', '-id'] } as const
const ByCursor = cursor(Tea, {
  order,
  max: 3,
  limit: 2,
  filter: { name: z.string().optional() },
})
const ByNumber = page(Tea, { order, max: 3, pageSize: 2 })

type Fields = readonly { readonly field: string; readonly isDescending: boolean }[]

/** Compares two teas by the fields of an order. */
function compare(fields: Fields, a: object, b: object): number {
  const numberIn = (of: object, field: string) => Number((of as Record<string, unknown>)[field])
  for (const { field, isDescending } of fields) {
    const difference = numberIn(a, field) - numberIn(b, field)
    if (difference !== 0) return isDescending ? -difference : difference
  }
  return 0
}

/** The orders that handlers have seen. */
const handled = new Set<string>()

@Controller()
class Teas {
  @Get('cursor')
  @Paged(ByCursor)
  byCursor({ page, query }: Paged<typeof ByCursor>) {
    handled.add(query.sort)
    const { order, after, take } = page
    const sorted = TEAS.toSorted((a, b) => compare(order, a, b))
    return page.of(sorted.filter((tea) => !after || compare(order, tea, after) > 0).slice(0, take))
  }

  @Get('number')
  @Paged(ByNumber)
  byNumber({ page }: Paged<typeof ByNumber>) {
    const { order, offset, take } = page
    const sorted = TEAS.toSorted((a, b) => compare(order, a, b))
    return page.of(sorted.slice(offset, offset + take), TEAS.length)
  }
}

const start = () =>
  TestApp.create({
    controllers: [Teas],
    cookies: { keys: KEYS },
    envelope: false,
    contract: 'throw',
  })

/** The ids of all pages, by the links of the pages. */
async function walk(app: TestApp, first: string): Promise<number[]> {
  const found: number[] = []
  let path: string | undefined = first
  while (path !== undefined) {
    const { body, headers } = await app.request().get(path).expect(200)
    found.push(...body.items.map(({ id }: Tea) => id))
    const next = nextOf(headers['link'])
    path = next === undefined ? undefined : first.replace(/\?.*/, '') + next
  }
  return found
}

function nextOf(link = ''): string | undefined {
  return /<([^>]*)>; rel="next"/.exec(link)?.[1]
}

describe('a list with an order that the client selects', () => {
  it.each(['cursor', 'number'])('can be read completely in each order: %s', async (kind) => {
    await using app = await start()
    expect(await walk(app, `/${kind}`)).toEqual([4, 3, 2, 1])
    expect(await walk(app, `/${kind}?sort=newest`)).toEqual([4, 3, 2, 1])
    expect(await walk(app, `/${kind}?sort=price`)).toEqual([4, 1, 2, 3])
    expect(await walk(app, `/${kind}?sort=-price`)).toEqual([3, 2, 1, 4])
  })

  it.each(['name', '', '__proto__', 'price&sort=price'])('refuses the order %j', async (sort) => {
    await using app = await start()
    for (const kind of ['cursor', 'number']) {
      const { body } = await app.request().get(`/${kind}?sort=${sort}`).expect(400)
      expect(body.errors).toEqual([
        { in: 'query', path: 'sort', message: 'must be one of newest, price, -price' },
      ])
    }
  })

  it('refuses a cursor of another order, and reports that order', async () => {
    await using app = await start()
    const { body } = await app.request().get('/cursor?sort=price').expect(200)
    const next = `cursor=${body.next}`
    for (const sort of ['', '&sort=newest', '&sort=-price']) {
      const refused = await app.request().get(`/cursor?${next}${sort}`).expect(400)
      expect(refused.body).toMatchObject({
        code: 'CURSOR_INVALID',
        message:
          "The cursor belongs to the order 'price': send it with `sort=price`, or read the list from its beginning.",
      })
    }
    await app.request().get(`/cursor?${next}&sort=price`).expect(200)
  })

  it('reports no order for a cursor that is invalid or that also has another filter', async () => {
    await using app = await start()
    const { body } = await app.request().get('/cursor?sort=price').expect(200)
    for (const query of [`cursor=${body.next}&name=chai`, `cursor=${body.next}A`, 'cursor=x.y']) {
      const refused = await app.request().get(`/cursor?${query}`).expect(400)
      expect(refused.body.message).toContain('does not belong to this list')
    }
  })

  it('documents its orders', async () => {
    await using app = await start()
    for (const path of ['/cursor', '/number']) {
      const { parameters = [] } = app.document.paths[path]?.get ?? {}
      expect(parameters.find((each) => 'name' in each && each.name === 'sort')).toMatchObject({
        in: 'query',
        description:
          'The order of the list: `newest` (-id), `price` (price, id), `-price` (-price, -id)',
        schema: { type: 'string', enum: ['newest', 'price', '-price'], default: 'newest' },
      })
    }
  })

  it('is covered by app.fuzz() in each order', async () => {
    await using app = await start()
    handled.clear()
    await app.fuzz({ seed: 1, runs: 60 })
    expect([...handled].sort()).toEqual(['-price', 'newest', 'price'])
  })

  it('is refused at boot if the cursor of one order contains a field with an audience', async () => {
    const Pay = z.object({ id: z.int(), pay: z.int().meta({ visibleTo: 'pay:read' }) })
    const Pages = cursor(Pay, { order: { id: ['id'], pay: ['pay', 'id'] } })
    @Controller()
    class Rows {
      @Get()
      @Paged(Pages)
      get() {
        return { items: [], next: null }
      }
    }
    const problems = await bootProblems({ controllers: [Rows], cookies: { keys: KEYS } })
    expect(problems).toMatchObject([{ code: 'E_VISIBILITY_UNPROTECTED' }])
  })
})

describe.each([
  ['cursor', (options: object) => cursor(Tea, options as never)],
  ['page', (options: object) => page(Tea, options as never)],
])('the function %s()', (name, describe) => {
  it.each([
    [{ order: {} }, '`order` has no name'],
    [{ order: { newest: [] } }, "`order.newest` must be a list of fields: ['-placedAt', 'id']."],
    [{ order: { newest: 'id' } }, '`order.newest` must be a list of fields'],
    [{ order: { newest: ['--id'] } }, '`order.newest` must be a list of fields'],
    [{ order: { '1': ['id'] } }, "`order` has the invalid name '1'"],
    [{ order: { 'a b': ['id'] } }, "`order` has the invalid name 'a b'"],
    [{ order: 'id' }, '`order` must be a list of fields'],
    [{ order: { id: ['id'] }, filter: { sort: z.string() } }, '`filter` cannot contain `sort`'],
  ])('refuses %j', (options, cause) => {
    expect(() => describe(options)).toThrow(`${name}(): ${cause}`)
  })
})
