import {
  Auth,
  type AuthGuard,
  Controller,
  Delete,
  del,
  Get,
  get,
  HttpCode,
  inject,
  NotFoundError,
  type Paged,
  Patch,
  Post,
  Put,
  page,
  patch,
  post,
  put,
  QueryMethod,
  query,
  type Request,
  Requires,
  type Response,
  type User,
} from 'blazon'
import { z } from 'zod'

const NoteId = z.object({ id: z.coerce.number() })
const NewNote = z.object({ text: z.string().min(1) })
export const Note = z.object({ id: z.number(), text: z.string() })
type Note = z.output<typeof Note>
type NoteId = z.output<typeof NoteId>
type NewNote = z.output<typeof NewNote>
const Pages = page(Note)

export class NoteStore {
  readonly #notes = new Map<number, Note>([[1, { id: 1, text: 'first' }]])

  all(): Note[] {
    return [...this.#notes.values()]
  }

  find(id: number): Note {
    const note = this.#notes.get(id)
    if (note === undefined) throw new NotFoundError('No such note')
    return note
  }

  save(text: string, id: number = this.#notes.size + 1): Note {
    const note = { id, text }
    this.#notes.set(id, note)
    return note
  }

  remove(id: number): void {
    this.#notes.delete(this.find(id).id)
  }
}

/** Every kind of field route. `Methods` has the same routes, with decorators. */
@Controller('notes')
export class Notes {
  private readonly notes = inject(NoteStore)
  readonly #prefix = 'note '

  list = get('/', { paged: Pages }, ({ page }) => page.of(this.notes.all(), 1))
  read = get('/:id', { params: NoteId, returns: Note, errors: { 404: 'No such note' } }, (req) =>
    this.notes.find(req.params.id),
  )

  add = post(
    '',
    { body: NewNote, returns: Note, status: 201, can: 'notes:write' },
    async ({ body, user }) => this.notes.save(`${user['name']}: ${body.text}`),
  )

  replace = put(
    '/:id',
    { params: NoteId, body: NewNote, returns: Note },
    function (this: Notes, { params, body }) {
      return this.notes.save(this.#prefix + body.text, params.id)
    },
  )

  change = patch('/:id', { params: NoteId, body: NewNote }, ({ params, body }) =>
    this.notes.save(body.text, params.id),
  )

  @Auth()
  @HttpCode(202)
  remove = del('/:id', { params: NoteId }, ({ params }) => this.notes.remove(params.id))
  find = query('/search', { body: NewNote }, ({ body }) =>
    this.notes.all().filter(({ text }) => text.includes(body.text)),
  )

  @Requires('notes:export')
  export = get('/export', (_req, res) => res.type('text/plain').send('all'))
}

export const guard: AuthGuard<never> = {
  canActivate(req: Request) {
    if (req.headers['x-user'] === undefined) return false
    req.user = { name: req.headers['x-user'], permissions: ['notes:write'] }
    return true
  },
}

/** The same routes as methods. */
@Controller('notes')
export class Decorated {
  private readonly notes = inject(NoteStore)
  readonly #prefix = 'note '

  @Get('/', { paged: Pages })
  list({ page }: Paged<typeof Pages>) {
    return page.of(this.notes.all(), 1)
  }

  @Get('/:id', { params: NoteId, returns: Note, errors: { 404: 'No such note' } })
  read({ params }: { params: NoteId }) {
    return this.notes.find(params.id)
  }

  @Post('', { body: NewNote, returns: Note, status: 201, can: 'notes:write' })
  async add({ body, user }: { body: NewNote; user: User }) {
    return this.notes.save(`${user['name']}: ${body.text}`)
  }

  @Put('/:id', { params: NoteId, body: NewNote, returns: Note })
  replace({ params, body }: { params: NoteId; body: NewNote }) {
    return this.notes.save(this.#prefix + body.text, params.id)
  }

  @Patch('/:id', { params: NoteId, body: NewNote })
  change({ params, body }: { params: NoteId; body: NewNote }) {
    return this.notes.save(body.text, params.id)
  }

  @Auth()
  @HttpCode(202)
  @Delete('/:id', { params: NoteId })
  remove({ params }: { params: NoteId }) {
    this.notes.remove(params.id)
  }

  @QueryMethod('/search', { body: NewNote })
  find({ body }: { body: NewNote }) {
    return this.notes.all().filter(({ text }) => text.includes(body.text))
  }

  @Requires('notes:export')
  @Get('/export')
  export(_req: Request, res: Response) {
    return res.type('text/plain').send('all')
  }
}
