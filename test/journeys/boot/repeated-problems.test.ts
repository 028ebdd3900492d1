import { Controller, Get, Post, RateLimit } from 'blazon'
import { expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

const wrong = RateLimit({ limit: 0, window: '1m' })

it('boot reports a mistake of a class once, however many routes the class has', async () => {
  @wrong
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
    @wrong @Get('a') @Get('b') list() {}
    @wrong @Get('c') other() {}
  }
  const problems = await bootProblems({ controllers: [ThingsController] })
  expect(problems.map(({ subject }) => subject)).toEqual([
    'ThingsController.list @RateLimit',
    'ThingsController.other @RateLimit',
  ])
})
