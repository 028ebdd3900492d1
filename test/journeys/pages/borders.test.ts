import {
  type AppOptions,
  ConfigError,
  Controller,
  type CursorPage,
  cursor,
  Get,
  Paged,
  page,
  type Request,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootWarnings } from '../../support.js'
import { KEYS } from './notes-app.js'

const Row = z.object({ id: z.int() })
const Rows = cursor(Row, { order: ['id'], max: 10, limit: 1 })

/** Rows in the order of a field that the item schema does not check. */
const Values = cursor({ type: 'object', additionalProperties: true } as const, {
  order: ['at'],
  limit: 1,
})

/** The rows that the handler of `values` returns. */
let values: { at: unknown }[] = []
/** The page that a handler has received. */
let received: object | undefined

@Controller()
class ListController {
  @Get('rows') @Paged(Rows) rows(req: Paged<typeof Rows>) {
    return this.#after(req)
  }

  @Get('values') @Paged(Values) values({ page }: Paged<typeof Values>) {
    received = page
    return page.of(values as never)
  }

  #after({ page }: Paged<typeof Rows>) {
    const first = Number((page as CursorPage).after?.['id'] ?? 0) + 1
    return page.of([{ id: first }, { id: first + 1 }])
  }
}

const start = async (options: AppOptions = {}) => {
  const app = await TestApp.create({
    controllers: [ListController],
    cookies: { keys: KEYS },
    envelope: false,
    contract: 'off',
    ...options,
  })
  await app.clock.advance(0)
  return app
}

const next = async (app: TestApp, path: string): Promise<string> =>
  `cursor=${(await app.request().get(path).expect(200)).body.next}`

describe('a cursor', () => {
  it('is accepted until it is exactly a day old', async () => {
    await using app = await start()
    const path = `/rows?${await next(app, '/rows')}`
    await app.clock.advance('1d')
    await app.request().get(path).expect(200)
    await app.clock.advance('1s')
    await app.request().get(path).expect(400)
  })

  it('is signed with the first key', async () => {
    await using old = await start({
      cookies: { keys: ['a new key of thirty-two characters', ...KEYS] },
    })
    const path = `/rows?${await next(old, '/rows')}`
    await using later = await start({ cookies: { keys: ['a new key of thirty-two characters'] } })
    await later.request().get(path).expect(200)
  })

  it('can be as long as a URL may contain, but not longer', async () => {
    await using app = await start()
    const lengthOf = async (size: number) => {
      values = [{ at: 'x'.repeat(size) }, { at: 'y' }]
      const { status, body } = await app.request().get('/values')
      return status === 200 ? String(body.next).length : null
    }
    let longest = 0
    for (let size = 1480; size < 1520; size++)
      longest = Math.max(longest, (await lengthOf(size)) ?? 0)
    expect(longest).toBe(2048)
    values = [{ at: 'x'.repeat(20) }, { at: 'y' }]
    const cursors = {
      '2048 characters': 'x'.repeat(2048),
      '2049 characters': 'x'.repeat(2049),
      empty: '',
    }
    const codes: Record<string, string> = {}
    for (const [name, text] of Object.entries(cursors))
      codes[name] = (await app.request().get(`/values?cursor=${text}`).expect(400)).body.code
    expect(codes).toEqual({
      '2048 characters': 'CURSOR_INVALID',
      '2049 characters': 'VALIDATION_FAILED',
      empty: 'VALIDATION_FAILED',
    })
  })

  it.each<[string, unknown, unknown]>([
    ['a bigint', 7n, '7'],
    ['a boolean', false, false],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['zero', 0, 0],
    ['an empty string', '', ''],
  ])('can contain %s', async (_, at, after) => {
    await using app = await start()
    // JSON has no bigint, so the response contains the value as a text.
    const row = { at, toJSON: () => ({ at: String(at) }) }
    values = [row, { at: 'other' }]
    const path = `/values?${await next(app, '/values')}`
    await app.request().get(path).expect(200)
    expect(received).toMatchObject({ after: { at: after } })
  })

  it('cannot contain Infinity', async () => {
    await using app = await start()
    values = [{ at: Number.POSITIVE_INFINITY }, { at: 1 }]
    await app.request().get('/values').expect(500)
    const [{ facts } = { facts: {} }] = app.logs
    expect(String((facts as { err?: unknown }).err)).toContain('to order by (Infinity)')
  })
})

