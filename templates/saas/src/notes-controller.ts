import {
  Auth,
  Controller,
  Get,
  Idempotent,
  inject,
  NotFoundError,
  Post,
  PreconditionFailedError,
  Put,
  type Req,
  Tenant,
  Versioned,
} from 'blazon'
import { versionIs } from 'blazon/postgres'
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

  @Versioned()
  @Get(':id', { params: NoteId, returns: Note, errors: { 404: 'No such note' } })
  async get({ params }: { params: NoteId }) {
    const note = await this.notes.find(params.id)
    if (note === undefined) throw new NotFoundError(`Note ${params.id} does not exist`)
    return note
  }

  /** A client that received no response sends the note again, with the same key. */
  @Idempotent()
  @Post('', { body: NewNote, returns: Note, status: 201, can: 'notes:write' })
  add({ body }: { body: NewNote }) {
    return this.notes.add(body)
  }

  /** A client sends the version that it has read, so that it does not overwrite a change of another client. */
  @Versioned()
  @Put(':id', {
    params: NoteId,
    body: NewNote,
    returns: Note,
    errors: { 404: 'No such note' },
    can: 'notes:write',
  })
  async change(req: Req<{ params: typeof NoteId; body: typeof NewNote }>) {
    const note = await this.notes.change(req.params.id, req.body, versionIs(req))
    if (note === undefined) throw new PreconditionFailedError()
    return note
  }
}
