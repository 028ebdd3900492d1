// Handlers against `@Upload`, `@Sse`, `@JsonLines` and `@Paged`.
import {
  Controller,
  type CursorValue,
  cursor,
  file,
  Get,
  JsonLines,
  Paged,
  Post,
  page,
  type Req,
  type Request,
  Sse,
  sseComment,
  sseEvent,
  Upload,
  type UploadedFile,
  type User,
} from 'blazon'
import { z } from 'zod'
import type { Equal, Expect } from '../expect.js'

const Profile = {
  title: z.string(),
  avatar: file({ types: ['image/png'] }),
  photos: file({ max: 3 }),
  note: file({ optional: true }),
}
const Item = z.object({ id: z.number(), name: z.string() })
const ItemPages = cursor(Item, { order: ['-name', 'id'], filter: { name: z.string().optional() } })
const ItemNumbers = page(Item)

@Controller('good')
export class Good {
  @Post('profile')
  @Upload(Profile)
  profile({ body }: Req<{ upload: typeof Profile }>) {
    const title: Expect<Equal<typeof body.title, string>> = true
    const avatar: Expect<Equal<typeof body.avatar, UploadedFile>> = true
    const photos: Expect<Equal<typeof body.photos, UploadedFile[]>> = true
    const note: Expect<Equal<typeof body.note, UploadedFile | undefined>> = true
    return [title, avatar, photos, note]
  }

  @Post('untyped')
  @Upload(Profile)
  untyped(req: Request) {
    return req.body.title
  }

  @Get('events')
  @Sse(Item)
  async *events() {
    yield sseComment('open')
    yield { id: 1, name: 'a' }
    yield sseEvent({ id: 2, name: 'b' }, { id: '2' })
  }

  @Get('lines')
  @JsonLines(Item)
  async *lines() {
    yield { id: 1, name: 'a' }
  }

  @Get('pages')
  @Paged(ItemPages)
  pages({ page, query }: Paged<typeof ItemPages>) {
    const name: Expect<Equal<typeof query.name, string | undefined>> = true
    const after: Expect<
      Equal<typeof page.after, Readonly<Record<'id' | 'name', CursorValue>> | null>
    > = true
    return page.of([{ id: 1, name: `${name} ${after}` }])
  }

  @Get('options', { paged: ItemPages, summary: 'The items' })
  options({ page, query }: Paged<typeof ItemPages>) {
    return page.of([{ id: page.limit, name: query.name ?? 'a' }])
  }

  @Get('numbers', { paged: ItemNumbers })
  async numbers({ page, user }: Paged<typeof ItemNumbers> & { user: User }) {
    const { items, total } = page.of([{ id: user['id'] }], 1n)
    return [items, total]
  }

  @Get('request', { paged: ItemPages })
  request(req: Request & Paged<typeof ItemPages>) {
    return req.page.of([{ id: 1, name: req.originalUrl }])
  }
}

export class Bad {
  // @ts-expect-error A list with numbers has no cursor.
  @Paged(ItemNumbers)
  cursor({ page }: Paged<typeof ItemPages>) {
    return page.after
  }

  // @ts-expect-error The route has no pages.
  @Get('', { summary: 'The items' })
  unpaged({ page }: Paged<typeof ItemPages>) {
    return page.after
  }

  // @ts-expect-error The pages are not these.
  @Get('', { paged: ItemNumbers })
  otherPages({ page }: Pick<Paged<typeof ItemPages>, 'page'>) {
    return page.after
  }

  // @ts-expect-error A schema describes no pages.
  @Get('', { paged: Item })
  schema() {}

  @Get('', { paged: ItemNumbers })
  withoutTotal({ page }: Paged<typeof ItemNumbers>) {
    // @ts-expect-error The page has a total.
    return page.of([])
  }

  // @ts-expect-error The form has no field `titel`.
  @Upload(Profile)
  misspelled(req: { body: { titel: string } }) {
    return req.body.titel
  }

  // @ts-expect-error An item has a name.
  @Sse(Item)
  async *withoutName() {
    yield { id: 1 }
  }

  // @ts-expect-error A list is not a stream.
  @JsonLines(Item)
  async list() {
    return [{ id: 1, name: 'a' }]
  }
}

// @ts-expect-error An item has no field `nam`.
cursor(Item, { order: ['nam'] })
// @ts-expect-error An item has no field `nam`.
cursor(Item, { order: { names: ['nam'] } })

const SortedPages = cursor(Item, { order: { newest: ['-id'], name: ['name', 'id'] } })
export type Sort = Expect<
  Equal<Req<{ query: typeof SortedPages.query }>['query']['sort'], 'newest' | 'name'>
>
// @ts-expect-error A list with one order has no `sort`.
export type NoSort = Req<{ query: typeof ItemPages.query }>['query']['sort']
