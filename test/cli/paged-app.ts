import {
  App,
  Controller,
  cursor,
  defineControllers,
  Get,
  NotFoundError,
  type OpenApiVersion,
  Paged,
  page,
  type Req,
} from 'blazon'
import { z } from 'zod'

const Note = z.object({ id: z.int(), color: z.string() }).meta({ id: 'Note' })
const Colors = { color: z.enum(['red', 'blue']).optional() }
const ByCursor = cursor(Note, {
  order: { oldest: ['id'], newest: ['-id'] },
  max: 3,
  limit: 2,
  filter: Colors,
})
const ByNumber = page(Note, { max: 3, pageSize: 2, maxPage: 3, filter: Colors })

/** What the tests look at: the URLs and a header of all requests. */
export const seen: { urls: string[]; tags: unknown[] } = { urls: [], tags: [] }

const NOTES = Array.from({ length: 7 }, (_, index) => ({
  id: index + 1,
  color: index % 2 === 0 ? 'red' : 'blue',
}))

function notesFor(
  req: Pick<Req, 'originalUrl' | 'get'> & {
    readonly query: { readonly color?: string | undefined }
  },
) {
  seen.urls.push(req.originalUrl)
  seen.tags.push(req.get('x-tag'))
  const { color } = req.query
  return NOTES.filter((note) => color === undefined || note.color === color)
}

@Controller('notes')
class NotesController {
  @Get('cursor') @Paged(ByCursor) byCursor(
    req: Req<{ query: typeof ByCursor.query }> & Paged<typeof ByCursor>,
  ) {
    const { after, take } = req.page
    const isNewest = req.query.sort === 'newest'
    const notes = isNewest ? notesFor(req).reverse() : notesFor(req)
    const begin = after === null ? 0 : notes.findIndex(({ id }) => id === after.id) + 1
    return req.page.of(notes.slice(begin, begin + take))
  }

  @Get('number') @Paged(ByNumber) byNumber(
    req: Req<{ query: typeof ByNumber.query }> & Paged<typeof ByNumber>,
  ) {
    const { offset, take } = req.page
    const notes = notesFor(req)
    return req.page.of(notes.slice(offset, offset + take), notes.length)
  }

  @Get('of/:folder') @Paged(ByCursor) failing(
    req: Req<{ query: typeof ByCursor.query }> & Paged<typeof ByCursor>,
  ) {
    if (req.query.cursor !== undefined) throw new NotFoundError('Gone')
    return req.page.of(notesFor(req).slice(0, 3))
  }

  @Get('plain') plain() {
    return { items: [1], next: null }
  }
}

/** An application with lists that have pages. */
export function pagedApp({
  openapi = '3.0',
  envelope = true,
}: {
  openapi?: OpenApiVersion
  envelope?: boolean
} = {}) {
  return new App({
    controllers: defineControllers(NotesController),
    cookies: { keys: ['a key of thirty-two characters, or more'] },
    envelope,
    logger: false,
    swagger: { openapi },
  })
}
