import { Cache, Controller, Delete, Get, Post, RateLimit } from 'blazon'
import { expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

it('boot reports a mistake of a class once, however many routes the class has', async () => {
  @RateLimit({ limit: 0, window: '1m' })
  @Controller('things')
  class ThingsController {
    @Get() list() {}
    @Get(':id') read() {}
    @Post() create() {}
  }
  const problems = await bootProblems({ controllers: [ThingsController] })
  expect(problems.map(({ subject }) => subject)).toEqual(['ThingsController @RateLimit'])
})

it('boot reports a mistake of a method once if the method has several routes', async () => {
  @Controller('things')
  class ThingsController {
    @Cache({ ttl: 60 }) @Post('a') @Post('b') create() {}
    @Cache({ ttl: 60 }) @Delete('c') remove() {}
  }
  const problems = await bootProblems({ controllers: [ThingsController] })
  expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
    ['E_CACHE_METHOD', 'ThingsController.create'],
    ['E_CACHE_METHOD', 'ThingsController.remove'],
  ])
})