describe('the page of a list with cursors', () => {
  it('cannot be changed', async () => {
    await using app = await start()
    values = []
    await app.request().get('/values').expect(200)
    expect(() => Object.assign(received as object, { limit: 9 })).toThrow(TypeError)
  })
})

const warnsOfKeys = async (options: AppOptions) =>
  (await bootWarnings(options)).map(({ code }) => code).includes('W_PAGES_WITHOUT_KEYS')

describe('the warning W_PAGES_WITHOUT_KEYS', () => {
  it('is not logged if a function returns the keys, or if there are only numbered pages', async () => {
    const Numbered = page(Row)
    @Controller('numbered')
    class NumberedController {
      @Get() @Paged(Numbered) list({ page }: Paged<typeof Numbered>) {
        return page.of([], 0)
      }
    }
    const controllers = [ListController]
    expect(await warnsOfKeys({ controllers })).toBe(true)
    expect(await warnsOfKeys({ controllers, cookies: { keys: () => KEYS } })).toBe(false)
    expect(await warnsOfKeys({ controllers: [NumberedController] })).toBe(false)
  })
})

describe('the limits of cursor() and page()', () => {
  it('accept the greatest values', () => {
    expect(() => cursor(Row, { order: ['id'], max: 1000, limit: 1000 })).not.toThrow()
    expect(() => page(Row, { max: 1000, pageSize: 1000, maxPage: 1_000_000 })).not.toThrow()
  })

  it('have defaults: at most 100 items, 20 of them on a page, and a thousand pages', async () => {
    const Plain = page(Row)
    const Small = page(Row, { max: 5 })
    const SmallCursor = cursor(Row, { order: ['id'], max: 5 })
    @Controller()
    class DefaultsController {
      @Get('plain') @Paged(Plain) plain({ page }: Paged<typeof Plain>) {
        return page.of([], 0)
      }
      @Get('small') @Paged(Small) small({ page }: Paged<typeof Small>) {
        return page.of([], 0)
      }
      @Get('cursor') @Paged(SmallCursor) cursor({ page }: Paged<typeof SmallCursor>) {
        received = page
        return page.of([])
      }
    }
    await using app = await start({ controllers: [DefaultsController] })
    const plain = await app.request().get('/plain?page=1000&pageSize=100').expect(200)
    expect(plain.body).toMatchObject({ page: 1000, pageSize: 100, total: 0 })
    await app.request().get('/plain?page=1001').expect(400)
    expect((await app.request().get('/plain').expect(200)).body.pageSize).toBe(20)
    expect((await app.request().get('/small').expect(200)).body.pageSize).toBe(5)
    await app.request().get('/cursor').expect(200)
    expect(received).toMatchObject({ limit: 5, take: 6 })
  })

  it('refuse unknown options', () => {
    expect(() => cursor(Row, { order: ['id'], maxage: '1d' } as never)).toThrow(ConfigError)
    expect(() => page(Row, { pagesize: 5 } as never)).toThrow(ConfigError)
  })
})

it('the Link header is described for each kind of pages', async () => {
  const Numbered = page(Row)
  @Controller('numbered')
  class NumberedController {
    @Get() @Paged(Numbered) list({ page }: Paged<typeof Numbered> & Request) {
      return page.of([], 0)
    }
  }
  await using app = await start({ controllers: [ListController, NumberedController] })
  const linkOf = (path: string) =>
    (
      app.document.paths[path]?.get?.responses['200'] as {
        headers?: { Link: { description: string } }
      }
    )?.headers
  expect(linkOf('/rows')?.Link.description).toContain('the next page')
  expect(linkOf('/numbered')?.Link.description).toContain('`last`')
})
