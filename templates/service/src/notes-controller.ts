import { Controller, Get, inject, Log, NotFoundError, Post } from 'blazon'
import { z } from 'zod'
import { NewNote, Note, NoteId, Paging } from './notes-schemas.js'
import { NotesStore } from './notes-store.js'
import type { Caller } from './token-guard.js'

@Controller('notes')
export class NotesController {
  private readonly notes = inject(NotesStore)
  private readonly log = inject(Log)

  @Get('', { query: Paging, returns: z.array(Note), summary: 'The newest notes' })
  list({ query }: { query: Paging }) {
    return this.notes.list(query.limit)
  }

  @Get(':id', { params: NoteId, returns: Note, errors: { 404: 'No such note' } })
  get({ params }: { params: NoteId }) {
    const note = this.notes.find(params.id)
    if (note === undefined) throw new NotFoundError(`Note ${params.id} does not exist`)
    return note
  }

  @Post('', { body: NewNote, returns: Note, status: 201, can: 'notes:write' })
  add({ body, user }: { body: NewNote; user: Caller }) {
    const note = this.notes.add(body)
    this.log.info({ note: note.id, by: user.id }, 'Note added')
    return note
  }
}
