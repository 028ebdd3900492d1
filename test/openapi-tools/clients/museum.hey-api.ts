import assert from 'node:assert/strict'
import { createClient } from '../.cache/generated/museum/hey-api/client/index.js'
import {
  exhibitsCreate,
  exhibitsGetById,
  exhibitsList,
  exhibitsRemove,
  filesRaw,
  filesUpload,
  roomsBuild,
} from '../.cache/generated/museum/hey-api/sdk.gen.js'
import type { Exhibit, NewExhibit } from '../.cache/generated/museum/hey-api/types.gen.js'

const exhibit: NewExhibit = {
  title: 'Two Hands',
  form: { kind: 'sculpture', weight: 10.5, pieces: ['left', 'right'] },
  medium: 'stone',
  provenance: null,
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
  const client = createClient({ baseUrl: origin, auth: 'curator' })
  const withoutToken = createClient({ baseUrl: origin })

  const created = await exhibitsCreate({ client, body: exhibit })
  const stored: Exhibit | undefined = created.data?.data
  assert.equal(created.data?.status, 201)
  assert.equal(stored?.form.kind === 'sculpture' && stored.form.weight, 10.5)

  const id = stored?.id ?? 0
  const read = await exhibitsGetById({ client, path: { id } })
  assert.equal(read.data?.data.title, 'Two Hands')

  const listed = await exhibitsList({
    client: withoutToken,
    query: { medium: ['oil', 'stone'], sort: '-title' },
    headers: { 'x-visitor': 'me' },
  })
  const titles: string[] | undefined = listed.data?.data.items.map(({ title }) => title)
  assert.deepEqual(titles, ['Two Hands'])

  const missing = await exhibitsGetById({ client, path: { id: 99 } })
  assert.equal(missing.error?.status, 404)
  const wrong = await exhibitsCreate({ client, body: { ...exhibit, inventory: 'wrong' } })
  assert.ok(wrong.error !== undefined && 'errors' in wrong.error)
  assert.equal(wrong.error.errors?.[0]?.path, 'inventory')
  const unknown = await exhibitsGetById({ client: withoutToken, path: { id } })
  assert.equal(unknown.response?.status, 401)

  const removed = await exhibitsRemove({ client, path: { id } })
  assert.equal(removed.response?.status, 204)

  const rooms = await roomsBuild({ client, body: { name: 'a', rooms: [], parent: null } })
  assert.deepEqual(rooms.data?.data.rooms, [])
  const raw = await filesRaw({ client })
  const version: 2 | undefined = raw.data?.version
  assert.equal(version, 2)

  const image = new Blob(['12345'])
  const uploaded = await filesUpload({ client, body: { image, caption: 'Five', scans: [image] } })
  assert.deepEqual(uploaded.data?.data, { caption: 'Five', bytes: 5, scans: 1 })
}
