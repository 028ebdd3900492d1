import { cursor } from 'blazon'
import type { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { KEYS, Note, notesApp, notesTo } from './notes-app.js'

type Page = { items: Note[]; next: string | null }

async function get(app: TestApp, path: string): Promise<{ page: Page; link: string | undefined }> {
  const { body, headers } = await app.request().get(path).expect(200)
  return { page: body, link: headers['link'] }
}

/** A cursor in a URL. */
const with_ = (next: string | null) => `cursor=${encodeURIComponent(String(next))}`

async function firstCursor(app: TestApp, path = '/notes'): Promise<string> {
  const { page } = await get(app, path)
  return String(page.next)
}

describe('a list with cursors', () => {
  it('can be read page by page through the field `next`', async () => {
    await using app = await notesApp(notesTo(7))
    const found: number[][] = []
    let query = ''
    for (;;) {
      const { page } = await get(app, `/notes?${query}`)
      found.push(page.items.map(({ id }) => id))
      if (page.next === null) break
      query = with_(page.next)
    }
    expect(found).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  })

  it('can be read page by page through the links of RFC 8288', async () => {
    await using app = await notesApp(notesTo(5))
    const found: number[] = []
    let url: string | undefined = 'http://localhost/notes?limit=2&color=red'
    while (url !== undefined) {
      const { pathname, search } = new URL(url)
      const { page, link } = await get(app, pathname + search)
      found.push(...page.items.map(({ id }) => id))
      const target: string | undefined = /^<(.*)>; rel="next"$/.exec(link ?? '')?.[1]
      url = target === undefined ? undefined : new URL(target, url).href
    }
    expect(found).toEqual([1, 3, 5])
  })

  it('ends without another page if the last page is full', async () => {
    await using app = await notesApp(notesTo(3))
    expect(await get(app, '/notes')).toEqual({
      page: { items: notesTo(3), next: null },
      link: undefined,
    })
  })

  it.each(['0', '11', '-1', '1.5', 'ten', '1e1', '0000000001', ''])(
    'refuses a limit of %j',
    async (limit) => {
      await using app = await notesApp(notesTo(3))
      const { body } = await app.request().get(`/notes?limit=${limit}`).expect(400)
      expect(body.code).toBe('VALIDATION_FAILED')
      expect(body.errors).toEqual([
        { in: 'query', path: 'limit', message: 'must be a whole number from 1 to 10' },
      ])
    },
  )

  it('validates its filter', async () => {
    await using app = await notesApp(notesTo(3))
    const { body } = await app.request().get('/notes?color=green').expect(400)
    expect(body.errors).toMatchObject([{ in: 'query', path: 'color' }])
  })

  it('can be continued with a different limit', async () => {
    await using app = await notesApp(notesTo(7))
    const { page } = await get(app, `/notes?limit=1&${with_(await firstCursor(app))}`)
    expect(page.items.map(({ id }) => id)).toEqual([4])
  })
})

describe('a cursor', () => {
  it('is refused after any modification', async () => {
    await using app = await notesApp(notesTo(7))
    const cursorText = await firstCursor(app)
    const changed = [...cursorText].map(
      (letter, index) =>
        cursorText.slice(0, index) + (letter === 'A' ? 'B' : 'A') + cursorText.slice(index + 1),
    )
    for (const each of [
      ...changed,
      `${cursorText}A`,
      `${cursorText}=`,
      cursorText.slice(1),
      'x',
      '.',
      'e30.e30',
    ]) {
      const { body } = await app
        .request()
        .get(`/notes?${with_(each)}`)
        .expect(400)
      expect(body.code, each).toBe('CURSOR_INVALID')
    }
  })

  it('is refused on another route, with another path parameter, and with another filter', async () => {
    await using app = await notesApp(notesTo(9))
    const red = await firstCursor(app, '/notes?color=red')
    const folder = await firstCursor(app, '/folders/a')
    const wrong = [
      `/others?color=red&${with_(red)}`,
      `/notes?color=blue&${with_(red)}`,
      `/notes?${with_(red)}`,
      `/notes?color=red&since=2026-01-01&${with_(red)}`,
      `/folders/b?${with_(folder)}`,
    ]
    for (const path of wrong) {
      const { body } = await app.request().get(path).expect(400)
      expect(body.code, path).toBe('CURSOR_INVALID')
    }
    await get(app, `/notes?color=red&${with_(red)}`)
    await get(app, `/folders/a?${with_(folder)}`)
  })

  it('is accepted with the same date in its filter in another notation', async () => {
    await using app = await notesApp(notesTo(9))
    const since = await firstCursor(app, '/notes?since=2026-01-01')
    await get(app, `/notes?since=2026-01-01T00:00:00Z&${with_(since)}`)
    await app
      .request()
      .get(`/notes?since=2026-01-02&${with_(since)}`)
      .expect(400)
  })

  it('is refused for another tenant, and without a tenant', async () => {
    await using app = await notesApp(notesTo(7))
    const ofA = await app.request().get('/notes').set('x-tenant', 'a').expect(200)
    const path = `/notes?${with_(ofA.body.next)}`
    const { body } = await app.request().get(path).set('x-tenant', 'b').expect(400)
    expect(body).toMatchObject({ statusCode: 'error', code: 'CURSOR_INVALID' })
    await app.request().get(path).expect(400)
    await app.request().get(path).set('x-tenant', 'a').expect(200)
  })

  it('is refused if it is older than a day', async () => {
    await using app = await notesApp(notesTo(7))
    const path = `/notes?${with_(await firstCursor(app))}`
    // The clock goes on while requests run, so not at the very second.
    await app.clock.advance('86340s')
    await app.request().get(path).expect(200)
    await app.clock.advance('62s')
    const { body } = await app.request().get(path).expect(400)
    expect(body.code).toBe('CURSOR_INVALID')
  })

  it('is accepted by another process if the key is one of its keys', async () => {
    await using old = await notesApp(notesTo(7))
    const path = `/notes?${with_(await firstCursor(old))}`
    const newKey = 'another key of thirty-two characters'
    await using both = await notesApp(notesTo(7), { cookies: { keys: [newKey, ...KEYS] } })
    await both.request().get(path).expect(200)
    await using later = await notesApp(notesTo(7), { cookies: { keys: [newKey] } })
    await later.request().get(path).expect(400)
  })
})

describe('an application with pages but without keys', () => {
  it('signs cursors with a random key', async () => {
    await using app = await notesApp(notesTo(7), { cookies: {} })
    const path = `/notes?${with_(await firstCursor(app))}`
    await app.request().get(path).expect(200)
    await using other = await notesApp(notesTo(7), { cookies: {} })
    await other.request().get(path).expect(400)
  })
})

describe('the function cursor()', () => {
  it.each([
    [{ order: [] }, '`order` must be a list'],
    [{ order: ['id'], max: 0 }, '`max`'],
    [{ order: ['id'], max: 1001 }, '`max`'],
    [{ order: ['id'], max: 10, limit: 11 }, '`limit`'],
    [{ order: ['id'], maxAge: 'soon' }, '`maxAge`'],
    [{ order: ['id'], filter: { limit: z.string() } }, '`filter` cannot contain `limit`'],
  ] as const)('refuses %j', (options, cause) => {
    expect(() => cursor(Note, options as Parameters<typeof cursor<typeof Note>>[1])).toThrow(cause)
  })
})
