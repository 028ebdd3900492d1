import type { App, OpenApiVersion } from 'blazon'
import { afterEach, describe, expect, it } from 'vitest'
import { emitClient } from '../../src/cli/client/emit-client.js'
import { type AnyClientOptions, importClient } from './import-client.js'
import { pagedApp, seen } from './paged-app.js'

interface Note {
  id: number
}

interface PagedMethod {
  (input?: object): Promise<{ ok: boolean; data: { items: Note[] } }>
  all(input?: object): AsyncGenerator<Note, void>
}

const open: App[] = []
afterEach(async () => {
  Object.assign(seen, { urls: [], tags: [] })
  for (const app of open.splice(0)) await app.close()
})

async function notesOf(
  settings: { openapi?: OpenApiVersion; envelope?: boolean } = {},
  options: Partial<AnyClientOptions> = {},
) {
  const app = pagedApp(settings)
  open.push(app)
  const { port } = await app.listen(0, '127.0.0.1')
  const name = `pages-${settings.openapi ?? ''}-${settings.envelope ?? ''}`
  const { createClient } = await importClient(name, emitClient(app.document))
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, ...options })
  return client['notes'] as unknown as Readonly<Record<string, PagedMethod>>
}

async function idsOf(items: AsyncIterable<Note> | undefined): Promise<number[]> {
  const ids: number[] = []
  for await (const { id } of items ?? []) ids.push(id)
  return ids
}

const METHODS = ['byCursor', 'byNumber']

describe('a generated client for a list with pages', () => {
  it.each([
    { openapi: '3.0' },
    { openapi: '3.1' },
    { openapi: '3.2' },
    { envelope: false },
  ] as const)('reads all items, from a document with %j', async (settings) => {
    const notes = await notesOf(settings)
    for (const method of METHODS) {
      expect(await idsOf(notes[method]?.all({ query: { pageSize: 3, limit: 3 } }))).toEqual([
        1, 2, 3, 4, 5, 6, 7,
      ])
      expect(seen.urls.splice(0)).toHaveLength(3)
    }
  })

  it.each(METHODS)('can also read one page with %s()', async (method) => {
    const notes = await notesOf()
    const page = await notes[method]?.()
    expect(page).toMatchObject({ ok: true, data: { items: [{ id: 1 }, { id: 2 }] } })
  })

  it.each(METHODS)(
    'sends the query and headers with the request for each page of %s()',
    async (method) => {
      const notes = await notesOf()
      const input = { query: { color: 'red' }, headers: { 'X-Tag': 'x' } }
      expect(await idsOf(notes[method]?.all(input))).toEqual([1, 3, 5, 7])
      expect(seen.urls.every((url) => url.includes('color=red'))).toBe(true)
      expect(seen.tags).toEqual(['x', 'x'])
      expect(input).toEqual({ query: { color: 'red' }, headers: { 'X-Tag': 'x' } })
    },
  )

  it('reads all items in a sort order that the document lists', async () => {
    const app = pagedApp()
    open.push(app)
    expect(emitClient(app.document)).toContain('sort?: "oldest" | "newest"')
    const notes = await notesOf()
    const sorted = notes['byCursor']?.all({ query: { sort: 'newest', limit: 3 } })
    expect(await idsOf(sorted)).toEqual([7, 6, 5, 4, 3, 2, 1])
    expect(seen.urls.every((url) => url.includes('sort=newest'))).toBe(true)
  })

  it('starts at the position in the query', async () => {
    const notes = await notesOf()
    const input = { query: { page: 3 } }
    await expect(idsOf(notes['byNumber']?.all(input))).rejects.toMatchObject({ status: 400 })
    expect(await idsOf(notes['byNumber']?.all({ query: { page: 3, pageSize: 3 } }))).toEqual([7])
  })

  it('does not request pages that are not read', async () => {
    const notes = await notesOf()
    for await (const { id } of notes['byCursor']?.all() ?? []) if (id === 2) break
    expect(seen.urls).toHaveLength(1)
  })

  it('throws the error of a failed page after it has returned the items of earlier pages', async () => {
    const notes = await notesOf()
    const ids: number[] = []
    const read = async () => {
      const all = notes['failing']?.all({ params: { folder: 'a' } }) ?? []
      for await (const { id } of all) ids.push(id)
    }
    await expect(read()).rejects.toMatchObject({
      name: 'FailedPageError',
      message: 'Gone',
      status: 404,
      error: { statusCode: 'error', code: 'NOT_FOUND' },
      response: { status: 404 },
    })
    expect(ids).toEqual([1, 2])
  })

  it('throws an error at the maximum page number instead of ending silently', async () => {
    const notes = await notesOf()
    await expect(idsOf(notes['byNumber']?.all())).rejects.toMatchObject({
      name: 'FailedPageError',
      status: 400,
      error: { errors: [{ in: 'query', path: 'page' }] },
    })
  })

  it('stops when its signal is aborted between two items', async () => {
    const notes = await notesOf()
    const abort = new AbortController()
    const ids: number[] = []
    const read = async () => {
      for await (const { id } of notes['byCursor']?.all({ signal: abort.signal }) ?? []) {
        ids.push(id)
        if (id === 3) abort.abort(new Error('enough'))
      }
    }
    await expect(read()).rejects.toThrow('enough')
    expect(ids).toEqual([1, 2, 3])
    expect(seen.urls).toHaveLength(2)
  })

  it('throws the errors of fetch', async () => {
    const refused = () => Promise.reject(new TypeError('offline'))
    const notes = await notesOf({}, { fetch: refused })
    await expect(idsOf(notes['byCursor']?.all())).rejects.toThrow('offline')
  })

  it.each([
    [{ items: 1, next: null }, 'no list of items'],
    [{ items: [], next: 'same' }, 'its own next page'],
  ])('rejects the page %j', async (data, cause) => {
    const body = JSON.stringify({ statusCode: 'success', status: 200, message: 'OK', data })
    const headers = { 'content-type': 'application/json' }
    const notes = await notesOf({}, { fetch: async () => new Response(body, { headers }) })
    const all = notes['byCursor']?.all()
    await expect(idsOf(all)).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      message: expect.stringContaining(cause),
    })
  })

  it('has no `all` for operations without pages', async () => {
    const notes = await notesOf()
    expect(notes['plain']).not.toHaveProperty('all')
  })
})
