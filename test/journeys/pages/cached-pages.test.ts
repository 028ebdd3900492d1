import { Cache, Controller, Get, Paged } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { KEYS, NotePages, notesTo } from './notes-app.js'

it('the cache stores each page together with its link', async () => {
  const notes = notesTo(7)
  let reads = 0

  @Controller('notes')
  class Notes {
    @Get()
    @Cache({ ttl: '1m' })
    @Paged(NotePages)
    list({ page }: Paged<typeof NotePages>) {
      reads++
      const { after, take } = page
      return page.of(notes.filter(({ id }) => id > Number(after?.id ?? 0)).slice(0, take))
    }
  }
  await using app = await TestApp.create({ controllers: [Notes], cookies: { keys: KEYS } })
  const get = async (query: string) => {
    const { body, headers } = await app.request().get(`/notes${query}`).expect(200)
    return {
      ids: body.data.items.map(({ id }: { id: number }) => id),
      next: body.data.next,
      link: headers['link'],
    }
  }
  const first = await get('')
  const second = await get(`?cursor=${first.next}`)
  expect([first.ids, second.ids]).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ])
  expect(await get('')).toEqual(first)
  expect(await get(`?cursor=${first.next}`)).toEqual(second)
  expect(first.link).toContain(first.next)
  expect(reads).toBe(2)
})
