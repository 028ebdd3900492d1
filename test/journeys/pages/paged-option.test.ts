import { Controller, cursor, Get, Paged, page } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'
import { KEYS } from './notes-app.js'

const Note = z.object({ id: z.int() }).meta({ id: 'Note' })
const Cursors = cursor(Note, { order: ['id'], max: 3 })
const Numbers = page(Note, { max: 3, pageSize: 2 })
const NOTES = [1, 2, 3, 4, 5].map((id) => ({ id }))

function byOptions() {
  @Controller('notes')
  class Notes {
    @Get('', { paged: Numbers, summary: 'The notes' })
    list({ page }: Paged<typeof Numbers>) {
      return page.of(NOTES.slice(page.offset, page.offset + page.take), NOTES.length)
    }

    @Get('walk', { paged: Cursors })
    walk({ page: { after, take, of } }: Paged<typeof Cursors>) {
      return of(NOTES.filter(({ id }) => after === null || id > Number(after.id)).slice(0, take))
    }
  }
  return Notes
}

function byDecorators() {
  @Controller('notes')
  class Notes {
    @Get('', { query: Numbers.query, summary: 'The notes' })
    @Paged(Numbers)
    list() {}

    @Get('walk')
    @Paged(Cursors)
    walk() {}
  }
  return Notes
}

const appOf = (controller: ReturnType<typeof byOptions> | ReturnType<typeof byDecorators>) =>
  TestApp.create({ controllers: [controller], cookies: { keys: KEYS }, envelope: false })

describe('the `paged` option', () => {
  it('is documented exactly like @Paged', async () => {
    await using options = await appOf(byOptions())
    await using decorators = await appOf(byDecorators())
    expect(options.document).toEqual(decorators.document)
    expect(Object.keys(options.document.paths)).toHaveLength(2)
  })

  it('sends pages with the `Link` header', async () => {
    await using app = await appOf(byOptions())
    const numbered = await app.request().get('/notes?page=2').expect(200)
    expect(numbered.body).toEqual({
      items: [{ id: 3 }, { id: 4 }],
      page: 2,
      pageSize: 2,
      next: 3,
      total: 5,
    })
    expect(numbered.headers['link']).toContain('<?page=3>; rel="next"')
    const first = await app.request().get('/notes/walk?limit=2').expect(200)
    expect(first.headers['link']).toContain(first.body.next)
    const second = await app.request().get(`/notes/walk?limit=3&cursor=${first.body.next}`)
    expect(second.body).toEqual({ items: NOTES.slice(2), next: null })
  })

  it.each([[Note], ['Notes'], [null], [{}]])('refuses %o at boot', async (paged) => {
    @Controller('notes')
    class Notes {
      @Get('', { paged: paged as never })
      list() {}
    }
    expect(await bootProblems({ controllers: [Notes] })).toMatchObject([
      {
        subject: 'Notes.list',
        cause: expect.stringMatching(
          /^`paged` in @Get\(\) must be the result of cursor\(\) or page\(\), not /,
        ),
      },
    ])
  })

  it('cannot be used together with another query schema', async () => {
    @Controller('notes')
    class Notes {
      @Get('', { paged: Numbers, query: Note })
      list() {}
    }
    expect(await bootProblems({ controllers: [Notes] })).toMatchObject([{ code: 'E_INPUT_TWICE' }])
  })
})
