import { Auth, Controller, Get, inject, NotFoundError, Post, Tenant } from 'blazon'
import { z } from 'zod'
import { NotesRepository } from './notes-repository.js'
import { NewNote, Note, NoteId, Paging } from './notes-schemas.js'

@Auth()
@Tenant()
@Controller('notes')
export class NotesController {
  private readonly notes = inject(NotesRepository)

  @Get('', { query: Paging, returns: z.array(Note), summary: 'The newest notes' })
  list({ query }: { query: Paging }) {
    return this.notes.list(query.limit)
  }

  @Get(':id', { params: NoteId, returns: Note, errors: { 404: 'No such note' } })
  async get({ params }: { params: NoteId }) {
    const note = await this.notes.find(params.id)
    if (note === undefined) throw new NotFoundError(`Note ${params.id} does not exist`)
    return note
  }

  @Post('', { body: NewNote, returns: Note, status: 201, can: 'notes:write' })
  add({ body }: { body: NewNote }) {
    return this.notes.add(body)
  }
}
