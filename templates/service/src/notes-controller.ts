import {
  ApiResponseDoc,
  Can,
  Controller,
  Get,
  HttpCode,
  inject,
  Log,
  NotFoundError,
  Post,
  type Req,
} from 'blazon'
import { z } from 'zod'
import { NewNote, Note, NoteId, Paging } from './notes-schemas.js'
import { NotesStore } from './notes-store.js'
import type { tokenGuard } from './token-guard.js'

@Controller('notes')
export class NotesController {
  private readonly notes = inject(NotesStore)
  private readonly log = inject(Log)

  @Get('', { query: Paging })
  @ApiResponseDoc({ status: 200, description: 'The newest notes', schema: z.array(Note) })
  list({ query }: Req<{ query: typeof Paging }>) {
    return this.notes.list(query.limit)
  }

  @Get(':id', { params: NoteId })
  @ApiResponseDoc({ status: 200, description: 'The note', schema: Note })
  @ApiResponseDoc({ status: 404, description: 'No such note' })
  get({ params }: Req<{ params: typeof NoteId }>) {
    const note = this.notes.find(params.id)
    if (note === undefined) throw new NotFoundError(`Note ${params.id} does not exist`)
    return note
  }

  @Can('notes:write')
  @Post('', { body: NewNote })
  @HttpCode(201)
  @ApiResponseDoc({ status: 201, description: 'The new note', schema: Note })
  add({ body, user }: Req<{ auth: typeof tokenGuard; body: typeof NewNote }>) {
    const note = this.notes.add(body)
    this.log.info({ note: note.id, by: user.id }, 'Note added')
    return note
  }
}
