import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from '../.cache/generated/museum/openapi-typescript/schema.js'

type NewExhibit = components['schemas']['NewExhibit']

const exhibit: NewExhibit = {
  title: 'The Harbour at Dusk',
  form: { kind: 'painting', canvas: { width: 300, height: 200 }, frame: 'oak' },
  medium: 'oil',
  provenance: null,
  keywords: [],
  isOnShow: true,
  inventory: 'AB-0001',
}

// Values that the document does not allow do not compile.
export const wrong: NewExhibit[] = [
  // @ts-expect-error a title is a string
  { ...exhibit, title: 1 },
  // @ts-expect-error paint is not a medium
  { ...exhibit, medium: 'paint' },
  // @ts-expect-error a sculpture has no canvas
  { ...exhibit, form: { kind: 'sculpture', canvas: { width: 1, height: 1 }, frame: '' } },
  // @ts-expect-error the provenance may be null, not missing
  { ...exhibit, provenance: undefined },
]

export async function drive(origin: string): Promise<void> {
  const headers = { Authorization: 'Bearer curator' }
  const curator = createClient<paths>({ baseUrl: origin, headers })
  const withoutToken = createClient<paths>({ baseUrl: origin })

  const created = await curator.POST('/exhibits', { body: exhibit })
  const stored: components['schemas']['Exhibit'] | undefined = created.data?.data
  assert.equal(created.data?.status, 201)
  assert.equal(stored?.form.kind === 'painting' && stored.form.frame, 'oak')

  const id = stored?.id ?? 0
  const read = await curator.GET('/exhibits/{id}', { params: { path: { id } } })
  assert.deepEqual(read.data?.data.acquiredAt, '2030-01-02T03:04:05Z')

  const listed = await withoutToken.GET('/exhibits', {
    params: {
      query: { medium: ['oil', 'stone'], page: 1, sort: '-title' },
      header: { 'x-visitor': 'me' },
    },
  })
  const titles: string[] | undefined = listed.data?.data.items.map(({ title }) => title)
  assert.deepEqual(titles, ['The Harbour at Dusk'])
  const none = await withoutToken.GET('/exhibits', {
    params: { query: { medium: ['stone'] }, header: { 'x-visitor': 'me' } },
  })
  assert.equal(none.data?.data.total, 0)

  const missing = await curator.GET('/exhibits/{id}', { params: { path: { id: 99 } } })
  assert.equal(missing.error?.status, 404)
  assert.equal(missing.error && 'code' in missing.error && missing.error.code, 'NOT_FOUND')
  const wrong = await curator.POST('/exhibits', { body: { ...exhibit, inventory: 'wrong' } })
  assert.ok(wrong.error !== undefined && 'errors' in wrong.error)
  assert.equal(wrong.error.errors?.[0]?.path, 'inventory')
  const unknown = await withoutToken.GET('/exhibits/{id}', { params: { path: { id } } })
  assert.equal(unknown.response.status, 401)

  const removed = await curator.DELETE('/exhibits/{id}', { params: { path: { id } } })
  const nothing: undefined = removed.data
  assert.equal(nothing, undefined)
  assert.equal(removed.response.status, 204)

  const rooms = await withoutToken.POST('/rooms', { body: { name: 'a', rooms: [], parent: null } })
  assert.deepEqual(rooms.data?.data.rooms, [])
  const raw = await withoutToken.GET('/files/raw')
  const version: 2 | undefined = raw.data?.version
  assert.equal(version, 2)
}
