import assert from 'node:assert/strict'
import {
  Api,
  type Exhibit,
  Medium,
  type NewExhibit,
} from '../.cache/generated/museum/swagger-typescript-api/api.js'

const exhibit: NewExhibit = {
  title: 'Two Hands',
  form: { kind: 'sculpture', weight: 10.5, pieces: ['left', 'right'] },
  medium: Medium.Stone,
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
  const api = new Api<string>({
    baseUrl: origin,
    securityWorker: (token) => ({ headers: { Authorization: `Bearer ${token}` } }),
  })
  const statusOf = (call: Promise<unknown>) => call.catch(({ status }) => status)

  assert.equal(await statusOf(api.exhibits.exhibitsGetById(1)), 401)
  api.setSecurityData('curator')

  const created = await api.exhibits.exhibitsCreate(exhibit)
  const stored: Exhibit = created.data.data
  assert.equal(created.data.status, 201)
  assert.equal(stored.form.kind === 'sculpture' && stored.form.weight, 10.5)

  const read = await api.exhibits.exhibitsGetById(stored.id)
  assert.equal(read.data.data.title, 'Two Hands')

  const listed = await api.exhibits.exhibitsList(
    { medium: [Medium.Oil, Medium.Stone], sort: '-title' },
    { headers: { 'x-visitor': 'me' } },
  )
  const titles: string[] = listed.data.data.items.map(({ title }) => title)
  assert.deepEqual(titles, ['Two Hands'])

  assert.equal(await statusOf(api.exhibits.exhibitsGetById(99)), 404)
  const wrong = { ...exhibit, inventory: 'wrong' }
  assert.equal(await statusOf(api.exhibits.exhibitsCreate(wrong)), 400)

  const removed = await api.exhibits.exhibitsRemove(stored.id)
  assert.equal(removed.status, 204)

  const rooms = await api.rooms.roomsBuild({ name: 'a', rooms: [], parent: null })
  assert.deepEqual(rooms.data.data.rooms, [])

  const image = new File(['12345'], 'a.png')
  const uploaded = await api.files.filesUpload({ image, caption: 'Five' })
  assert.deepEqual(uploaded.data.data, { caption: 'Five', bytes: 5, scans: 0 })
}
