import { type AppOptions, Controller, cursor, Get, Paged, Tenant } from 'blazon'
import { TestApp } from 'blazon/testing'
import { z } from 'zod'

export const KEYS = ['a key of thirty-two characters, or more']

export const Note = z
  .object({ id: z.int(), color: z.enum(['red', 'blue']), text: z.string() })
  .meta({ id: 'Note' })

export type Note = z.infer<typeof Note>

export const NotePages = cursor(Note, {
  order: ['id'],
  max: 10,
  limit: 3,
  filter: { color: Note.shape.color.optional(), since: z.coerce.date().optional() },
})

/** Sorted by `id`. Tests add and remove notes. */
export function notesApp(notes: readonly Note[], options: AppOptions = {}) {
  @Tenant({ optional: true })
  @Controller()
  class Notes {
    @Get('notes')
    @Paged(NotePages)
    list(req: Paged<typeof NotePages>) {
      return pageOf(req)
    }

    @Get('others')
    @Paged(NotePages)
    others(req: Paged<typeof NotePages>) {
      return pageOf(req)
    }

    @Get('folders/:folder')
    @Paged(NotePages)
    folder(req: Paged<typeof NotePages>) {
      return pageOf(req)
    }
  }

  function pageOf({ page, query }: Paged<typeof NotePages>) {
    const { after, take } = page
    const { color } = query
    const found = notes
      .filter((note) => after === null || note.id > Number(after.id))
      .filter((note) => color === undefined || note.color === color)
    return page.of(found.slice(0, take))
  }

  return TestApp.create({
    controllers: [Notes],
    cookies: { keys: KEYS },
    envelope: false,
    tenant: { header: 'x-tenant' },
    ...options,
  })
}

export function notesTo(last: number): Note[] {
  return Array.from({ length: last }, (_, index) => ({
    id: index + 1,
    color: index % 2 === 0 ? 'red' : 'blue',
    text: `note ${index + 1}`,
  }))
}
