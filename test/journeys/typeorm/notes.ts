import {
  ApiResponseDoc,
  type AppOptions,
  Body,
  Controller,
  Get,
  HttpCode,
  inject,
  Params,
  Post,
  type Req,
} from 'blazon'
import { repositoryOf, typeorm } from 'blazon/typeorm'
import { EntitySchema } from 'typeorm'
import { z } from 'zod'

export interface Note {
  id: number
  text: string
}

/** Without decorators, so it is the same in both dialects. */
export const NoteEntity = new EntitySchema<Note>({
  name: 'Note',
  columns: {
    id: { type: Number, primary: true, generated: true },
    text: { type: String, unique: true },
  },
})

const NewNote = z.object({ text: z.string() })
const NoteId = z.object({ id: z.coerce.number().int() })

@Controller('notes')
export class NotesController {
  readonly #notes = inject(repositoryOf(NoteEntity))

  @Get()
  async list() {
    const notes = await this.#notes.find({ order: { id: 'asc' } })
    return notes.map(({ text }) => text)
  }

  @Get(':id')
  @Params(NoteId)
  async getById({ params: { id } }: Req<{ params: typeof NoteId }>) {
    return await this.#notes.findOneByOrFail({ id })
  }

  @Post()
  @HttpCode(201)
  @ApiResponseDoc({ status: 201, description: 'The note' })
  @ApiResponseDoc({ status: 409, description: 'There is such a note' })
  @Body(NewNote)
  async add({ body }: Req<{ body: typeof NewNote }>) {
    return await this.#notes.save(body)
  }
}

/** A database in memory, which is empty at each start. */
export const inMemory = typeorm({ type: 'sqljs', entities: [NoteEntity], synchronize: true })

export const options = {
  controllers: [NotesController],
  plugins: [inMemory],
} satisfies AppOptions
