import { Controller, del, get, inject, NotFoundError, page, post, put, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'

const NewNote = z.object({ text: z.string().min(1).max(500) })
const Note = NewNote.extend({ id: z.int() })
const one = { params: z.object({ id: z.coerce.number() }), errors: { 404: 'No such note' } }
const write = { body: NewNote, returns: Note, can: 'notes:write' }

class NoteStore extends Map<number, z.infer<typeof Note>> {
  find(id: number) {
    const note = this.get(id)
    if (note === undefined) throw new NotFoundError('No such note')
    return note
  }
  save = ({ text }: { text: string }, id = this.size + 1) => this.set(id, { id, text }).find(id)
  remove = (id: number): void => void this.delete(this.find(id).id)
}

@Controller('notes')
class Notes {
  private readonly notes = inject(NoteStore)
  list = get('/', { paged: page(Note) }, ({ page: { offset, take, of } }) =>
    of([...this.notes.values()].slice(offset, offset + take), this.notes.size),
  )
  get = get('/:id', { ...one, returns: Note }, ({ params }) => this.notes.find(params.id))
  add = post('/', { ...write, status: 201 }, ({ body }) => this.notes.save(body))
  replace = put('/:id', { ...one, ...write }, ({ params, body }) =>
    this.notes.save(body, this.notes.find(params.id).id),
  )
  remove = del('/:id', { ...one, can: write.can }, ({ params }) => this.notes.remove(params.id))
}

const guard = { canActivate: ({ headers }: Request) => headers.authorization === 'Bearer secret' }
const options = { controllers: [Notes], providers: [NoteStore], auth: { guard } }
const app = await TestApp.create({ ...options, contract: 'throw' })
const request = (permissions = [write.can]) => app.as({ permissions }).request()
afterAll(() => app.close())

it('the service adds, replaces, lists and removes notes', async () => {
  await request().post('/notes').send({ text: 'a' }).expect(201)
  await request().put('/notes/1').send({ text: 'b' }).expect(200)
  const { body } = await request().get('/notes?pageSize=1')
  expect(body.data).toMatchObject({ items: [{ id: 1, text: 'b' }], total: 1, next: null })
  await request().delete('/notes/1').expect(204)
})
it('the service requires the permission to write', async () => {
  await app.request().post('/notes').send({ text: 'a' }).expect(401)
  await request([]).post('/notes').send({ text: 'a' }).expect(403)
})
it('the service responds with 404 to a request for an unknown note', async () => {
  await request().get('/notes/7').expect(404)
  await request().delete('/notes/7').expect(404)
})
