// Handlers against `returns` in the options of their routes.
import {
  BaseController,
  Controller,
  csv,
  Get,
  Post,
  Produces,
  type Req,
  type Response,
} from 'blazon'
import Type from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'

const Note = z.object({ id: z.number(), text: z.string(), at: z.date().optional() })
const NoteId = z.object({ id: z.coerce.number() })
const NewNote = z.object({ text: z.string() })
type Note = z.output<typeof Note>
type NoteId = z.output<typeof NoteId>
type NewNote = z.output<typeof NewNote>

@Controller('good')
export class Good extends BaseController {
  @Get(':id', { params: NoteId, returns: Note, errors: { 404: 'No such note' } })
  get({ params }: { params: NoteId }) {
    return { id: params.id, text: 'a', more: true }
  }

  @Post('', {
    body: NewNote,
    returns: Note,
    status: 201,
    can: 'notes:write',
    summary: 'Add a note',
    responseHeaders: { 'x-a': 'b' },
    errors: { 409: { description: 'It is there', schema: NewNote } },
    rateLimit: [{ limit: 1, window: '1m', by: (req) => req.params['id'] ?? '' }],
  })
  async add({ body }: { body: NewNote }): Promise<Note> {
    return { id: 1, text: body.text, at: new Date() }
  }

  @Get('cached', {
    returns: z.array(Note),
    cache: { ttl: '1m', key: (req) => req.path },
    rateLimit: false,
  })
  cached(): Note[] {
    return []
  }

  // A handler that takes `res` may send anything itself.
  @Get('own', { returns: Note })
  own(_req: Req, res: Response) {
    return this.ok(res, 'A note', { id: 1 })
  }

  @Get('rows', { returns: z.array(Note) })
  @Produces(csv())
  async *rows() {
    yield { id: 1, text: 'a' }
  }

  @Get('typebox', { returns: Type.Object({ id: Type.Number() }) })
  typebox() {
    return { id: 1 }
  }

  @Get('valibot', { returns: v.object({ id: v.number() }) })
  private valibot() {
    return { id: 1 }
  }

  @Get('json', {
    returns: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
  })
  protected async json() {
    return { id: this.valibot().id }
  }

  @Get('any', { returns: Note })
  // biome-ignore lint/suspicious/noExplicitAny: a value without a type fits
  any(): any {
    return null
  }
}

@Controller('bad')
export class Bad {
  // @ts-expect-error: the id is text
  @Get('id', { returns: Note })
  id() {
    return { id: 'a', text: 'a' }
  }

  // @ts-expect-error: the text is missing
  @Get('missing', { returns: Note })
  async missing() {
    return { id: 1 }
  }

  // @ts-expect-error: nothing is returned
  @Get('nothing', { returns: Note })
  nothing() {}

  // @ts-expect-error: there may be no note
  @Get('maybe', { returns: Note })
  async maybe(): Promise<Note | undefined> {
    return undefined
  }

  // @ts-expect-error: the items are not notes
  @Get('list', { returns: z.array(Note) })
  list() {
    return [{ id: 1 }]
  }

  // @ts-expect-error: private methods are compared, too
  @Get('json', {
    returns: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
  })
  private json() {
    return { id: 'a' }
  }

  // @ts-expect-error: an option that does not exist
  @Get('retruns', { retruns: Note })
  misspelt() {
    return this.json()
  }

  // @ts-expect-error: a status is a number
  @Get('status', { status: '201' })
  status() {}

  // @ts-expect-error: the body is wrong, and `returns` is right
  @Post('body', { body: NewNote, returns: Note })
  body({ body }: { body: { text: number } }) {
    return { id: body.text, text: '' }
  }
}
