import {
  Controller,
  Get,
  Post,
  RateLimit,
  type Request,
  Version,
  type VersionOptions,
} from 'blazon'
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

it('a path that only another version has is not found, whatever the case of the version', async () => {
  @Version('1')
  @Controller('early')
  class EarlyController {
    @Get() list() {}
  }
  @Version('2')
  @Controller('late')
  class LateController {
    @Get() list() {}
  }
  const controllers = [EarlyController, LateController]
  await using app = await TestApp.create({ controllers, versions: { by: 'path' } })
  const codeOf = async (path: string) => (await app.request().get(path)).body.code
  for (const path of ['/v1/late', '/V1/late', '/v1/late?a=/v2', '/v/late', '/late', '/v1?/late'])
    expect([path, await codeOf(path)]).toEqual([path, 'NOT_FOUND'])
  for (const path of ['/v3/late', '/V3/late?a', '/vnext/early'])
    expect([path, await codeOf(path)]).toEqual([path, 'VERSION_UNKNOWN'])
})

it('a request without a version is refused for its version, unless a route of every version has its path', async () => {
  @Version('1')
  @Controller('early')
  class EarlyController {
    @Get() list() {}
    @Get('shared') shared() {}
  }
  @Controller('early')
  class SharedController {
    @Post('shared') create() {}
  }
  await using app = await TestApp.create({
    controllers: [EarlyController, SharedController],
    versions: { by: { header: 'X-Version' } },
  })
  const codeOf = async (method: 'get' | 'put', path: string) =>
    (await app.request()[method](path)).body.code
  expect(await codeOf('get', '/early')).toBe('VERSION_UNKNOWN')
  expect(await codeOf('put', '/early')).toBe('VERSION_UNKNOWN')
  expect(await codeOf('get', '/early/shared')).toBe('VERSION_UNKNOWN')
  expect(await codeOf('put', '/early/shared')).toBe('METHOD_NOT_ALLOWED')
  expect(await codeOf('get', '/none')).toBe('NOT_FOUND')
})

it('a version in a header leaves the Accept header of the request unchanged', async () => {
  @Version('1')
  @Controller('accepts')
  class AcceptsController {
    @Get() get({ headers }: Request) {
      return headers.accept
    }
  }
  const accept = 'application/json;version=2;q=0.5'
  const read = async (versions: VersionOptions, headers: Record<string, string>) => {
    await using app = await TestApp.create({ controllers: [AcceptsController], versions })
    return (await app.request().get('/accepts').set(headers)).body.data
  }
  const byHeader = { by: { header: 'X-Version' } } as const
  expect(await read(byHeader, { accept, 'x-version': '1' })).toBe(accept)
  const own = accept.replace('version=2', 'version=1')
  expect(await read({ by: 'mediaType' }, { accept: own })).not.toContain('version')
})
