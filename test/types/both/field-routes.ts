// Routes as fields: what is inferred, and what does not compile.
import {
  Auth,
  BaseController,
  Cache,
  Controller,
  del,
  file,
  get,
  HttpCode,
  JsonLines,
  page as numbered,
  patch,
  post,
  put,
  query,
  Requires,
  Use,
  type User,
} from 'blazon'
import Type from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import type { Equal, Expect } from '../expect.js'

const Note = z.object({ id: z.number(), text: z.string(), at: z.date().optional() })
const NewNote = z.object({ text: z.string() })
const NoteId = z.object({ id: z.coerce.number() })
const Page = z.object({ page: z.coerce.number().default(1) })
const Trace = z.object({ 'x-trace': z.string().optional() })
const Pages = numbered(Note)
type Note = z.output<typeof Note>

class Store {
  add(text: string): Note {
    return { id: 1, text }
  }
}

@Controller('good')
export class Good extends BaseController {
  private readonly notes = new Store()
  readonly #notes = this.notes

  parts = put(
    '/:id',
    { params: NoteId, query: Page, headers: Trace, cookies: Page, body: NewNote },
    ({ params, query, validated, body, path, user }) => {
      type Inferred = [
        Expect<Equal<typeof params, { id: number }>>,
        Expect<Equal<typeof query, { page: number }>>,
        Expect<Equal<typeof body, { text: string }>>,
        Expect<Equal<typeof validated.headers, { 'x-trace'?: string | undefined }>>,
        Expect<Equal<typeof validated.cookies, { page: number }>>,
        Expect<Equal<typeof user, User | undefined>>,
      ]
      return [path, query.page, null as unknown as Inferred]
    },
  )

  nothing = get('/', ({ params, body }) => {
    type Inferred = [
      Expect<Equal<typeof params, Record<string, string>>>,
      Expect<Equal<typeof body, unknown>>,
    ]
    return null as unknown as Inferred
  })

  empty = get('/empty', {}, ({ params }) => params['id'])

  add = post(
    '/',
    { body: NewNote, returns: Note, status: 201, can: 'notes:write' },
    async ({ body, user }) => {
      type Inferred = Expect<Equal<typeof user, User>>
      return { ...this.notes.add(body.text), more: null as unknown as Inferred }
    },
  )

  upload = post('/upload', { upload: { scan: file() } }, ({ body }) => body.scan.size)
  list = get('/list', { paged: Pages }, ({ page, query }) => page.of([], query.pageSize + 1))
  valibot = patch('/v', { body: v.object({ name: v.string() }) }, ({ body }) => body.name.length)
  typebox = query('/t', { body: Type.Object({ n: Type.Number() }) }, ({ body }) => body.n + 1)
  text = post('/text', { body: { type: 'text' } }, ({ body }) => body.length)
  own = get('/own', { returns: Note }, (_req, res) => this.ok(res, 'A note', { id: 1 }))
  json = get('/json', { returns: Note }, async (_req, res) => res.json({ id: 1 }))
  // biome-ignore lint/suspicious/noExplicitAny: a value without a type fits
  any = get('/any', { returns: Note }, (): any => null)
  remove = del('/:id', { params: NoteId }, ({ params }) => void this.notes.add(`${params.id}`))
  private hidden = get('/hidden', () => this.#notes.add(''))
  again = get('/again', () => this.hidden)

  ofThis = get('/this', { returns: Note }, function (this: Good, { params }) {
    return this.notes.add(params['text'] ?? '')
  })

  @Auth()
  @HttpCode(201)
  @Requires('notes:read')
  @Cache({ ttl: '1m' })
  @Use((_req, _res, next) => next())
  decorated = get('/decorated', () => 1)

  @JsonLines(Note)
  lines = get('/lines', async function* () {
    yield { id: 1, text: '' }
  })
}

export const called: Promise<Note> = new Good().add(null as unknown as Parameters<Good['add']>[0])

@Controller('bad')
export class Bad {
  // @ts-expect-error: the text is missing
  missing = get('/1', { returns: Note }, () => ({ id: 1 }))

  // @ts-expect-error: the id is text
  wrong = get('/2', { returns: Note }, async () => ({ id: '1', text: '' }))

  // @ts-expect-error: there may be no note
  maybe = get('/3', { returns: Note }, (): Note | undefined => undefined)

  // @ts-expect-error: nothing is returned
  nothing = get('/4', { returns: Note }, () => {})

  // @ts-expect-error: the items are not notes
  items = get('/5', { returns: z.array(Note) }, () => [{ id: 1 }])

  // @ts-expect-error: the body has no such field
  field = post('/6', { body: NewNote }, ({ body }) => body.title)

  // @ts-expect-error: no body is declared
  undeclared = post('/7', {}, ({ body }) => body.text)

  // @ts-expect-error: there may be no user
  user = get('/8', {}, ({ user }) => user.id)

  // @ts-expect-error: an option that does not exist
  misspelt = get('/9', { retruns: Note }, () => null)

  // @ts-expect-error: a status is a number
  status = post('/10', { status: '201' }, () => null)

  // @ts-expect-error: a schema is not an options object
  schema = post('/11', NewNote, () => null)

  // @ts-expect-error: a route needs a handler
  noHandler = post('/12', { body: NewNote })

  // @ts-expect-error: a path is text
  path = get({ params: NoteId }, () => null)
}
