import {
  ApiResponseDoc,
  Auth,
  Can,
  Controller,
  Get,
  HttpCode,
  inject,
  NotFoundError,
  Post,
  type Req,
  Tenant,
} from 'blazon'
import { z } from 'zod'
import { NotesRepository } from './notes-repository.js'
import { NewNote, Note, NoteId, Paging } from './notes-schemas.js'

@Auth()
@Tenant()
@Controller('notes')
export class NotesController {
  private readonly notes = inject(NotesRepository)

  @Get('', { query: Paging })
  @ApiResponseDoc({ status: 200, description: 'The newest notes', schema: z.array(Note) })
  list({ query }: Req<{ query: typeof Paging }>) {
    return this.notes.list(query.limit)
  }

  @Get(':id', { params: NoteId })
  @ApiResponseDoc({ status: 200, description: 'The note', schema: Note })
  @ApiResponseDoc({ status: 404, description: 'No such note' })
  async get({ params }: Req<{ params: typeof NoteId }>) {
    const note = await this.notes.find(params.id)
    if (note === undefined) throw new NotFoundError(`Note ${params.id} does not exist`)
    return note
  }

  @Can('notes:write')
  @Post('', { body: NewNote })
  @HttpCode(201)
  @ApiResponseDoc({ status: 201, description: 'The new note', schema: Note })
  add({ body }: Req<{ body: typeof NewNote }>) {
    return this.notes.add(body)
  }
}
