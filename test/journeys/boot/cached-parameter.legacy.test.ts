import { Body, Cache, Controller, Get } from 'blazon'
import { expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

it('@Cache is refused on a handler that receives body data as a parameter', async () => {
  @Controller('notes')
  class NotesController {
    @Cache({ ttl: 60 })
    @Get('all')
    all(@Body() body: unknown) {
      return body
    }

    @Cache({ ttl: 60 })
    @Get('part')
    part(@Body('text') text: string) {
      return text
    }
  }
  const problems = await bootProblems({ controllers: [NotesController] })
  const refused = problems.filter(({ code }) => code === 'E_CACHE_BODY')
  expect(refused.map(({ subject }) => subject)).toEqual([
    'NotesController.all',
    'NotesController.part',
  ])
})
