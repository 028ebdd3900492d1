import { Controller, Get, RateLimit, Version } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'

const [first, second] = [Symbol('list'), Symbol('list')]

@Version('1', '2')
@Controller('rows')
class RowsController {
  @RateLimit({ limit: 1, window: '1m' })
  @Get('a')
  [first]() {}

  @RateLimit({ limit: 5, window: '1m' })
  @Get('b')
  [second]() {}
}

it('handlers have separate limits in each version, even if their symbols have equal descriptions', async () => {
  await using app = await TestApp.create({
    controllers: [RowsController],
    versions: { by: 'path' },
    rateLimit: true,
  })
  const statusOf = async (path: string) => (await app.request().get(path)).status
  for (const version of ['v1', 'v2']) {
    expect([await statusOf(`/${version}/rows/a`), await statusOf(`/${version}/rows/a`)]).toEqual([
      204, 429,
    ])
    for (let i = 0; i < 5; i++) expect(await statusOf(`/${version}/rows/b`)).toBe(204)
  }
})

it('the version in a path is case-insensitive', async () => {
  await using app = await TestApp.create({
    controllers: [RowsController],
    versions: { by: 'path' },
  })
  expect((await app.request().get('/V1/rows/a')).status).toBe(204)
  expect((await app.request().get('/V9/rows/a')).body.code).toBe('VERSION_UNKNOWN')
})
