// Handlers against `@Upload`, `@Sse`, `@JsonLines` and `@Paged`.
import {
  Controller,
  cursor,
  file,
  Get,
  JsonLines,
  Paged,
  Post,
  type Req,
  type Request,
  Sse,
  sseComment,
  sseEvent,
  Upload,
  type UploadedFile,
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
  pages(req: Request) {
    const page = ItemPages.of(req)
    return page.make([{ id: 1, name: 'a' }])
  }
}

export class Bad {
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
